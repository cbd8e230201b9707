"""The holder of an account gives its defense to a notice, until its time is over or the institution has decided."""

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest

from lastro.api_kit import forms
from lastro.core.errors import Refused
from lastro.core.runner import Done, Reply, RequestContext
from lastro.med.actions.defend import Defend
from lastro.med.actions.read import ReadDispute
from lastro.med.forms import DefenseForm

from .court import Court

TEXT = "Delivered on January 30, signed by the buyer"


async def defends(court: Court, object_id: UUID | None, text: str = TEXT) -> Done | Refused:
    found: Any = await court.cast.runner.act(court.ana.company_id, Defend(object_id, text))
    assert isinstance(found, Done | Refused)
    return found


async def noticed(court: Court, status: str = "RECEIVED") -> UUID:
    notice = await court.notice(await court.transaction(await court.paid(1000)))
    await court.says(notice)
    if status != "OPEN":
        await court.says(notice, status="RECEIVED")
    return notice.reference_id


@pytest.mark.parametrize("status", ["OPEN", "RECEIVED"])
async def test_a_defense_is_kept_and_shown(court: Court, status: str) -> None:
    """With its notification it was told until when; the status and what is blocked stay as they are."""
    name = await noticed(court, status)
    (told, *_) = await court.news(name)
    shown = await defends(court, name)
    assert isinstance(shown, Done)
    case = msgspec.json.decode(shown.body)
    assert (case["defense"], case["status"], case["defenseDueAt"]) == (TEXT, status, told["defenseDueAt"])
    again = await defends(court, name)
    assert isinstance(again, Done)
    assert (again.body, again.write is not None and again.write.is_empty) == (shown.body, True)
    await defends(court, name, "Better words")
    read = await court.cast.runner.act(court.ana.company_id, ReadDispute(name))
    assert isinstance(read, Done)
    assert msgspec.json.decode(read.body)["defense"] == "Better words"
    assert await court.blocked() == 1000
    history = "SELECT trigger FROM history WHERE reference_id = $1 AND trigger = 'notice defend'"
    assert len(await court.column(history, name)) == 2


async def test_a_defense_under_a_key_is_answered_alike(court: Court) -> None:
    """What it answered is kept; the law of answers looks for the notice that was defended."""
    name = await noticed(court)
    answers = [
        await court.cast.run(court.ana.client, Defend(name, TEXT), operation="defend_med", key="one", permission="med:write")
        for _ in range(2)
    ]
    assert [type(answer) for answer in answers] == [Reply, Reply]
    assert len({answer.body for answer in answers if isinstance(answer, Reply)}) == 1
    kept = "SELECT object_id FROM answers WHERE operation = 'defend_med' AND company_id = tenant()"
    assert await court.column(kept) == [name]


@pytest.mark.parametrize(("seconds", "is_taken"), [(-1, True), (0, True), (1, False)])
async def test_a_defense_has_three_days(court: Court, seconds: int, is_taken: bool) -> None:
    """domain.md 6.6: three days. A second before they are over, and a second after."""
    name = await noticed(court)
    ((created, due),) = await court.rows("SELECT created_at, defense_due_at FROM med_objects WHERE id = $1", name)
    assert due == created + timedelta(days=3)
    context, verb = (
        RequestContext(court.ana.company_id, due + timedelta(seconds=seconds), court.cast.chance),
        Defend(name, TEXT),
    )
    async with court.cast.database.session(context.company_id) as session:
        found = verb.decide(await verb.read(session, context), context)
    assert isinstance(found, Done) is is_taken
    if isinstance(found, Refused):
        assert [(p.field, p.issue) for p in found.problems] == [("status", "EXPIRED")]


@pytest.mark.parametrize("what", ["decided", "a request", "nothing", "no id"])
async def test_what_takes_no_defense(court: Court, what: str) -> None:
    notice = await court.notice(await court.transaction(await court.paid(1000)))
    await court.agreed(notice)
    request = court.request(notice)
    await court.says(request)
    name = {"decided": notice.reference_id, "a request": request.reference_id, "nothing": uuid4(), "no id": None}[what]
    refused = await defends(court, name)
    assert isinstance(refused, Refused)
    assert [p.field for p in refused.problems] == {"decided": ["status"], "a request": ["referenceId"]}.get(what, [])
    assert await court.column("SELECT count(*) FROM med_objects WHERE defense IS NOT NULL") == [0]


@pytest.mark.parametrize(
    ("text", "is_taken"),
    [
        ("Pedido 4711\nEntregue em 30/01", True), ("Pedido\t4711\r\n\r\nEntregue\n", True), ("日本 🙂", True), ("x" * 2000, True),
        ("\n\t ", False), ("a\x00b", False), ("a\x0bb", False), ("a\n\u202eb", False), ("x" * 2001, False), ("", False),
    ],
)  # fmt: skip
def test_a_defense_has_lines_and_no_control_characters(text: str, is_taken: bool) -> None:
    _, problems = forms.read(msgspec.json.encode({"text": text}), DefenseForm)
    assert (not problems) is is_taken
