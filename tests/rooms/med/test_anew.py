"""What is given back by a payment of its own: IPRT to a victim by a later receiver, REFU to the payer's institution."""

from dataclasses import replace
from typing import Any

import msgspec
import pytest
from tests.cast import BENTO
from tests.in_one import in_one_test
from tests.rooms.subscriptions.charging import Bank, at, day
from tests.rooms.subscriptions.desk import Desk, brl

from lastro.core.db import Database, Dsn
from lastro.core.errors import Refused
from lastro.core.money import Money
from lastro.core.runner import Done
from lastro.med import Reimburse, Reimbursement, Reject
from lastro.observability import gauges
from lastro.rails import port
from lastro.rails.port import MedAccount, MedNews, PaymentFinal
from lastro.rails.spi import wire

from .court import Court, some_id
from .test_monitoring import credit, lawful, stands

VICTIM = MedAccount("12345678909", "99999020", "0001", "123456", "CHECKING_ACCOUNT")
# Who pays whatever Ana gets here.
PAYER = MedAccount(BENTO.document_number, BENTO.ispb, BENTO.branch, BENTO.account, "PAYMENT_ACCOUNT")
BANK_CNPJ = "99999020000266"  # of the payer's institution: its ISPB is the root


OPEN = ("OPEN", 1000, 0, None)


async def orders(court: Court) -> list[dict[str, Any]]:
    """What the network is told to give back, in order."""
    sql = "SELECT body FROM outbox WHERE kind = 'return.send' ORDER BY created_at, id"
    return [msgspec.json.decode(body) for body in await court.column(sql)]


async def pending(court: Court) -> str:
    (name,) = await court.column("SELECT return_id FROM refunds WHERE state = 'PENDING' AND origin = 'MED'")
    return str(name)


async def ends(court: Court, code: str | None = None) -> str:
    """The network's pacs.002 about the payment anew, which says nothing of what it is for; and what comes of it."""
    name = await pending(court)
    final = PaymentFinal(name, code is None, code)
    assert await court.told(port.PAYMENT_FINAL, final, name) == "handled"
    (body,) = await court.column("SELECT body FROM inbox WHERE network_id LIKE 'again:%' ORDER BY id DESC LIMIT 1")
    return await court.told(port.RETURN_FINAL, port.return_final(body), name)


async def later(court: Court, cents: int = 1000, **more: Any) -> MedNews:
    """A refund request about money that came to Ana after the first receiver of a victim."""
    notice = await court.notice(await court.transaction(await court.paid(cents)), cents)
    await court.agreed(notice)
    request = court.request(notice, **{"root_id": some_id(), "account": VICTIM, **more})
    assert await court.says(request) == "handled"
    return request


async def test_a_later_receiver_pays_the_victim_and_not_who_paid_it(court: Court) -> None:
    request = await later(court)
    assert await court.falls(request)
    (told,) = await orders(court)
    receiver = told["anew"]["receiver"]
    assert (told["return_id"][0], told["reason"], told["end_to_end_id"]) == ("E", "IPRT", request.end_to_end_id)
    assert (receiver["ispb"], receiver["account"], receiver["document_number"]) == ("99999020", "123456", "12345678909")
    assert told["anew"]["payer"]["account"] == court.ana.account_number
    assert await court.blocked() == 1000
    assert await ends(court) == "handled"
    assert (await court.is_so(request), await court.blocked()) == (("ANALYSED", 0, 1000, "TOTALLY_ACCEPTED"), 0)
    (answer,) = await court.sent("med.answer")
    assert (answer["return_id"], answer["returned"]["minor"]) == (told["return_id"], 1000)


@pytest.mark.parametrize(
    ("root", "victim", "purpose"),
    [
        ("this one", VICTIM, "FR01"),  # told, it decides, whatever account is to be paid
        ("another", PAYER, "IPRT"),
        ("untold", None, "FR01"),
        ("untold", PAYER, "FR01"),  # the first layer: it left the victim's own account
        ("untold", msgspec.structs.replace(PAYER, account="00123456", branch=None), "FR01"),
        ("untold", VICTIM, "IPRT"),  # another has paid
        ("untold", msgspec.structs.replace(PAYER, ispb="99999020"), "IPRT"),  # himself, by an account that was taken over
        ("untold", msgspec.structs.replace(PAYER, account="9"), "IPRT"),
    ],
)
async def test_the_first_layer_is_returned(court: Court, root: str, victim: MedAccount | None, purpose: str) -> None:
    notice = await court.notice(await court.transaction(await court.paid(1000)))
    await court.agreed(notice)
    roots = {"this one": notice.end_to_end_id, "another": some_id(), "untold": None}
    request = court.request(notice, account=victim, root_id=roots[root])
    await court.says(request)
    await court.falls(request)
    (told,) = await orders(court)
    assert told["reason"] == purpose


