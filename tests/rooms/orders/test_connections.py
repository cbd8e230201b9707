"""Orders whose code the bank of a connection makes, on real rows and against a small bank that speaks API Pix."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
import pytest
from tests.cast import PLACE
from tests.in_one import in_one_test
from tests.rooms.lists import answered, problems
from tests.rooms.rails.api_pix_bank import Bank, instant, problem, serving

from lastro import orders
from lastro.api_kit.routes import Incoming
from lastro.core.errors import Kind, Refused
from lastro.core.money import Money
from lastro.core.runner import Done, Reply
from lastro.orders import CancelOrder, Expire, GiveBack, Installation, RefundWish
from lastro.orders.connections import DeclareConnection
from lastro.rails import port
from lastro.rails.api_pix.issuing import ApiPixIssuer

from .collecting import BENTO
from .shop import Shop

KEY = "loja@example.com"


@dataclass
class Connected:
    """Ana's shop, whose key is at a bank."""

    shop: Shop
    bank: Bank
    issuers: dict[str, port.Issuer]
    hints: list[str] = field(default_factory=list)
    has_network: bool = True
    is_issuing: bool = True
    ispb: str | None = None
    others: dict[str, orders.AtBank] = field(default_factory=dict)

    async def hint(self, payment_ids: Sequence[str]) -> bool:
        """Takes what whoever polls is to look at."""
        self.hints += payment_ids
        return True

    @property
    def rail(self) -> str:
        """The connection's name, which no other test has."""
        return f"bank{self.shop.ana.number}"

    @property
    def here(self) -> Installation:
        known, issuing = self.others | {self.rail: orders.AtBank(self.shop.ana.number, self.ispb)}, frozenset(self.others)
        if self.is_issuing:
            issuing |= {self.rail}
        return replace(PLACE, connections=issuing, has_network=self.has_network, at_banks=known)

    async def send(self, customer: dict[str, Any] | None = BENTO, **order: Any) -> Reply | Refused:
        given = {
            "externalId": "order-1", "paymentMethod": "PIX", "description": "Flores", "pixKey": KEY,
            "notificationUrl": "https://shop.example.com/hook", "amount": {"currency": "BRL", "value": "10.50"}, **order,
        }  # fmt: skip
        body: dict[str, Any] = {"order": {name: value for name, value in given.items() if value is not None}}
        if customer is not None:
            body["customer"] = customer
        route = next(r for r in orders.routes(self.here, issuers=self.issuers) if r.operation == "create_order")
        verb = route.parse(Incoming(self.shop.ana.company_id, {}, {}, msgspec.json.encode(body), body, None))
        if isinstance(verb, Refused):
            return verb
        call = {"operation": "create_order", "permission": route.permission, "status": route.success}
        return await self.shop.cast.run(self.shop.ana.client, verb, **call)

    async def make(self, **order: Any) -> dict[str, Any]:
        reply = await self.send(**order)
        assert isinstance(reply, Reply), reply
        return dict(msgspec.json.decode(reply.body))

    async def paid(self, made: dict[str, Any], cents: int = 1050, name: str = "1") -> str:
        at = datetime.now(UTC)
        news = port.Collected(payment_id(made, name), made["pix"]["conciliationId"], Money(cents, "BRL"), at, at)
        return await self.shop.told(port.COLLECTION_SETTLED, news, news.payment_id, self.rail, self.here)

    async def status(self) -> list[str]:
        return await self.shop.column("SELECT status FROM orders ORDER BY created_at")


def payment_id(made: dict[str, Any], name: str = "1") -> str:
    """The endToEndId of a Pix for an order, as no other company has it: its txid begins with the company's number."""
    return f"E12345678202611281200{made['pix']['conciliationId'][:5]}{name.zfill(6)}"


@pytest.fixture
async def at_bank(shop: Shop) -> AsyncIterator[Connected]:
    made = Connected(shop, Bank(now=datetime.now(UTC)), {})
    await shop.cast.connect(shop.ana, made.rail, KEY)
    async with serving(made.bank) as line:
        made.issuers[made.rail] = ApiPixIssuer(made.rail, line, "utc", made.hint)
        yield made


# ── made ──


