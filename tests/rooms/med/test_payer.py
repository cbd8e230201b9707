"""An account's payout is contested: once, opened at the directory before it is written here, followed by the directory's word."""

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest
from tests.cast import Cast, Seller
from tests.rooms.med.court import CHOSEN, Court
from tests.rooms.payouts.office import HERE, Office

from lastro.api_kit.routes import stamp
from lastro.core.errors import Kind, Refused
from lastro.core.money import Money
from lastro.core.runner import Done, Reply
from lastro.med import Stand
from lastro.med.actions.contest import CancelContest, Contest
from lastro.med.actions.directory_messages import Noted
from lastro.med.actions.read import ReadDispute
from lastro.med.model import ContestWish
from lastro.rails import port
from lastro.rails.port import ALARMED, Claimed, MedContest, MedNews, Permanent, Transient

FIFTY = 50


@dataclass
class Directory:
    """What opens recoveries, one of a transaction. no: how it refuses. loses: answers, once. asked: by which ids."""

    no: Exception | None = None
    loses: bool = False
    asked: list[UUID] = field(default_factory=list)
    opened: dict[UUID, MedNews] = field(default_factory=dict)

    async def contest(self, wish: MedContest) -> MedNews:
        self.asked.append(wish.request_id)
        if self.no is not None:
            raise self.no
        if any(c.root_id == wish.end_to_end_id for name, c in self.opened.items() if name != wish.request_id):
            raise Permanent("FundsRecoveryForTransactionAlreadyExists", "has one")
        made = self.opened.setdefault(wish.request_id, news("RECOVERY_VALUE", "CREATED", wish.end_to_end_id))
        return self._answered(made)

    async def cancel(self, recovery_id: UUID) -> MedNews:
        (case,) = [c for c in self.opened.values() if c.reference_id == recovery_id]
        return self._answered(msgspec.structs.replace(case, status="CANCELLED"))

    def _answered(self, case: MedNews) -> MedNews:
        if self.loses:
            self.loses = False
            raise Transient("silence")
        return case


def news(object_type: Any, status: str, root: str, **more: Any) -> MedNews:
    values: dict[str, Any] = {
        "reference_id": uuid4(), "role": "PAYER", "end_to_end_id": root, "root_id": root, "at": datetime.now(UTC),
        "situation": "SCAM", **more,
    }  # fmt: skip
    return MedNews(object_type=object_type, status=status, **values)


@pytest.fixture
async def office(cast: Cast, ana: Seller) -> Office:
    return await Office.open(cast, ana)


async def paid(office: Office) -> str:
    payout = await office.make(1000)
    await office.settle(payout)
    return str(payout["endToEndId"])


async def contest(office: Office, name: str, directory: Directory, key: str | None = None) -> Reply | Refused:
    verb = Contest(ContestWish(office.ana.account_id, name, "SCAM", None, key), Stand(HERE, CHOSEN), directory)
    return await office.cast.run(
        office.ana.client, verb, operation="contest_med", key=key, status=201, permission="med:write"
    )


async def opened(office: Office, name: str, directory: Directory) -> MedNews:
    reply = await contest(office, name, directory)
    assert isinstance(reply, Reply), reply
    return directory.opened[directory.asked[-1]]


async def says(office: Office, word: MedNews) -> str:
    row_id = await office.store(port.MED_NEWS, word, word.root_id or word.end_to_end_id)
    (lease,) = await office.column(
        "UPDATE inbox SET lease_token = $2 WHERE id = $1 RETURNING lease_token", row_id, office.cast.id()
    )
    done = await office.cast.runner.act(office.ana.company_id, Noted(word, Claimed(row_id, lease)))
    assert isinstance(done, Done), done
    (outcome,) = await office.column("SELECT outcome FROM inbox WHERE id = $1", row_id)
    return str(outcome)


async def is_so(office: Office, word: MedNews) -> tuple[str, int]:
    ((status, returned),) = await office.rows(
        "SELECT status, returned_minor FROM med_objects WHERE id = $1", word.reference_id
    )
    return status, returned


