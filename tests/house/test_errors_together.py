"""All that is wrong comes at once and in one order; what is unknown, malformed or another's comes as the same bytes."""

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

import msgspec
import pytest
from tests.in_one import in_one_test

from lastro.api_kit.routes import Route

from .bad_input import fields
from .bad_input_kept import IDS, IDS_ASKED, good
from .examples import EXAMPLES, everywhere
from .strangers import Answer, Client, Town
from .test_bad_input import ROUTES

CREATE = ROUTES["create_order"]
# Fields of bodies that name something of the company, and how an unknown one is refused: by 404, or by name.
REFERENCES: Mapping[str, Mapping[str, int]] = {
    "create_order": {"order.accountId": 404, "order.pixKey": 400},
    "create_order_payin": {"accountId": 400, "pixKey": 400},
    "create_static_qrcode": {"accountId": 400, "pixKey": 400},
    "create_refund": {"orderId": 400},
    "contest_med": {"endToEndId": 400},
    "confirm_key": {"validationId": 400},
    "resend_key_code": {"validationId": 400},
    "confirm_key_claim": {"validationId": 400},
    "resend_key_claim_code": {"validationId": 400},
    "resend_key_claim_answer_code": {"validationId": 400},
    "answer_key_claim": {"validationId": 400},
    # Whoever has a key may be paid by it.
    "create_payout": {"accountId": 400, "paymentData.pixKey": 400},
    "create_subscription": {"accountId": 404, "initialCharge.pixKey": 400},
    "resend_webhook_events": {"filter.referenceId": 202},  # a filter: what is unknown finds nothing
}
MALFORMED = ("x", "", "0", "null", "'", "\0", " ", "é" * 300)


async def sent(
    town: Town, route: Route, target: str, client: Client, body: Any = None, headers: Mapping[str, str] | None = None
) -> Answer:
    given = {"authorization": f"Bearer {town.token(client)}", "content-type": "application/json", **(headers or {})}
    content = b"" if body is None else msgspec.json.encode(body)
    return await town.send_raw(route.method, target, list(given.items()), content)


async def created(town: Town, body: Any, query: str = "", **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return await sent(town, CREATE, CREATE.path + query, town.ana, body, named)


def changed(body: Mapping[str, Any], **values: Any) -> dict[str, Any]:
    """The body with other values; a double underscore goes one deeper, None takes the field away."""
    whole: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(body))
    for path, value in values.items():
        *above, name = path.split("__")
        here = whole
        for part in above:
            here = here.setdefault(part, {})
        if value is None:
            here.pop(name, None)
        else:
            here[name] = value
    return whole


# ── all at once, in one order ──


async def test_everything_that_is_wrong_comes_at_once(town: Town) -> None:
    """Query, headers, then the body as its form goes, however the request orders it."""
    body = changed(
        good(town, CREATE), customer__email="x", customer__address__city="", customer__document__number="1", customer__name=7,
        order__expiration=59, order__amount__value="1.001", order__notificationUrl="ftp://x", order__description="   ",
        order__externalId=None, order__bank="x",
    )  # fmt: skip
    expected = [
        ("odd", "NOT_ALLOWED"), ("too", "NOT_ALLOWED"), ("idempotency-key", "TOO_LONG"), ("order.externalId", "REQUIRED"),
        ("order.description", "INVALID"), ("order.notificationUrl", "INVALID"), ("order.amount.value", "INVALID"),
        ("order.expiration", "OUT_OF_RANGE"), ("order.bank", "NOT_ALLOWED"), ("customer.name", "INVALID"),
        ("customer.document.number", "INVALID"), ("customer.email", "INVALID"), ("customer.address.city", "INVALID"),
    ]  # fmt: skip
    backwards = {k: dict(reversed(v.items())) for k, v in reversed(body.items())}
    told = set()
    for given in (body, backwards):
        answer = await created(town, given, "?odd=1&too=1", idempotency_key="k" * 65)
        assert (answer.status, answer.problems) == (400, expected)
        told.add(answer.body)
    assert len(told) == 1


