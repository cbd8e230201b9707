"""Orders made at the door of pay-ins, and static codes with the money that is paid to them, on real rows."""

from typing import Any
from uuid import UUID

import msgspec
import pytest
from tests.cast import ANA, Cast, Client, Seller
from tests.rooms.lists import ROUTES, answered, ask, problems, walked
from tests.rooms.orders.test_arrivals import AT, PLACE, arrives, claimed, states

from lastro.api_kit.routes import Incoming
from lastro.core.errors import Kind, Refused
from lastro.core.money import Money
from lastro.core.runner import Done, Reply
from lastro.orders import Ask, Settled
from lastro.standards.brcode import decode
from lastro.standards.pix_ids import from_base62

BENTO = {"name": "Bento", "document": {"type": "CPF", "number": "52998224725"}}
SHOP: dict[str, dict[str, Any]] = {
    "order": {"paymentMethod": "PIX", "description": "Flores", "notificationUrl": "https://shop.example.com/hook"},
    "customer": {**BENTO, "entityType": "INDIVIDUAL", "email": "bento@example.com"},
}


async def send(cast: Cast, client: Client, operation: str, body: Any, key: str | None = None) -> Reply | Refused:
    route = ROUTES[operation]
    verb = route.parse(Incoming(client.company_id, {}, {}, msgspec.json.encode(body), body, key))
    if isinstance(verb, Refused):
        return verb
    call = {"operation": operation, "permission": route.permission, "status": route.success, "key": key}
    return await cast.run(client, verb, **call)


async def made(cast: Cast, client: Client, operation: str, body: Any, key: str | None = None) -> dict[str, Any]:
    reply = await send(cast, client, operation, body, key)
    assert isinstance(reply, Reply), reply
    return dict(msgspec.json.decode(reply.body))


def payin(ana: Seller, **changes: Any) -> dict[str, Any]:
    body = {
        "externalId": "book-1", "accountId": str(ana.account_id), "paymentMethod": "PIX",
        "amount": {"currency": "BRL", "value": "10.00"}, "payer": BENTO, **changes,
    }  # fmt: skip
    return {name: value for name, value in body.items() if value is not None}


async def code(cast: Cast, ana: Seller, **changes: Any) -> dict[str, Any]:
    return await made(
        cast, ana.client, "create_static_qrcode", {"accountId": str(ana.account_id), "pixKey": ana.pix_key, **changes}
    )


# ── pay-ins ──


async def test_a_payin_is_the_same_order_at_both_doors(cast: Cast, ana: Seller) -> None:
    here = await made(cast, ana.client, "create_order_payin", payin(ana, expiration=600), key="k")
    assert here.keys() == {"id", "status", "qrcodeData", "qrcodeImageBase64", "expireDateTime", "conciliationId"}
    there = await answered(cast, ana.client, "read_order", id=here["id"])
    assert there["pix"].items() >= {name: value for name, value in here.items() if name not in ("id", "status")}.items()
    assert (there["status"], there["description"], there["externalId"]) == ("INITIAL", "book-1", "book-1")
    assert (there["amount"], there["accountId"]) == ({"currency": "BRL", "value": "10.00"}, str(ana.account_id))
    shown = await answered(cast, ana.client, "read_order_payin", id=here["id"])
    assert shown.items() >= here.items()
    assert shown == await answered(cast, ana.client, "find_order_payin", {"externalId": "book-1"})
    assert shown["paymentMethod"] == "PIX"
    again = await send(cast, ana.client, "create_order_payin", payin(ana, expiration=600), key="k")
    assert isinstance(again, Reply)
    assert msgspec.json.decode(again.body) == here, "the first answer comes back"


async def test_a_key_is_one_key_in_capitals_and_small_letters(cast: Cast, ana: Seller) -> None:
    shouted = ana.pix_key.upper()
    assert shouted != ana.pix_key
    payin_ = await made(cast, ana.client, "create_order_payin", payin(ana, pixKey=shouted))
    order = {**SHOP["order"], "externalId": "book-2", "pixKey": shouted}
    made_ = await made(cast, ana.client, "create_order", {**SHOP, "order": order})
    assert (await code(cast, ana, pixKey=shouted))["pixKey"] == ana.pix_key
    async with cast.database.session(ana.company_id) as session:
        rows = await session.fetch(
            "SELECT pix_key FROM orders WHERE id = ANY ($1::text[]::uuid[])", [payin_["id"], made_["id"]]
        )
    assert [row["pix_key"] for row in rows] == [ana.pix_key] * 2