async def test_the_code_is_the_banks(at_bank: Connected) -> None:
    made = await at_bank.make()
    ((txid, charge),) = at_bank.bank.charges.items()
    assert made["pix"]["conciliationId"] == txid
    assert made["pix"]["qrcodeData"] == charge["pixCopiaECola"]
    assert (charge["valor"]["original"], charge["chave"]) == ("10.50", KEY)
    assert charge["devedor"] == {"cpf": "52998224725", "nome": "Bento"}
    assert (made["status"], made["finalAmount"]["value"]) == ("INITIAL", "10.50")
    ends = datetime.fromisoformat(made["pix"]["expireDateTime"])
    assert ends == datetime.fromisoformat(charge["calendario"]["criacao"]) + timedelta(days=1)
    rows = await at_bank.shop.rows(
        "SELECT o.location_token, i.rail, i.reference = o.txid FROM orders o JOIN instruments i ON i.order_id = o.id"
    )
    assert [tuple(row) for row in rows] == [(None, at_bank.rail, True)]
    assert await at_bank.shop.column("SELECT 1 FROM outbox") == []
    read = await answered(at_bank.shop.cast, at_bank.shop.ana.client, "read_order", id=made["id"])
    assert (read["pix"], "leadsHere" in read) == (made["pix"], True)


async def test_a_customer_may_be_left_out_and_the_partner_named(at_bank: Connected) -> None:
    made = await at_bank.make(customer=None, pixKey=None, financialPartner=at_bank.rail.upper(), externalId="order-2")
    assert made["pix"]["conciliationId"] in at_bank.bank.charges
    assert "devedor" not in at_bank.bank.charges[made["pix"]["conciliationId"]]


@in_one_test(
    ("order", "wrong"),
    [
        ({"amount": None}, ("order.amount", "REQUIRED")),
        ({"description": "Flores 🌷"}, ("order.description", "NOT_ALLOWED")),
        ({"pixKey": "other@example.com"}, ("order.pixKey", "INVALID")),
        ({"financialPartner": "NOBANK"}, ("order.financialPartner", "NOT_SUPPORTED")),
        ({"expiration": 0}, ("order.expiration", "OUT_OF_RANGE")),
        ({"amount": {"currency": "BRL", "value": "0.00"}}, ("order.amount.value", "OUT_OF_RANGE")),
        ({"amount": {"currency": "BRL", "value": "10000000000.00"}}, ("order.amount.value", "OUT_OF_RANGE")),
    ],
)
async def test_what_a_bank_could_not_take_is_refused_before_it_is_asked(
    at_bank: Connected, order: dict[str, Any], wrong: tuple[str, str]
) -> None:
    assert problems(await at_bank.send(**order)) == [wrong]
    assert at_bank.bank.exchanges == []


async def test_a_customer_of_another_country_is_refused(at_bank: Connected) -> None:
    lucia = BENTO | {"document": {"type": "CURP", "number": "NUXL900101MDFXXC09"}}
    assert problems(await at_bank.send(customer=lucia)) == [("customer.document.type", "NOT_ALLOWED")]


async def test_a_taken_code_is_refused_before_the_bank_is_asked(at_bank: Connected) -> None:
    await at_bank.make()
    assert problems(await at_bank.send()) == [("order.externalId", "DUPLICATE")]
    assert len(at_bank.bank.charges) == 1


async def test_a_silent_bank_is_503_and_harmless(at_bank: Connected) -> None:
    at_bank.bank.next("PUT cob", lambda *_: problem(503, "ServicoIndisponivel"))
    refused = await at_bank.send()
    assert isinstance(refused, Refused)
    assert (refused.kind, refused.retry_after_seconds) == (Kind.UNAVAILABLE, 5)
    assert await at_bank.status() == []
    await at_bank.make()


async def test_a_mistake_of_set_up_is_503_and_no_refused_order(at_bank: Connected) -> None:
    at_bank.bank.next("PUT cob", lambda *_: problem(403, "AcessoNegado"))
    refused = await at_bank.send()
    assert isinstance(refused, Refused)
    assert refused.kind is Kind.UNAVAILABLE


async def test_the_banks_refusal_names_our_fields(at_bank: Connected) -> None:
    said = [{"razao": "chave desconhecida", "propriedade": "cob.chave"}, {"razao": "?", "propriedade": "cob.devedor.cpf"}]
    at_bank.bank.next("PUT cob", lambda *_: problem(400, "CobOperacaoInvalida", violacoes=said))
    assert problems(await at_bank.send()) == [
        ("order.pixKey", "NOT_SUPPORTED"), ("customer.document.number", "INVALID"),
    ]  # fmt: skip