@pytest.mark.parametrize(
    ("values", "query", "key", "expected"),
    [
        ({"order": None}, "", None, [("order", "REQUIRED")]),
        ({"order": []}, "", None, [("order", "INVALID")]),
        ({"order__amount": []}, "", None, [("order.amount", "INVALID")]),
        ({"order__amount": {}}, "", None, [("order.amount.currency", "REQUIRED"), ("order.amount.value", "REQUIRED")]),
        ({"order": None, "customer": "x"}, "", None, [("order", "REQUIRED"), ("customer", "INVALID")]),
        ({"order__description": "x" * 141}, "?a=1", "b c",
         [("a", "NOT_ALLOWED"), ("idempotency-key", "INVALID"), ("order.description", "TOO_LONG")]),
        ({"order__externalId": "\n" * 65}, "", None, [("order.externalId", "TOO_LONG")]),
        ({"customer__document": {"type": "CPF", "number": "1"}, "customer__birthDate": "x"}, "", None,
         [("customer.document.number", "INVALID"), ("customer.birthDate", "INVALID")]),
        ({"customer__ip": "x", "customer__phone": "\t", "customer__country": 1}, "", None,
         [("customer.phone", "INVALID"), ("customer.country", "INVALID"), ("customer.ip", "INVALID")]),
    ],
)  # fmt: skip
async def test_a_field_has_one_problem(
    town: Town, values: Mapping[str, Any], query: str, key: str | None, expected: list[tuple[str, str]]
) -> None:
    headers = {} if key is None else {"idempotency_key": key}
    answer = await created(town, changed(good(town, CREATE), **values), query, **headers)
    assert (answer.status, answer.problems) == (400, expected)


async def test_what_has_to_be_looked_up_comes_after(town: Town) -> None:
    """A code that is taken, an account that is not there, a key of another account: only once the rest is right."""
    first = good(town, CREATE)
    assert (await created(town, first)).status == CREATE.success
    taken = changed(first, order__accountId=str(uuid4()), order__financialPartner="NOBODY", order__expiration=1)
    assert (await created(town, taken)).problems == [("order.expiration", "OUT_OF_RANGE")]
    assert (await created(town, changed(taken, order__expiration=60))).status == 404
    partner = changed(taken, order__expiration=60, order__accountId=town.objects["account"])
    assert (await created(town, partner)).problems == [("order.financialPartner", "NOT_SUPPORTED")]
    last = await created(town, changed(partner, order__financialPartner=None))
    assert (last.status, last.problems) == (409, [("order.externalId", "DUPLICATE")])


async def test_a_list_is_told_all_that_is_wrong_with_its_query(town: Town) -> None:
    target = "/order/v2/transparent?to=x&unknown=1&limit=0&from=y&sort=up&limit=1&status=NEW&cursor=z"
    answer = await sent(town, ROUTES["list_orders"], target, town.ana)
    assert answer.problems == [
        ("status", "INVALID"), ("limit", "DUPLICATE"), ("sort", "INVALID"), ("cursor", "INVALID"), ("from", "INVALID"),
        ("to", "INVALID"), ("unknown", "NOT_ALLOWED"),
    ]  # fmt: skip


async def test_who_may_not_ask_is_told_nothing_of_it(town: Town) -> None:
    """Neither what is wrong with the request, nor whether its path takes the method."""
    body = changed(good(town, CREATE), order__amount="x")
    powerless = town.powerless[CREATE.permission]
    assert (await sent(town, CREATE, CREATE.path + "?odd=1", powerless, body)).status == 403
    assert (await sent(town, CREATE, CREATE.path, powerless, None, {"content-type": "text/plain"})).problems == []


# ── the same bytes ──


def own(town: Town, route: Route) -> dict[str, Any]:
    """A good body of Dora's, that names nothing of hers."""
    return changed(good(town, route), order__accountId=None)


async def same(town: Town, route: Route, answers: list[Answer], status: int) -> None:
    assert {answer.status for answer in answers} == {status}, [a.body for a in answers]
    first = answers[0].told
    assert [answer.told == first for answer in answers] == [True] * len(answers)