async def test_a_victims_account_is_paid_as_it_was_told(court: Court) -> None:
    """No branch is made up, and a type that we do not know is for the network to judge."""
    await court.falls(await later(court, account=msgspec.structs.replace(VICTIM, branch=None, account_type="NEWT")))
    (told,) = await orders(court)
    receiver = told["anew"]["receiver"]
    assert (receiver["branch"], receiver["account_type"]) == (None, "NEWT")
    (row_body,) = await court.column("SELECT body FROM outbox WHERE kind = 'return.send'")
    place = msgspec.json.decode(wire.written(port.RETURN_SEND, row_body))["receiver"]
    assert ("branch" in place, place["accountType"]) == (False, "NEWT")


async def test_a_refusal_that_may_pass_is_paid_again_and_another_is_told(court: Court) -> None:
    request = await later(court)
    await court.falls(request)
    first = await pending(court)
    assert await ends(court, "AB03") == "handled"
    assert (await court.is_so(request), await court.blocked()) == (("OPEN", 1000, 0, None), 1000)
    await court.rows("UPDATE med_objects SET due_at = created_at WHERE id = $1", request.reference_id)
    assert await court.falls(request)
    assert await pending(court) != first
    assert await ends(court, "AC07") == "handled"  # the victim's account is closed
    assert await court.is_so(request) == ("ANALYSED", 0, 0, "REJECTED")
    assert (await court.blocked(), (await court.money())[0]) == (0, 1000)


async def test_a_request_called_off_while_it_is_on_its_way(court: Court) -> None:
    request = await later(court)
    await court.falls(request)
    await court.rows("UPDATE outbox SET sends = 1 WHERE kind = 'return.send'")
    assert await court.says(request, status="CANCELLED") == "handled"
    assert await ends(court, "AC07") == "handled"
    assert (await court.is_so(request))[0] == "CANCELLED"
    assert await court.blocked() == 0


@pytest.mark.parametrize(
    ("has", "layer", "ends_as", "given_back"),
    [
        (5000, "later", ("ANALYSED", 0, 2800, "TOTALLY_ACCEPTED"), 2800),
        (1800, "later", ("ANALYSED", 0, 1800, "PARTIALLY_ACCEPTED"), 1800),
        (5000, "first", ("ANALYSED", 0, 1000, "PARTIALLY_ACCEPTED"), 1000),
    ],
)  # fmt: skip
async def test_a_later_layer_gives_back_what_came_beside_its_payment(
    court: Court, has: int, layer: str, ends_as: tuple[str, int, int, str], given_back: int
) -> None:
    """Tag FundsRecovery: "devolução dos recursos bloqueados à conta da vítima"; a pacs.004 is no more than its payment."""
    order = await court.paid(1000)
    await court.cast.credit(court.ana, has - 1000)
    name = await court.transaction(order)
    notice = await court.notice(name, 2800)
    await court.agreed(notice)
    anew = {"root_id": some_id(), "account": VICTIM} if layer == "later" else {}
    request = court.request(notice, monitor=False, **anew)
    await court.says(request)
    await court.falls(request)
    if layer == "first":
        assert await court.returned() == "handled"
    else:
        assert await ends(court, "AB03") == "handled"  # it is made again, and counted once
        await court.rows("UPDATE med_objects SET due_at = created_at WHERE id = $1", request.reference_id)
        await court.falls(request)
        assert await ends(court) == "handled"
    assert await court.is_so(request) == ends_as
    assert (await court.blocked(), (await court.money())[0]) == (0, has - given_back)
    (row,) = await court.rows("SELECT status, refunded_minor FROM orders WHERE id = $1", order)
    assert tuple(row) == ("REFUNDED", 1000), "an order gives back no more than it brought"
    body = (await court.column("SELECT body FROM events WHERE type = 'ORDER-PAYIN.REFUNDED'"))[-1]
    assert msgspec.json.decode(body)["refundAmount"]["value"] == "10.00"


async def test_what_came_beside_a_payment_that_was_refunded_goes_to_the_victim(court: Court) -> None:
    order = await court.paid(1000)
    await court.cast.credit(court.ana, 1500)
    done = await court.back(order, 1000)
    assert await court.ends(done) == "handled"
    notice = await court.notice(await court.transaction(order), 2500)
    await court.agreed(notice)
    request = court.request(notice, monitor=False, root_id=some_id(), account=VICTIM)
    await court.says(request)
    await court.falls(request)
    assert await ends(court) == "handled"
    assert await court.is_so(request) == ("ANALYSED", 0, 1500, "PARTIALLY_ACCEPTED")
    (row,) = await court.rows("SELECT status, refunded_minor FROM orders WHERE id = $1", order)
    assert (tuple(row), (await court.money())[0]) == (("REFUNDED", 1000), 0)