async def test_an_answer_that_is_not_what_was_asked_makes_no_order(at_bank: Connected) -> None:
    at_bank.bank.lists_charge = lambda charge: charge | {"valor": {"original": "10.51"}}
    refused = await at_bank.send()
    assert isinstance(refused, Refused)
    assert (refused.kind, await at_bank.status()) == (Kind.UNAVAILABLE, [])
    assert [charge["status"] for charge in at_bank.bank.charges.values()] == ["REMOVIDA_PELO_USUARIO_RECEBEDOR"]


async def test_a_key_of_a_bank_that_makes_no_codes_now_is_refused(at_bank: Connected) -> None:
    at_bank.issuers.clear()
    assert problems(await at_bank.send()) == [("order.pixKey", "NOT_SUPPORTED")]


# ── paid ──


async def test_without_a_network_a_pix_order_needs_a_key_at_a_bank(at_bank: Connected) -> None:
    """Even where a key of an institution is left over from another time; no bank is asked, and nothing is written."""
    at_bank.has_network = False
    own = str(at_bank.shop.ana.pix_key)
    for key, customer in ((own, BENTO), (own, None)):
        reply = await at_bank.send(customer, pixKey=key)
        assert isinstance(reply, Refused)
        assert (reply.kind, problems(reply)) == (Kind.INVALID, [("order.pixKey", "NOT_SUPPORTED")]), reply
    await at_bank.shop.cast.runner.act(at_bank.shop.ana.company_id, DeclareConnection(at_bank.rail, {}, is_issuing=False))
    reply = await at_bank.send(None, pixKey=None)
    assert isinstance(reply, Refused)
    assert problems(reply) == [("order.pixKey", "NOT_SUPPORTED")], reply
    assert await at_bank.status() == []
    assert at_bank.bank.charges == {}


async def test_without_a_network_a_bank_makes_the_code_all_the_same(at_bank: Connected) -> None:
    at_bank.has_network = False
    made = await at_bank.make(customer=None)
    assert made["pix"]["conciliationId"] in at_bank.bank.charges


async def test_a_payment_is_booked_once_at_the_connections_position(at_bank: Connected) -> None:
    made = await at_bank.make()
    assert await at_bank.paid(made) == "handled"
    assert await at_bank.paid(made) == "known"
    assert await at_bank.status() == ["PAID"]
    rows = await at_bank.shop.rows(
        "SELECT t.type, t.amount_minor, l.rail FROM transfers t JOIN ledger_accounts l ON l.id = t.debit_id"
    )
    assert [tuple(row) for row in rows] == [("PIX_IN", 1050, at_bank.rail)]
    read = await answered(at_bank.shop.cast, at_bank.shop.ana.client, "read_order", id=made["id"])
    assert (read["status"], read["endToEndId"]) == ("PAID", payment_id(made))
    ((body,),) = await at_bank.shop.rows("SELECT body FROM events")
    assert msgspec.json.decode(body)["status"] == "PAID"


async def test_a_refund_by_a_connection_without_refunds_is_refused(at_bank: Connected) -> None:
    made = await at_bank.make()
    await at_bank.paid(made)
    wish = RefundWish(UUID(made["id"]), "refund-1", Money(100, "BRL"), "MD06")
    verb = GiveBack(wish, replace(at_bank.here, without_refunds=frozenset({at_bank.rail})))
    call = {"operation": "create_refund", "status": 201}
    assert problems(await at_bank.shop.cast.run(at_bank.shop.ana.client, verb, **call)) == [("orderId", "NOT_SUPPORTED")]
    assert await at_bank.shop.column("SELECT 1 FROM refunds UNION ALL SELECT 1 FROM outbox") == []
    verb = replace(verb, place=replace(at_bank.here, without_refunds=frozenset({"another"})))
    assert isinstance(await at_bank.shop.cast.run(at_bank.shop.ana.client, verb, **call), Reply)


