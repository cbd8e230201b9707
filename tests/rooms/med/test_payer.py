"""An account's payout is contested: once, opened at the directory before it is written here, followed by the directory's word."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest
from tests.cast import Cast, Seller
from tests.rooms.payouts.office import HERE, Office

from lastro.base.errors import Refused
from lastro.base.money import Money
from lastro.base.run import Done, Reply
from lastro.med import Stand
from lastro.med.actions.contest import Cancel, Contest, Wish
from lastro.med.actions.news import Noted
from lastro.rails import port
from lastro.rails.port import ALARMED, Claimed, MedContest, MedNews, Permanent, Transient


@dataclass
class Directory:
    """What opens recoveries. no: how it refuses. asked: by which ids."""

    no: Exception | None = None
    asked: list[UUID] = field(default_factory=list)
    opened: dict[UUID, MedNews] = field(default_factory=dict)

    async def contest(self, wish: MedContest) -> MedNews:
        self.asked.append(wish.request_id)
        if self.no is not None:
            raise self.no
        return self.opened.setdefault(wish.request_id, news("RECOVERY_VALUE", "CREATED", wish.end_to_end_id))

    async def cancel(self, recovery_id: UUID) -> MedNews:
        return msgspec.structs.replace(next(iter(self.opened.values())), status="CANCELLED")


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
    verb = Contest(Wish(office.ana.account_id, name, "SCAM", None), Stand(HERE), directory)
    return await office.cast.run(
        office.ana.client, verb, operation="contest_med", key=key, status=201, permission="med:write"
    )


async def opened(office: Office, name: str, directory: Directory) -> MedNews:
    reply = await contest(office, name, directory)
    assert isinstance(reply, Reply), reply
    return directory.opened[directory.asked[-1]]


async def says(office: Office, word: MedNews) -> str:
    row_id = await office.store(port.MED_NEWS, word, word.root_id)
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


async def test_a_case_is_given_up(office: Office) -> None:
    name, directory = await paid(office), Directory()
    case = await opened(office, name, directory)
    verb = Cancel(case.reference_id, directory)
    client = office.ana.client
    assert isinstance(await office.cast.run(client, verb, operation="cancel_med", permission="med:write"), Reply)
    refused = await office.cast.run(client, verb, operation="cancel_med", permission="med:write")
    assert isinstance(refused, Refused)
    assert [(p.field, p.issue) for p in refused.problems] == [("status", "CONFLICT")]
    assert await says(office, msgspec.structs.replace(case, status="CANCELLED")) == "known"
    assert await is_so(office, case) == ("CANCELLED", 0)
    assert isinstance(await contest(office, name, directory), Refused)