async def test_a_case_to_its_end(office: Office) -> None:
    name, directory = await paid(office), Directory()
    case = await opened(office, name, directory)
    for status in ("TRACED", "WAITING_ANALYSIS"):
        assert await says(office, msgspec.structs.replace(case, status=status)) == "handled"
    notice = news("INFRINGEMENT_NOTIFICATION", "OPEN", name, recovery_id=case.reference_id, amount=Money(1000, "BRL"))
    for status in ("OPEN", "RECEIVED", "ANALYSED"):
        assert await says(office, msgspec.structs.replace(notice, status=status, result="AGREED")) == "handled"
    assert await says(office, msgspec.structs.replace(case, status="ANALYSED", result="AGREED")) == "handled"
    assert await office.column("SELECT reference_id FROM outbox WHERE kind = 'med.order'") == [case.reference_id]
    assert await says(office, msgspec.structs.replace(case, status="WAITING_REFUND")) == "handled"
    request = news("REFUND_REQUEST", "OPEN", name, recovery_id=case.reference_id, amount=Money(1000, "BRL"), reason="FRAUD")
    assert await says(office, request) == "handled"
    ended = msgspec.structs.replace(request, status="ANALYSED", result="PARTIALLY_ACCEPTED", returned=Money(700, "BRL"))
    assert [await says(office, ended), await says(office, ended)] == ["handled", "known"]
    assert await is_so(office, case) == ("WAITING_REFUND", 700)
    assert await says(office, msgspec.structs.replace(case, status="COMPLETED")) == "handled"
    for late in ("CREATED", "TRACED", "ANALYSED"):
        assert await says(office, msgspec.structs.replace(case, status=late)) == "known"
    assert (await is_so(office, case), await is_so(office, request)) == (("COMPLETED", 700), ("ANALYSED", 700))


async def test_a_transaction_is_contested_once(office: Office) -> None:
    name, directory = await paid(office), Directory()
    case = await opened(office, name, directory)
    again = await contest(office, name, directory)
    assert isinstance(again, Refused)
    assert [(p.field, p.issue) for p in again.problems] == [("endToEndId", "DUPLICATE")]
    assert len(directory.asked) == 1
    other = await contest(office, name, directory, "another key")
    assert isinstance(other, Refused)
    assert [(p.field, p.issue) for p in other.problems] == [("endToEndId", "DUPLICATE")]
    assert await says(office, case) == "known"


@pytest.mark.parametrize(
    ("no", "kind"), [(Transient("silence"), "UNAVAILABLE"), (Permanent("NotEligible", "no"), "CONFLICT")]
)
async def test_a_directory_that_does_not_open_it(office: Office, no: Exception, kind: str) -> None:
    """Nothing is written, and the same is asked for by the same id."""
    name, directory = await paid(office), Directory(no)
    refused = await contest(office, name, directory)
    assert isinstance(refused, Refused)
    assert (refused.kind.name, await office.column("SELECT id FROM med_objects")) == (kind, [])
    directory.no = None
    await opened(office, name, directory)
    assert len(set(directory.asked)) == 1


async def test_what_was_opened_and_never_written_is_made_by_the_directorys_word(office: Office) -> None:
    name = await paid(office)
    case = news("RECOVERY_VALUE", "TRACED", name)
    assert await says(office, case) == "handled"
    told = [
        msgspec.json.decode(b)["status"]
        for b in await office.column("SELECT body FROM events WHERE reference_id = $1 ORDER BY id", case.reference_id)
    ]
    assert (await is_so(office, case), told) == (("TRACED", 0), ["CREATED", "TRACED"])
    assert await says(office, news("RECOVERY_VALUE", "CREATED", "E99999010202601311200aaaaaaaaaaa")) == ALARMED