async def test_a_second_payment_that_the_connection_may_not_give_back_waits_for_people(at_bank: Connected) -> None:
    made = await at_bank.make()
    assert [await at_bank.paid(made, name=name) for name in ("1", "2")] == ["handled", "handled"]
    ((return_id, kind),) = await at_bank.shop.rows("SELECT network_id, kind FROM outbox")
    assert kind == port.RETURN_SEND
    final = port.ReturnFinal(return_id, "", False, "NOT_SUPPORTED", None)
    assert await at_bank.shop.told(port.RETURN_FINAL, final, return_id, at_bank.rail) == "handled"
    assert await at_bank.shop.column("SELECT state FROM pix_payments ORDER BY end_to_end_id") == ["SETTLED", "STRANDED"]


# ── ended ──


async def end(at_bank: Connected, verb: Any) -> Any:
    return await at_bank.shop.cast.runner.act(at_bank.shop.ana.company_id, verb)


async def test_a_cancel_waits_for_the_banks_yes(at_bank: Connected) -> None:
    made = await at_bank.make()
    (order_id,) = await at_bank.shop.column("SELECT id FROM orders")
    at_bank.bank.next("PATCH cob", lambda *_: problem(503, "ServicoIndisponivel"))
    away = await end(at_bank, CancelOrder(order_id, at_bank.here, at_bank.issuers))
    assert isinstance(away, Refused)
    assert (away.kind, await at_bank.status()) == (Kind.UNAVAILABLE, ["INITIAL"])
    assert isinstance(await end(at_bank, CancelOrder(order_id, at_bank.here, at_bank.issuers)), Done)
    assert await at_bank.status() == ["CANCELED"]
    assert at_bank.bank.charges[made["pix"]["conciliationId"]]["status"] == "REMOVIDA_PELO_USUARIO_RECEBEDOR"
    assert await at_bank.shop.column("SELECT 1 FROM outbox") == [], "the bank has ended it already"


async def test_what_is_paid_at_the_bank_is_not_canceled(at_bank: Connected) -> None:
    made = await at_bank.make()
    (order_id,) = await at_bank.shop.column("SELECT id FROM orders")
    at_bank.bank.charges[made["pix"]["conciliationId"]]["status"] = "CONCLUIDA"
    assert problems(await end(at_bank, CancelOrder(order_id, at_bank.here, at_bank.issuers))) == [("status", "CONFLICT")]
    await end(at_bank, Expire(order_id, at_bank.here, before_its_time=True, issuers=at_bank.issuers))
    assert await at_bank.status() == ["INITIAL"]
    assert await at_bank.paid(made) == "handled"
    assert await at_bank.status() == ["PAID"]


async def test_an_order_ends_whose_charge_was_paid_with_another_amount_alone(at_bank: Connected) -> None:
    made = await at_bank.make()
    (order_id,) = await at_bank.shop.column("SELECT id FROM orders")
    charge = at_bank.bank.charges[made["pix"]["conciliationId"]]
    expire = Expire(order_id, at_bank.here, before_its_time=True, issuers=at_bank.issuers)
    other, asked = ({"endToEndId": f"E12345678202611281200{n:011}", "valor": valor, "txid": charge["txid"],
                     "horario": instant(datetime.now(UTC))} for n, valor in ((1, "10.51"), (2, "10.50")))  # fmt: skip
    charge |= {"status": "CONCLUIDA", "pix": [other, asked]}
    await end(at_bank, expire)
    assert await at_bank.status() == ["INITIAL"], "what it asked for is there as well"
    assert at_bank.hints == [other["endToEndId"], asked["endToEndId"]], "no list of the bank may have it for a while"
    charge["pix"] = [other]
    await end(at_bank, expire)
    assert await at_bank.status() == ["EXPIRED"]


async def test_an_order_expires_once_the_bank_says_so(at_bank: Connected) -> None:
    made = await at_bank.make()
    charge = at_bank.bank.charges[made["pix"]["conciliationId"]]
    (order_id,) = await at_bank.shop.column("SELECT id FROM orders")
    expire = Expire(order_id, at_bank.here, before_its_time=True, issuers=at_bank.issuers)
    at_bank.bank.next("PATCH cob", *([lambda *_: problem(400, "CobOperacaoInvalida")] * 2))
    await end(at_bank, expire)
    assert await at_bank.status() == ["INITIAL"], "the bank keeps it open, and its time is not over there"
    charge["calendario"]["criacao"] = instant(datetime.now(UTC) - timedelta(days=2))
    await end(at_bank, expire)
    assert await at_bank.status() == ["EXPIRED"]