async def test_a_code_is_free_again_once_its_order_has_ended_and_the_newest_is_found(cast: Cast, ana: Seller) -> None:
    first = await made(cast, ana.client, "create_order_payin", payin(ana))
    shop = {**SHOP, "order": {**SHOP["order"], "externalId": "book-1"}}
    for operation, field in (("create_order_payin", "externalId"), ("create_order", "order.externalId")):
        body = payin(ana) if operation == "create_order_payin" else shop
        refused = await send(cast, ana.client, operation, body)
        assert (problems(refused), refused.kind) == ([(field, "DUPLICATE")], Kind.CONFLICT)  # type: ignore[union-attr]
    await answered(cast, ana.client, "cancel_order", id=first["id"])
    second = await made(cast, ana.client, "create_order", shop)
    found = await answered(cast, ana.client, "find_order_payin", {"externalId": "book-1"})
    assert (found["id"], "amount" in found) == (second["id"], False), "the newest, of whichever door; an open amount"
    assert (await answered(cast, ana.client, "read_order_payin", id=first["id"]))["status"] == "CANCELED"


async def test_an_order_of_another_method_is_none_of_this_door(cast: Cast, ana: Seller) -> None:
    order = {
        **SHOP["order"],
        "externalId": "spei-1",
        "paymentMethod": "SPEI",
        "amount": {"currency": "MXN", "value": "10.00"},
    }
    order.pop("pixKey", None)
    made_ = await made(cast, ana.client, "create_order", {**SHOP, "order": order})
    assert await ask(cast, ana.client, "read_order_payin", id=made_["id"]) == Refused(Kind.NOT_FOUND)
    assert await ask(cast, ana.client, "find_order_payin", {"externalId": "spei-1"}) == Refused(Kind.NOT_FOUND)
    assert (await answered(cast, ana.client, "read_order", id=made_["id"]))["paymentMethod"] == "SPEI"


async def test_what_is_not_there_is_not_found(cast: Cast, ana: Seller) -> None:
    here, dora = await made(cast, ana.client, "create_order_payin", payin(ana)), await cast.dora()
    nobody = Refused(Kind.NOT_FOUND)
    assert await ask(cast, dora.client, "read_order_payin", id=here["id"]) == nobody
    assert await ask(cast, dora.client, "find_order_payin", {"externalId": "book-1"}) == nobody
    assert await ask(cast, ana.client, "find_order_payin", {"externalId": "BOOK-1"}) == nobody
    assert problems(await ask(cast, ana.client, "find_order_payin")) == [("externalId", "REQUIRED")]


PAYINS: list[tuple[dict[str, Any], list[tuple[str, str]]]] = [
    ({"accountId": "x"}, [("accountId", "INVALID")]),
    ({"accountId": "{dora}"}, [("accountId", "INVALID")]),
    ({"accountId": "{closed}"}, [("accountId", "NOT_ALLOWED")]),
    ({"accountId": "{keyless}"}, [("pixKey", "REQUIRED")]),
    ({"pixKey": "nobody@example.com"}, [("pixKey", "INVALID")]),
    ({"pixKey": "{other key}"}, [("pixKey", "MISMATCH")]),
    ({"payer": None}, [("payer", "REQUIRED")]),
    ({"payer": None, "pixKey": "{other key}"}, [("pixKey", "MISMATCH"), ("payer", "REQUIRED")]),
    ({"amount": {"currency": "BRL", "value": "0.49"}}, [("amount.value", "OUT_OF_RANGE")]),
    ({"amount": {"currency": "BRL", "value": "0.50"}}, []),
]
CODES: list[tuple[dict[str, Any], list[tuple[str, str]]]] = [
    ({"accountId": "{dora}"}, [("accountId", "INVALID")]),
    ({"accountId": "x"}, [("accountId", "INVALID")]),
    ({"accountId": "{closed}", "pixKey": "{closed key}"}, [("accountId", "NOT_ALLOWED")]),
    ({"pixKey": "nobody@example.com"}, [("pixKey", "INVALID")]),
    ({"pixKey": "{other key}"}, [("pixKey", "MISMATCH")]),
    ({"accountId": None, "pixKey": None}, [("accountId", "REQUIRED"), ("pixKey", "REQUIRED")]),
    ({"amount": {"currency": "MXN", "value": "1"}}, [("amount.currency", "NOT_SUPPORTED")]),
    (
        {"amount": {"currency": "BRL", "value": "0"}, "description": "\n"},
        [("amount.value", "OUT_OF_RANGE"), ("description", "INVALID")],
    ),
    ({"amount": {"currency": "BRL", "value": "0.01"}}, []),
]