@pytest.mark.parametrize(
    ("status", "result", "told", "outbox"),
    [
        ("WAITING_ANALYSIS", None, "WAITING_ANALYSIS", 0),
        ("WAITING_ANALYSIS", None, "TRACED WAITING_ANALYSIS", 0),
        ("ANALYSED", "AGREED", "WAITING_ANALYSIS ANALYSED", 1),
        ("WAITING_REFUND", "AGREED", "TRACED WAITING_ANALYSIS ANALYSED WAITING_REFUND", 0),
        ("COMPLETED", "AGREED", "WAITING_ANALYSIS ANALYSED WAITING_REFUND COMPLETED", 0),
        ("COMPLETED", "DISAGREED", "TRACED WAITING_ANALYSIS COMPLETED", 0),
        ("CANCELLED", None, "CANCELLED", 0),
    ],
)
async def test_words_that_were_missed_are_made_up_for(
    office: Office, status: str, result: str | None, told: str, outbox: int
) -> None:
    """Each status that it surely had has its row of history and its notification; TRACED only where there is a path.

    Refunds are ordered where they still are to be.
    """
    case = await opened(office, await paid(office), Directory())
    hop = port.MedHop(case.end_to_end_id, 1, Money(1000, "BRL"), "99999010", "99999030")
    word = msgspec.structs.replace(case, status=status, result=result, path=(hop,) if "TRACED" in told else ())
    assert [await says(office, word), await says(office, word)] == ["handled", "known"]
    name = case.reference_id
    history = "SELECT to_state FROM history WHERE reference_id = $1 AND from_state <> '' ORDER BY version"
    assert await office.column(history, name) == told.split()
    events = await office.column("SELECT body FROM events WHERE reference_id = $1 ORDER BY id", name)
    assert [msgspec.json.decode(body)["status"] for body in events] == ["CREATED", *told.split()]
    assert [msgspec.json.decode(body).get("previousStatus") for body in events] == [None, "CREATED", *told.split()[:-1]]
    assert len(await office.column("SELECT id FROM outbox WHERE kind = 'med.order'")) == outbox
    assert await says(office, case) == "known"
    await lawful(office)


async def test_money_that_came_back_before_its_refund_was_told_of(office: Office) -> None:
    """The first word on a request is its answer, and nothing told that refunds are ordered: the money is the case's."""
    name, directory = await paid(office), Directory()
    case = await opened(office, name, directory)
    back = news(
        "REFUND_REQUEST", "ANALYSED", name, recovery_id=case.reference_id, amount=Money(1000, "BRL"), reason="FRAUD",
        result="PARTIALLY_ACCEPTED", returned=Money(600, "BRL"),
    )  # fmt: skip
    assert [await says(office, back), await says(office, back)] == ["handled", "known"]
    assert (await is_so(office, back), await is_so(office, case)) == (("ANALYSED", 600), ("WAITING_REFUND", 600))
    no = news("REFUND_REQUEST", "ANALYSED", name, recovery_id=case.reference_id, amount=Money(400, "BRL"), result="REJECTED")
    assert await says(office, no) == "handled"
    for late in ("TRACED", "ANALYSED", "WAITING_REFUND"):
        assert await says(office, msgspec.structs.replace(case, status=late)) == "known"
    assert await says(office, msgspec.structs.replace(case, status="COMPLETED", result="AGREED")) == "handled"
    assert await is_so(office, case) == ("COMPLETED", 600)
    await lawful(office)


async def test_what_does_not_follow_is_for_people(office: Office) -> None:
    case = await opened(office, await paid(office), Directory())
    assert await says(office, msgspec.structs.replace(case, status="WAITING_REFUND")) == "handled"
    assert await says(office, msgspec.structs.replace(case, status="CANCELLED")) == "handled"
    assert await says(office, msgspec.structs.replace(case, status="COMPLETED")) == ALARMED
    assert await is_so(office, case) == ("CANCELLED", 0)


async def test_money_of_a_recovery_that_was_given_up_meanwhile_is_its_own(office: Office) -> None:
    """A refund that is closed is not canceled with it (DICT 2.12.1, cancelFundsRecovery)."""
    name = await paid(office)
    case = await opened(office, name, Directory())
    for status in ("WAITING_REFUND", "CANCELLED"):
        assert await says(office, msgspec.structs.replace(case, status=status)) == "handled"
    back = news(
        "REFUND_REQUEST", "ANALYSED", name, recovery_id=case.reference_id, amount=Money(1000, "BRL"), reason="FRAUD",
        result="TOTALLY_ACCEPTED", returned=Money(1000, "BRL"),
    )  # fmt: skip
    assert await says(office, back) == "handled"
    assert await is_so(office, case) == ("CANCELLED", 1000)