@in_one_test("route", [r for r in ROUTES.values() if "{id}" in r.path], ids=lambda r: r.operation)
async def test_an_id_in_the_path(town: Town, route: Route) -> None:
    theirs = town.objects[EXAMPLES[route.operation].kind or ""]
    body = None if route.doc.form is None else good(town, route)
    for query, status in (("", 404), ("?odd=1", 400)):
        answers = [
            await sent(town, route, route.path.format(**everywhere(text)) + query, town.dora, body)
            for text in (str(uuid4()), theirs, theirs.upper(), "x", "%00", "%C3%A9")
        ]
        await same(town, route, answers, status)


@in_one_test(
    ("route", "name"),
    [
        pytest.param(r, q.name, id=f"{r.operation} {q.name}")
        for r in ROUTES.values()
        for q in r.queries
        if q.name in IDS_ASKED
    ],
)
async def test_an_id_in_the_query(town: Town, route: Route, name: str) -> None:
    """Of a list it is empty; of the balance, and of a list of what no path leads to, 404 (contract.md §1)."""
    expected = 404 if route.operation == "read_balance" or "{id}" in route.path else 200
    theirs = town.objects["account" if name == "accountId" else "order"]
    for more, status in (("", expected), ("&odd=1", 400)):
        answers = [
            await sent(town, route, f"{route.path}?{name}={text}{more}", town.dora)
            for text in (str(uuid4()), theirs, theirs.upper(), "x", "", "%00", "%C3%A9", "a" * 5000)
        ]
        await same(town, route, answers, status)
        assert status != 200 or answers[0].json["data"] == []


async def test_an_account_in_the_body(town: Town) -> None:
    body, theirs = own(town, CREATE), town.objects["account"]
    for more, status in (({}, 404), ({"order__financialPartner": "NOBODY"}, 404), ({"order__amount__value": "x"}, 400)):
        answers = [
            await sent(town, CREATE, CREATE.path, town.dora, changed(body, order__accountId=text, **more))
            for text in (str(uuid4()), theirs, theirs.upper(), *MALFORMED)
        ]
        await same(town, CREATE, answers, status)


async def test_an_account_that_pays(town: Town) -> None:
    """Of a payout it is refused by name (contract.md §4)."""
    route, theirs = ROUTES["create_payout"], town.objects["account"]
    body = good(town, route)
    for more in ({}, {"amount__value": "x"}):
        answers = [
            await sent(town, route, route.path, town.dora, changed(body, accountId=text, **more), {"idempotency-key": "k"})
            for text in (str(uuid4()), theirs, theirs.upper(), *MALFORMED)
        ]
        await same(town, route, answers, 400)
        assert answers[0].problems == ([("amount.value", "INVALID")] if more else [("accountId", "INVALID")])


async def test_a_key_in_the_body(town: Town) -> None:
    theirs = await town.admin.fetchval(
        "SELECT key FROM pix_keys WHERE company_id = $1 AND account_id = $2::text::uuid",
        town.ana.company_id, town.objects["account"],
    )  # fmt: skip
    answers = [
        await sent(town, CREATE, CREATE.path, town.dora, changed(own(town, CREATE), order__pixKey=text))
        for text in (str(uuid4()), theirs, theirs.upper(), "nobody@example.com")
    ]
    await same(town, CREATE, answers, 400)
    assert answers[0].problems == [("order.pixKey", "INVALID")]


async def test_an_id_in_a_filter(town: Town) -> None:
    route, theirs = ROUTES["resend_webhook_events"], town.objects["order"]
    answers = [
        await sent(town, route, route.path, town.dora, {"filter": {"status": "DELIVERED", "referenceId": text}})
        for text in (str(uuid4()), theirs, theirs.upper(), *(text for text in MALFORMED if text and len(text) < 255))
    ]
    await same(town, route, answers, 202)


@in_one_test("route", ROUTES.values(), ids=lambda r: r.operation)
def test_whatever_a_body_refers_to_is_tried(route: Route) -> None:
    """A new field that names an object fails until it stands in the table, and is asked for as a stranger would."""
    named = {f.name for f in fields(route) if f.key.endswith(("Id", "Key")) and f.key != "externalId"}
    table = REFERENCES.get(route.operation, {})
    assert named == table.keys()
    assert {name for name, status in table.items() if status == 404} == set(IDS.get(route.operation, ()))
    in_query = {q.name for q in route.queries if q.name.endswith("Id") and q.name != "externalId"}
    assert in_query <= IDS_ASKED, "say in bad_input_kept.py that it is one"