@in_one_test(
    ("status", "state", "event"),
    [
        ("REMOVIDA_PELO_USUARIO_RECEBEDOR", "CANCELED", "ORDER-PAYIN.CANCELED"),
        ("REMOVIDA_PELO_PSP", "ERROR", "ORDER-PAYIN.ERROR"),
    ],
)
async def test_an_order_whose_charge_others_have_removed_ends_as_they_say(
    at_bank: Connected, status: str, state: str, event: str
) -> None:
    made = await at_bank.make(externalId=f"order-{state}")
    order_id = UUID(made["id"])
    at_bank.bank.charges[made["pix"]["conciliationId"]]["status"] = status
    await end(at_bank, Expire(order_id, at_bank.here, before_its_time=True, issuers=at_bank.issuers))
    read = await answered(at_bank.shop.cast, at_bank.shop.ana.client, "read_order", id=made["id"])
    assert read["status"] == state
    assert (status in str(read.get("errorMessage"))) is (state == "ERROR")
    (row,) = await at_bank.shop.rows(f"SELECT type FROM events WHERE reference_id = '{order_id}'")
    assert row["type"] == event
    sql = f"SELECT reason FROM history WHERE reference_id = '{order_id}' ORDER BY version DESC LIMIT 1"
    assert status in (await at_bank.shop.column(sql))[0]


async def test_a_client_that_cancels_what_others_have_removed_gets_its_cancel(at_bank: Connected) -> None:
    made = await at_bank.make()
    at_bank.bank.charges[made["pix"]["conciliationId"]]["status"] = "REMOVIDA_PELO_PSP"
    assert isinstance(await end(at_bank, CancelOrder(UUID(made["id"]), at_bank.here, at_bank.issuers)), Done)
    assert await at_bank.status() == ["CANCELED"]


async def test_an_order_at_a_bank_whose_clock_is_not_ours_is_refused_and_undone(at_bank: Connected) -> None:
    at_bank.bank.now -= timedelta(hours=3)
    refused = await at_bank.send()
    assert isinstance(refused, Refused)
    assert (refused.kind, await at_bank.status()) == (Kind.UNAVAILABLE, [])
    assert [charge["status"] for charge in at_bank.bank.charges.values()] == ["REMOVIDA_PELO_USUARIO_RECEBEDOR"]


async def test_without_its_bank_an_order_does_not_expire(at_bank: Connected) -> None:
    await at_bank.make()
    (order_id,) = await at_bank.shop.column("SELECT id FROM orders")
    await end(at_bank, Expire(order_id, at_bank.here, before_its_time=True))
    assert await at_bank.status() == ["INITIAL"]


# ── declared ──


async def test_a_connection_is_declared_once_and_its_keys_follow_the_file(at_bank: Connected) -> None:
    ana, dora = at_bank.shop.ana, await at_bank.shop.cast.dora()
    other = await at_bank.shop.cast.open_account(ana.company_id)

    async def declared(company_id: Any, **keys: str) -> Any:
        return await at_bank.shop.cast.runner.act(
            company_id, DeclareConnection(at_bank.rail, {f"{k}@example.com": v for k, v in keys.items()})
        )

    assert (await declared(ana.company_id, loja=ana.account_number)).write is None, "nothing has changed"
    assert problems(await declared(dora.company_id, dora=dora.account_number)) == [("name", "DUPLICATE")]
    assert problems(await declared(ana.company_id, loja="99999999-9")) == [("keys.loja@example.com", "INVALID")]
    assert isinstance(await declared(ana.company_id, loja=other["number"], nova=ana.account_number), Done)
    sql = "SELECT key, account_id::text, ended_at IS NULL FROM connection_keys ORDER BY key"
    assert [tuple(r) for r in await at_bank.shop.rows(sql)] == [
        ("loja@example.com", other["id"], True), ("nova@example.com", str(ana.account_id), True),
    ]  # fmt: skip
    assert isinstance(await declared(ana.company_id, nova=ana.account_number), Done)
    assert [tuple(r)[2] for r in await at_bank.shop.rows(sql)] == [False, True]
    assert problems(await at_bank.send()) == [("order.pixKey", "INVALID")], "the key is not in the file any more"