async def test_a_later_layer_is_watched_for_what_came_beside_its_payment(court: Court) -> None:
    """MonitorAccount: what the first IPRT lacked of 30.00 is blocked of later credits, and paid anew as well."""
    order = await court.paid(1000)
    await court.cast.credit(court.ana, 500)
    notice = await court.notice(await court.transaction(order), 3000)
    await court.agreed(notice)
    request = court.request(notice, monitor=True, root_id=some_id(), account=VICTIM)
    await court.says(request)
    await court.falls(request)
    assert await ends(court) == "handled"
    assert await court.is_so(request) == ("ANALYSED", 0, 1500, "PARTIALLY_ACCEPTED")
    await court.falls(request)
    assert await stands(court, request) == (1500, 0, 0)
    await credit(court, 4000)
    assert (await stands(court, request), (await court.money())[0]) == ((0, 1500, 0), 2500)
    assert await court.falls(request)
    assert await ends(court) == "handled"
    assert (await stands(court, request), await court.blocked()) == ((0, 0, 1500), 0)
    (row,) = await court.rows("SELECT status, refunded_minor FROM orders WHERE id = $1", order)
    assert (tuple(row), (await court.money())[0]) == (("REFUNDED", 1000), 2500)
    await lawful(court)


async def automatic(court: Court, *, is_charge: bool) -> MedNews:
    """A refund request of Pix Automático about 10.00 that Ana has received."""
    name = await collected(court) if is_charge else await court.transaction(await court.paid(1000))
    notice = await court.notice(name)
    request = court.request(
        notice, reason="PIX_AUTOMATICO", recovery_id=None, requester="99999020", details="Reembolso: conta 1", situation=None
    )
    assert await court.says(request) == "handled"
    return request


async def collected(court: Court) -> str:
    """The endToEndId of a charge of a subscription that was paid."""
    bank = Bank(Desk.open(court.cast, court.ana))
    made = await bank.charge(await bank.accepted(fixedAmount=brl("10.00")), day(20))
    assert await bank.time(made, at(11))
    name = await bank.schedules(made, at(11, 1))
    assert await bank.time(made, at(20))
    assert await bank.pays(made, name, at(20, 4)) is None
    return name


async def test_what_is_no_charge_is_answered_at_once(court: Court) -> None:
    """INVALID_REQUEST is of OPERATIONAL_FLAW alone (DICT 2.12.1), so that the reason is OTHER, in words."""
    request = await automatic(court, is_charge=False)
    assert await court.blocked() == 0
    assert await court.falls(request)
    assert await court.is_so(request) == ("ANALYSED", 0, 0, "REJECTED")
    (answer,) = await court.sent("med.answer")
    assert (answer["rejection"], bool(answer["details"])) == ("OTHER", True)


async def decided(court: Court, verb: Any) -> Any:
    return await court.cast.runner.act(court.ana.company_id, verb)


WISH = Reimbursement(Money(600, "BRL"), BANK_CNPJ, "0001", "1", "CHECKING_ACCOUNT")


async def test_people_decide_about_a_charge_and_its_payers_institution_is_reimbursed(court: Court) -> None:
    """API Pix 2.9.0, MED_PIX_AUTOMATICO: to the payer's participant, by REFU; never a return to the payer."""
    request = await automatic(court, is_charge=True)
    assert await court.is_so(request) == OPEN
    assert await court.falls(request)
    await court.due(request)
    assert await court.falls(request)
    assert (await court.is_so(request), await orders(court)) == (OPEN, []), "nobody has decided, so nothing is"
    done = await decided(court, Reimburse(request.reference_id, WISH, court.stand, "by Bia: owed"))
    assert isinstance(done, Done), done
    (told,) = await orders(court)
    receiver = told["anew"]["receiver"]
    assert (told["return_id"][0], told["reason"], told["amount"]["minor"]) == ("E", "REFU", 600)
    assert (receiver["ispb"], receiver["document_number"], receiver["account"]) == ("99999020", BANK_CNPJ, "1")
    assert (await court.blocked(), (await court.money())[0]) == (600, 400), "what is blocked beyond it is free"
    assert isinstance(await decided(court, Reimburse(request.reference_id, WISH, court.stand)), Refused), "once"
    assert await ends(court) == "handled"
    assert (await court.is_so(request), await court.blocked()) == (("ANALYSED", 0, 600, "PARTIALLY_ACCEPTED"), 0)
    (answer,) = await court.sent("med.answer")
    assert (answer["return_id"], answer["recovery_id"]) == (told["return_id"], None)