async def test_no_recovery_is_opened_without_the_institutions_contact(office: Office) -> None:
    """DICT 2.12.1, FundsRecovery: ContactInformation is required, and it is the participant's."""
    name, directory = await paid(office), Directory()
    verb = Contest(ContestWish(office.ana.account_id, name, "SCAM", None), Stand(HERE), directory)
    refused = await office.cast.run(office.ana.client, verb, operation="contest_med", status=201, permission="med:write")
    assert isinstance(refused, Refused)
    assert [(p.field, p.issue) for p in refused.problems] == [("accountId", "NOT_SUPPORTED")]
    assert (directory.asked, await office.column("SELECT id FROM med_objects")) == ([], [])


@pytest.mark.parametrize("is_told", [False, True])
async def test_an_answer_that_was_lost_is_given_to_its_own_key(office: Office, is_told: bool) -> None:
    """Whether or not the directory's word was here first; and to no other key."""
    name, directory = await paid(office), Directory(loses=True)
    lost = await contest(office, name, directory, "mine")
    assert (isinstance(lost, Refused) and lost.kind.name, len(directory.opened)) == ("UNAVAILABLE", 1)
    (case,) = directory.opened.values()
    if is_told:
        assert await says(office, msgspec.structs.replace(case, status="TRACED")) == "handled"
    for key in ("other", None) if is_told else ("other",):
        assert isinstance(await contest(office, name, directory, key), Refused)
    answers = [await contest(office, name, directory, "mine") for _ in range(2)]
    assert [isinstance(a, Reply) and a.status for a in answers] == [201, 201]
    shown, again = (msgspec.json.decode(a.body) for a in answers if isinstance(a, Reply))
    assert (shown["referenceId"], shown["status"]) == (str(case.reference_id), "TRACED" if is_told else "CREATED")
    assert (again, isinstance(answers[1], Reply) and answers[1].replayed) == (shown, True)
    assert len(directory.opened) == 1
    await lawful(office)


@pytest.mark.parametrize("keys", [["one"], [None], [f"k{n}" for n in range(FIFTY)]])
async def test_fifty_contests_at_once_open_one_recovery(office: Office, keys: list[str | None]) -> None:
    name, directory = await paid(office), Directory()
    asked = [contest(office, name, directory, keys[n % len(keys)]) for n in range(FIFTY)]
    answers = await asyncio.gather(*asked, return_exceptions=True)
    said = [a for a in answers if isinstance(a, Reply)]
    assert (len(directory.opened), await office.column("SELECT count(*) FROM med_objects")) == (1, [1])
    assert {msgspec.json.decode(a.body)["referenceId"] for a in said} == {
        str(c.reference_id) for c in directory.opened.values()
    }
    assert len({a.body for a in said}) == 1
    assert all(a.kind in (Kind.CONFLICT, Kind.UNAVAILABLE) for a in answers if isinstance(a, Refused))
    assert len([a for a in said if not a.replayed]) == 1


async def test_a_cancel_whose_answer_was_lost(office: Office) -> None:
    """The directory's word was here first: the case is shown as it is. Who had his answer is told a conflict, as elsewhere."""
    name, directory = await paid(office), Directory()
    case = await opened(office, name, directory)
    directory.loses = True
    lost = await cancel(office, case, directory)
    assert isinstance(lost, Refused)
    assert lost.kind.name == "UNAVAILABLE"
    assert await says(office, msgspec.structs.replace(case, status="CANCELLED")) == "handled"
    answers = [await cancel(office, case, directory, "key") for _ in range(2)]
    assert [isinstance(a, Reply) and a.replayed for a in answers] == [False, True]
    assert {msgspec.json.decode(a.body)["status"] for a in answers if isinstance(a, Reply)} == {"CANCELLED"}
    assert await office.column("SELECT count(*) FROM history WHERE to_state = 'CANCELLED'") == [1]


async def test_the_first_answer_of_a_cancel_has_the_whole_history(office: Office) -> None:
    """As whoever reads the case a moment later is shown it."""
    directory = Directory()
    case = await opened(office, await paid(office), directory)
    await says(office, msgspec.structs.replace(case, status="TRACED"))
    answer = await cancel(office, case, directory)
    read = await office.cast.runner.act(office.ana.company_id, ReadDispute(case.reference_id))
    assert isinstance(answer, Reply)
    assert isinstance(read, Done)
    first, later = msgspec.json.decode(answer.body), msgspec.json.decode(read.body)
    assert [one["status"] for one in first["history"]] == ["CREATED", "TRACED", "CANCELLED"]
    assert (first["history"], first["related"]) == (later["history"], later["related"])