async def test_what_the_company_says_to_a_payin_and_to_a_code(cast: Cast, ana: Seller) -> None:
    names = await company_of(cast, ana)
    printed = {"accountId": str(ana.account_id), "pixKey": ana.pix_key}
    for operation, whole, table in (
        ("create_order_payin", payin(ana), PAYINS),
        ("create_static_qrcode", printed, CODES),
    ):
        for changes, expected in table:
            body = {**whole, **{name: names.get(str(value), value) for name, value in changes.items()}}
            outcome = await send(cast, ana.client, operation, body)
            told = problems(outcome) if isinstance(outcome, Refused) else []
            assert told == expected, (operation, changes)


async def company_of(cast: Cast, ana: Seller) -> dict[str, Any]:
    """Ana's company bears a fee of 0.50; more accounts of hers, and Dora's."""
    await cast.set_fees(ana.company_id, fixed=50)
    other, keyless, closed = [await cast.open_account(ana.company_id, ANA) for _ in range(3)]
    other_key = await cast.add_key(ana.company_id, other["id"])
    closed_key = await cast.add_key(ana.company_id, closed["id"])
    await cast.account_becomes(ana.company_id, "CLOSED", UUID(closed["id"]))
    dora = await cast.dora()
    return {
        "{dora}": str(dora.account_id), "{keyless}": keyless["id"], "{closed}": closed["id"], "{other key}": other_key,
        "{closed key}": closed_key,
    }  # fmt: skip


async def test_without_a_payer_it_goes_by_the_companys_route_and_takes_its_customer_from_who_pays(cast: Cast) -> None:
    ana = await cast.found("Ana", customerless_partner="OPEN_PIX")
    here = await made(cast, ana.client, "create_order_payin", payin(ana, payer=None))
    assert (await answered(cast, ana.client, "read_order", id=here["id"]))["financialPartner"] == "OPEN_PIX"
    told = await arrives(cast, ana, txid=here["conciliationId"], settled_at=AT)
    await cast.runner.act(ana.company_id, Settled(told, await claimed(cast, ana, told), PLACE))
    shown = await answered(cast, ana.client, "read_order_payin", id=here["id"])
    assert (shown["status"], shown["payer"]["name"], shown["endToEndId"]) == ("PAID", "Bento", told.end_to_end_id)
    async with cast.database.session(ana.company_id) as session:
        sql = "SELECT p.name FROM orders o JOIN parties p ON p.company_id = o.company_id AND p.id = o.customer_id"
        assert await session.value(sql) == "Bento"


# ── static codes ──


async def test_a_code_is_shown_as_it_was_printed(cast: Cast, ana: Seller) -> None:
    fixed = await code(cast, ana, amount={"currency": "BRL", "value": 10}, description="Mesa 5")
    printed = decode(fixed["qrcodeData"])
    assert (printed.key, printed.amount, printed.txid, printed.description) == (
        ana.pix_key,
        "10.00",
        fixed["txid"],
        "Mesa 5",
    )
    assert (from_base62(fixed["txid"][:5]), len(fixed["txid"])) == (ana.number, 25)
    assert fixed["amount"] == {"currency": "BRL", "value": "10.00"}
    assert fixed == await answered(cast, ana.client, "read_static_qrcode", id=fixed["id"])
    opened = await code(cast, ana)
    assert opened.keys() == {
        "id", "accountId", "pixKey", "leadsHere", "txid", "qrcodeData", "qrcodeImageBase64", "createdAt",
    }  # fmt: skip
    assert decode(opened["qrcodeData"]).amount is None
    listed = [{k: v for k, v in one.items() if k != "qrcodeImageBase64"} for one in (opened, fixed)]
    assert await walked(cast, ana.client, "list_static_qrcodes", limits=(1,)) == listed
    mine, unknown = {"accountId": str(ana.account_id)}, {"accountId": "x"}
    assert (await answered(cast, ana.client, "list_static_qrcodes", mine))["data"] == listed
    assert (await answered(cast, ana.client, "list_static_qrcodes", unknown))["data"] == []
    dora = await cast.dora()
    assert (await answered(cast, dora.client, "list_static_qrcodes"))["data"] == []
    assert await ask(cast, dora.client, "read_static_qrcode", id=fixed["id"]) == Refused(Kind.NOT_FOUND)


