"""The guard against paying the same twice under two codes: told by default, refused where the company wants it so."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from lastro.core.errors import Kind, Refused
from lastro.core.money import Money
from lastro.core.runner import Reply
from lastro.payouts import store
from lastro.payouts.model import BankAccount
from lastro.payouts.rules import SAME_WITHIN, likeness
from lastro.rails.port import Charge, Receiver
from lastro.standards import brcode

from .office import FABIO, FORA, HERE, KEY, Office, entry_of

QR = brcode.encode(brcode.BrCode(merchant_name="Fabio", merchant_city="SAO PAULO", key=KEY))


async def wants_none(office: Office) -> None:
    assert await office.column("UPDATE companies SET refuses_duplicates = true, version = version + 1 RETURNING 1")


async def named(office: Office, cents: int = 1000, **wish: Any) -> str | None:
    """The payout that a new one may be a repetition of, as its answer says."""
    reply = await office.ask(office.wish(cents, **wish))
    assert isinstance(reply, Reply), reply
    return dict(reply.headers).get("x-lastro-possible-duplicate")


@pytest.mark.parametrize("way", [{}, {"key": KEY}, {"qr": QR}], ids=["account", "key", "static QR"])
async def test_it_is_told(office: Office, way: dict[str, Any]) -> None:
    first = await office.make(1000, **way)
    second = await office.ask(office.wish(1000, **way))
    assert isinstance(second, Reply)
    assert dict(second.headers) == {"x-lastro-possible-duplicate": first["id"]}
    assert await named(office, **way) == msgspec.json.decode(second.body)["id"], "the newest"
    assert await named(office, allows_duplicate=True, **way) is None


CNPJ = "12ABC34501DE35"
LOCATION = "banco.example/qr/v2/x"
DYNAMIC = brcode.encode(brcode.BrCode(merchant_name="Fabio", merchant_city="SAO PAULO", location=LOCATION))
NAMED: dict[str, dict[str, Any]] = {
    "account": {},
    "account with zeros in front": {"place": replace(FORA, account=f"000{FORA.account}"), "person": FABIO},
    "account at another branch": {"place": replace(FORA, branch="0002"), "person": FABIO},
    "its bank by the other number": {"place": replace(FORA, ispb=None, compe="992"), "person": FABIO},
    "key": {"key": KEY},
    "another key": {"key": CNPJ},
    "static QR": {"qr": QR},
    "dynamic QR": {"qr": DYNAMIC},
}


def know_both_keys(office: Office) -> None:
    """Of two keys of one account the directory writes its number with zeros for one."""
    office.outside.entries[CNPJ] = entry_of(CNPJ, "CNPJ", account=f"00{FORA.account}")
    office.outside.charges[LOCATION] = Charge(KEY, Money(1000, "BRL"), "A" * 26)


@pytest.mark.parametrize("second", NAMED)
@pytest.mark.parametrize("first", ["account", "another key", "dynamic QR"])
async def test_the_receiver_is_the_same_however_it_is_named(office: Office, first: str, second: str) -> None:
    know_both_keys(office)
    made = await office.make(1000, **NAMED[first])
    is_twice_a_charge = first == second == "dynamic QR"
    assert await named(office, **NAMED[second]) == (None if is_twice_a_charge else made["id"])


async def test_of_many_at_once_by_different_names_one_is_made(office: Office) -> None:
    know_both_keys(office)
    await wants_none(office)
    replies = await asyncio.gather(*(office.ask(office.wish(1000, **way)) for way in [*NAMED.values()] * 3))
    assert {(r.kind, r.problems[0].issue) for r in replies if isinstance(r, Refused)} == {(Kind.CONFLICT, "DUPLICATE")}
    assert await office.column("SELECT count(*) FROM payouts") == [1]


async def test_an_account_does_not_pay_itself_whatever_stands_before_its_number(office: Office) -> None:
    place = BankAccount(HERE.ispb, None, "PAYMENT_ACCOUNT", "0001", f"000{office.ana.account_number}")
    problem = await office.refused(office.wish(place=place, person=FABIO))
    assert (problem.field, problem.issue) == ("paymentData.bankAccount", "NOT_ALLOWED")


@pytest.mark.parametrize("way", [{}, {"key": KEY}, {"qr": QR}], ids=["account", "key", "static QR"])
async def test_it_is_refused_where_the_company_wants_it(office: Office, way: dict[str, Any]) -> None:
    await wants_none(office)
    first = await office.make(1000, **way)
    refused = await office.ask(office.wish(1000, **way))
    assert isinstance(refused, Refused)
    (problem,) = refused.problems
    assert (refused.kind, problem.field, problem.issue) == (Kind.CONFLICT, "amount", "DUPLICATE")
    assert first["id"] in problem.description
    assert await office.money() == (9_999_000, 1000)
    assert (await office.make(1000, allows_duplicate=True, **way))["status"] == "PENDING"


@pytest.mark.parametrize(
    "other",
    [
        {"cents": 1001},
        {"key": "98765432100"},
        {"place": replace(FORA, account="300004"), "person": FABIO},
        {"place": replace(FORA, ispb="99999020"), "person": FABIO},
        {"person": replace(FABIO, document_number="52998224725"), "place": FORA},
        {"method": "TED"},
    ],
    ids=["amount", "key of another account", "account", "bank", "document", "method"],
)
async def test_what_differs_is_no_repetition(office: Office, other: dict[str, Any]) -> None:
    office.outside.entries["98765432100"] = entry_of("98765432100", "CPF", account="300004")
    await wants_none(office)
    await office.make(1000)
    wish = {"cents": 1000, **other}
    assert await named(office, wish.pop("cents"), **wish) is None


@pytest.mark.parametrize("end", ["refuse", "cancel"])
async def test_what_was_not_paid_is_not_repeated(office: Office, end: str) -> None:
    payout = await office.make(1000)
    await (office.cancel(payout["id"]) if end == "cancel" else office.refuse(payout))
    assert await named(office) is None


async def test_nor_what_was_paid_long_ago(office: Office) -> None:
    first = await office.make(1000)
    receiver = Receiver(FABIO.name, "CPF", FABIO.document_number, "99999030", "0001", FORA.account, "CHECKING_ACCOUNT")
    like = likeness(office.ana.account_id, "PIX", Money(1000, "BRL"), receiver, is_charge=False)
    for within, found in ((SAME_WITHIN, office.id_of(first)), (timedelta(0), None)):
        query = store.standing_query(office.wish(1000), like, within, 0)
        async with office.cast.database.session(office.ana.company_id) as session:
            standing = query.known(await session.fetch(query.sql, office.ana.company_id, *query.arguments))
        assert standing.same == found
    assert timedelta(minutes=10) == SAME_WITHIN


async def test_a_dynamic_qr_is_paid_once_by_its_own_bank(office: Office) -> None:
    know_both_keys(office)
    assert [await named(office, qr=DYNAMIC) for _ in range(2)] == [None, None]


@pytest.mark.parametrize("is_scheduled", [False, True], ids=["now", "scheduled"])
async def test_of_many_at_once_one_is_made(office: Office, *, is_scheduled: bool) -> None:
    await wants_none(office)
    day = {"scheduled_on": office.tomorrow()} if is_scheduled else {}
    replies = await asyncio.gather(*(office.ask(office.wish(1000, **day)) for _ in range(50)))
    refusals = [r for r in replies if isinstance(r, Refused)]
    assert {(r.kind, r.problems[0].issue) for r in refusals} == {(Kind.CONFLICT, "DUPLICATE")}
    assert len(refusals) == 49
    assert await office.column("SELECT count(*) FROM payouts") == [1]


@pytest.mark.parametrize(
    ("code", "refused"), [(None, ("amount", "DUPLICATE")), ("salary-7", ("externalId", "DUPLICATE"))], ids=["guard", "code"]
)
async def test_of_two_at_once_with_money_for_one_the_other_is_a_duplicate(
    office: Office, code: str | None, refused: tuple[str, str]
) -> None:
    """Told that there is too little, its client might send it anew."""
    await wants_none(office)
    await office.make(8_500_000)
    for _ in range(5):
        wishes = [office.wish(1_000_000, **({"external_id": code} if code else {})) for _ in range(2)]
        said = await asyncio.gather(*(office.ask(wish) for wish in wishes))
        (made,) = [one for one in said if isinstance(one, Reply)]
        (other,) = [one for one in said if isinstance(one, Refused)]
        assert [(problem.field, problem.issue) for problem in other.problems] == [refused]
        code = code and f"{code}-"
        await office.refuse(msgspec.json.decode(made.body))


async def test_a_code_that_was_taken_while_the_directory_was_asked_is_told_before_the_equal_payout(office: Office) -> None:
    await wants_none(office)
    office.outside.meanwhile = lambda: office.make(1000, key=KEY, external_id="salary-8")
    problem = await office.refused(office.wish(1000, key=KEY, external_id="salary-8"))
    assert (problem.field, problem.issue) == ("externalId", "DUPLICATE")