async def test_a_case_as_it_is_shown(office: Office) -> None:
    """With the words of its last notification, and since when it is so at the directory."""
    case = await opened(office, await paid(office), Directory())
    at = datetime.now(UTC) - timedelta(hours=1)
    assert await shown(office, case) == ("CREATED", stamp(case.at), None)
    await says(office, msgspec.structs.replace(case, status="TRACED", at=at))
    assert await shown(office, case) == ("STATUS_CHANGED", stamp(at), "CREATED")


async def shown(office: Office, case: MedNews) -> tuple[str, str, str | None]:
    done = await office.cast.runner.act(office.ana.company_id, ReadDispute(case.reference_id))
    assert isinstance(done, Done)
    body = msgspec.json.decode(done.body)
    return body["eventType"], body["occurredAt"], body.get("previousStatus")


async def cancel(office: Office, case: MedNews, directory: Directory, key: str | None = None) -> Reply | Refused:
    verb = CancelContest(case.reference_id, directory)
    return await office.cast.run(office.ana.client, verb, operation="cancel_med", key=key, permission="med:write")


async def lawful(office: Office) -> None:
    """History, events and states agree, as the laws of the schema say."""
    for law in (
        "law_each_fact_is_told_once",
        "law_an_event_tells_what_happened",
        "law_state_is_the_last_of_history",
        "law_history_is_dense",
        "law_every_move_allowed",
    ):
        assert await office.rows(f"SELECT * FROM {law}") == [], law


async def test_a_case_is_given_up(office: Office) -> None:
    name, directory = await paid(office), Directory()
    case = await opened(office, name, directory)
    assert isinstance(await cancel(office, case, directory), Reply)
    refused = await cancel(office, case, directory)
    assert isinstance(refused, Refused)
    assert [(p.field, p.issue) for p in refused.problems] == [("status", "CONFLICT")]
    assert await says(office, msgspec.structs.replace(case, status="CANCELLED")) == "known"
    assert await is_so(office, case) == ("CANCELLED", 0)
    assert isinstance(await contest(office, name, directory), Refused)


async def given(office: Office, reason: str | None) -> str:
    """A return that Ana's account has sent: of its own accord, or as an answer to a request of that reason."""
    court = Court(office.cast, office.ana)
    order = await court.paid(1000)
    if reason is None:
        assert (await court.back(order, 1000))["status"] == "PENDING"
    else:
        notice = await court.notice(await court.transaction(order), recovery_id=None)
        request = court.request(notice, reason=reason)
        await court.says(request)
        assert await court.falls(request)
    (name,) = await office.column("SELECT return_id FROM refunds")
    assert await court.ends({"returnId": name}, None) == "handled"
    return str(name)


@pytest.mark.parametrize(("column", "is_late"), [("created_at", False), ("updated_at", True)])
async def test_a_return_is_contested_in_time_from_its_settlement(office: Office, column: str, is_late: bool) -> None:
    name, sql = await given(office, None), f"UPDATE refunds SET {column} = {column} - $1 * interval '81 days'"
    await office.rows(sql, 1)
    assert isinstance(await contest(office, name, Directory()), Refused) is is_late
    await office.rows(sql, -1)


@pytest.mark.parametrize(("reason", "issue"), [(None, None), ("FRAUD", None), ("OPERATIONAL_FLAW", "NOT_ALLOWED")])
async def test_what_was_given_back_is_contested(office: Office, reason: str | None, issue: str | None) -> None:
    """DICT 2.12.1: a return can be contested, unless it closed a refund of OPERATIONAL_FLAW."""
    answer = await contest(office, name := await given(office, reason), directory := Directory())
    if issue is not None:
        assert isinstance(answer, Refused)
        assert [(p.field, p.issue) for p in answer.problems] == [("endToEndId", issue)]
        assert directory.asked == []
        return
    assert isinstance(answer, Reply), answer
    assert msgspec.json.decode(answer.body)["amount"] == "10.00"
    notice = news("INFRINGEMENT_NOTIFICATION", "OPEN", name, amount=Money(1000, "BRL"))
    assert await says(office, notice) == "handled"