async def test_what_nobody_has_decided_is_counted_until_its_money_is_on_its_way(court: Court, work_dsn: Dsn) -> None:
    """For its alarm: what is no charge is answered at once, and what the network has refused waits again."""
    before, _ = await undecided(work_dsn)
    await court.falls(await automatic(court, is_charge=False))
    assert (await undecided(work_dsn))[0] == before
    request = await automatic(court, is_charge=True)
    await court.falls(request)
    count, left = await undecided(work_dsn)
    assert count == before + 1
    assert left is not None
    assert left <= court.stand.terms.answer.total_seconds(), "of the nearest deadline"
    await decided(court, Reimburse(request.reference_id, WISH, court.stand))
    assert (await undecided(work_dsn))[0] == before
    await ends(court, "AC03")
    assert (await undecided(work_dsn))[0] == before + 1
    await decided(court, Reject(request.reference_id, "OTHER", "Owed", "by Bia"))
    assert (await undecided(work_dsn))[0] == before


async def undecided(work_dsn: Dsn) -> tuple[int, float | None]:
    """How many there are, and the seconds to the nearest deadline."""
    work = Database(work_dsn, size=1)
    async with work.session() as session:
        row = await session.row(gauges.UNREIMBURSED)
    await work.close()
    assert row is not None
    assert (row["count"] == 0) == (row["seconds"] is None)
    return row["count"], row["seconds"]


async def test_a_reimbursement_that_is_refused_is_for_people_again(court: Court) -> None:
    request = await automatic(court, is_charge=True)
    await decided(court, Reimburse(request.reference_id, WISH, court.stand))
    assert await ends(court, "AC03") == "handled"
    assert await court.is_so(request) == ("OPEN", 600, 0, None)
    assert await court.falls(request)
    done = await decided(court, Reject(request.reference_id, "OTHER", "Owed", "by Bia"))
    assert isinstance(done, Done), done
    assert await court.is_so(request) == ("ANALYSED", 0, 0, "REJECTED")
    assert (await court.blocked(), (await court.money())[0]) == (0, 1000)
    (answer,) = await court.sent("med.answer")
    assert (answer["rejection"], answer["details"]) == ("OTHER", "Owed")


@in_one_test("details", ["a\nb", " ", "x" * 2001])
async def test_a_no_has_words_that_the_directory_takes(court: Court, details: str) -> None:
    """It refuses the message otherwise, and the request would be REJECTED here and OPEN there."""
    request = await automatic(court, is_charge=True)
    no = await decided(court, Reject(request.reference_id, "OTHER", details, details))
    assert isinstance(no, Refused)
    assert [(one.field, one.issue) for one in no.problems] == [("details", "INVALID")]
    assert await court.is_so(request) == OPEN


@in_one_test(
    ("change", "field"),
    [
        ({"amount": Money(1001, "BRL")}, "amount"), ({"amount": Money(0, "BRL")}, "amount"),
        ({"document": "12345678909"}, "document"), ({"document": "11222333000181"}, "document"),
        ({"branch": "00001"}, "branch"), ({"account": "1-2"}, "account"), ({"account_type": "WAGE_ACCOUNT"}, "accountType"),
    ],
)  # fmt: skip
async def test_only_the_institution_itself_is_reimbursed(court: Court, change: dict[str, Any], field: str) -> None:
    request = await automatic(court, is_charge=True)
    no = await decided(court, Reimburse(request.reference_id, replace(WISH, **change), court.stand))
    assert isinstance(no, Refused)
    assert [one.field for one in no.problems] == [field]
    assert (await court.is_so(request), await orders(court)) == (OPEN, [])


async def test_nothing_else_is_decided_so(court: Court) -> None:
    request = await later(court)
    for verb in (Reimburse(request.reference_id, WISH, court.stand), Reject(request.reference_id, "OTHER")):
        no = await decided(court, verb)
        assert [(one.field, one.issue) for one in no.problems] == [("referenceId", "NOT_ALLOWED")]
    own = await automatic(court, is_charge=True)
    no = await decided(court, Reject(own.reference_id, "INVALID_REQUEST"))
    assert [(one.field, one.issue) for one in no.problems] == [("rejection", "INVALID")]
    for words in ("", " ", "a\nb", "x" * 2001):
        no = await decided(court, Reject(own.reference_id, "OTHER", words))
        assert [(one.field, one.issue) for one in no.problems] == [("details", "INVALID")]