async def test_money_that_is_asked_for_and_settles_later_names_its_code(cast: Cast, ana: Seller) -> None:
    """What settles names the code that was read when the network asked, whatever its last message says."""
    one = await code(cast, ana, description="Mesa 5")
    came = await arrives(cast, ana, txid=one["txid"], instrument="QRES")
    await cast.runner.act(ana.company_id, Ask(came, await claimed(cast, ana, came), PLACE))
    told = await arrives(cast, ana, settled_at=AT)
    await cast.runner.act(ana.company_id, Settled(told, await claimed(cast, ana, told), PLACE))
    (order,) = (await answered(cast, ana.client, "list_orders", {"staticQrcodeId": one["id"]}))["data"]
    assert (order["externalId"], order["status"], order["description"]) == (came.end_to_end_id, "PAID", "Mesa 5")
    assert (order["staticQrcodeId"], order["txid"]) == (one["id"], one["txid"])
    shown = await answered(cast, ana.client, "read_order_payin", id=order["id"])
    assert (shown["staticQrcodeId"], shown["txid"], "qrcodeData" in shown) == (one["id"], one["txid"], False)
    other = await code(cast, ana)
    for nothing in (other["id"], "x"):
        assert (await answered(cast, ana.client, "list_orders", {"staticQrcodeId": nothing}))["data"] == []


@pytest.mark.parametrize(
    ("minor", "state"), [(999, "REFUSED"), (1000, "ACCEPTED"), (1001, "REFUSED")], ids=["less", "what it asks", "more"]
)
async def test_a_printed_amount_is_what_may_be_paid(cast: Cast, ana: Seller, minor: int, state: str) -> None:
    one = await code(cast, ana, amount={"currency": "BRL", "value": "10.00"})
    came = await arrives(cast, ana, txid=one["txid"], amount=Money(minor, "BRL"))
    await cast.runner.act(ana.company_id, Ask(came, await claimed(cast, ana, came), PLACE))
    assert (await states(cast, ana))[1] == [(state, None)]


async def test_another_amount_that_is_in_already_goes_back(cast: Cast, ana: Seller) -> None:
    one = await code(cast, ana, amount={"currency": "BRL", "value": "9.99"})
    came = await arrives(cast, ana, txid=one["txid"], settled_at=AT)
    assert isinstance(await cast.runner.act(ana.company_id, Settled(came, await claimed(cast, ana, came), PLACE)), Done)
    assert await states(cast, ana) == ([], [("RETURNING", None)])


async def test_a_txid_that_names_no_code_of_the_account_is_no_obstacle(cast: Cast, ana: Seller) -> None:
    """Anybody may print a code of any key with any text in it; what is meant for another account is not this code's."""
    other = await cast.open_account(ana.company_id)
    one = await code(cast, ana, amount={"currency": "BRL", "value": "9.99"})
    for place, (txid, number) in enumerate([("PEDIDO1", ana.account_number), (one["txid"], other["number"])]):
        told = {"txid": txid, "receiver_account": number, "end_to_end_id": f"E1234567820260131120{place}abcdefghijk"}
        came = await arrives(cast, ana, settled_at=AT, **told)
        await cast.runner.act(ana.company_id, Settled(came, await claimed(cast, ana, came), PLACE))
    data = (await answered(cast, ana.client, "list_orders"))["data"]
    assert [("staticQrcodeId" in order, order["status"]) for order in data] == [(False, "PAID")] * 2
    assert {order["txid"] for order in data} == {"PEDIDO1", one["txid"]}, "the label that it was paid by, whoever printed it"
