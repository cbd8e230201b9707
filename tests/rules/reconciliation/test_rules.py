"""Each way in which a line and the books can differ, what ends it, and what people are told to do."""

from uuid import UUID

from tests.in_one import in_one_test

from lastro.core.money import Money
from lastro.rails.port import CHARGEBACK, FEE, IN, OUT, RETURN_IN, RETURN_OUT
from lastro.rails.port.statements import KINDS
from lastro.reconciliation import DIFFERENCES, ITEMS, STATEMENTS, proposal, whom_to_call
from lastro.reconciliation.model import (
    AMOUNT,
    CONTRADICTED,
    COST,
    DONE,
    ENDED,
    MATCHED,
    MISSING,
    REFERENCE,
    TWICE,
    UNHEARD,
    UNKNOWN,
    UNTOLD,
    WAITS,
    Item,
    Ours,
    Theirs,
)
from lastro.reconciliation.rules import closing, judge

ID = UUID(int=7)


def theirs(kind: str = IN, cents: int = 1000, reference: str | None = "R") -> Theirs:
    return Theirs((kind, "E1"), "L1", Money(cents, "BRL"), reference)


def ours(stage: str = DONE, cents: int = 1000, reference: str | None = "R") -> Ours:
    return Ours(ID, stage, stage, cents, reference)


JUDGED = [
    (theirs(), ours(), {}, MATCHED),
    (theirs(reference=None), ours(), {}, MATCHED),
    (theirs(), ours(reference=None), {}, MATCHED),
    (theirs(FEE), None, {}, COST),
    (theirs(FEE), None, {"twice": True}, COST),
    (theirs(), ours(), {"twice": True}, TWICE),
    (theirs(), None, {}, UNHEARD),
    (theirs(RETURN_IN), None, {}, UNHEARD),
    (theirs(), None, {"readable": False}, UNKNOWN),
    (theirs(OUT), None, {}, UNKNOWN),
    (theirs(RETURN_OUT), None, {}, UNKNOWN),
    (theirs(CHARGEBACK), None, {}, UNHEARD),
    (theirs(CHARGEBACK), None, {"readable": False}, UNKNOWN),
    (theirs(cents=1001), ours(), {}, AMOUNT),
    (theirs(cents=1001), ours(WAITS), {}, AMOUNT),
    (theirs(reference="S"), ours(), {}, REFERENCE),
    *((theirs(kind), ours(WAITS), {}, UNTOLD) for kind in (IN, OUT, RETURN_IN, RETURN_OUT)),
    (theirs(), ours(WAITS), {"readable": False}, CONTRADICTED),
    (theirs(), ours(ENDED), {}, UNTOLD),
    (theirs(OUT), ours(ENDED), {}, CONTRADICTED),
    (theirs(RETURN_OUT), ours(ENDED), {}, CONTRADICTED),
]  # fmt: skip


@in_one_test(("line", "book", "more", "verdict"), JUDGED)
def test_a_line_is_judged(line: Theirs, book: Ours | None, more: dict[str, bool], verdict: str) -> None:
    assert judge(line, book, **more) == verdict


def test_every_verdict_is_reached() -> None:
    """But MISSING, which is of no line."""
    assert {verdict for *_, verdict in JUDGED} == {*DIFFERENCES, MATCHED, COST} - {MISSING}


# difference, the lines that count now, what of ours it is, and what becomes of the item.
CLOSED = [
    (UNHEARD, [theirs()], ours(), "book"),
    (UNTOLD, [theirs(OUT)], ours(), "book"),
    (UNHEARD, [theirs()], None, None),
    (UNHEARD, [theirs()], ours(WAITS), None),
    (UNTOLD, [theirs(OUT)], ours(ENDED), None),
    (UNHEARD, [], None, "explain"),
    (UNHEARD, [theirs(cents=7)], ours(), None),
    (UNTOLD, [theirs(reference="S")], ours(), None),
    (UNKNOWN, [theirs()], None, None),
    (UNKNOWN, [theirs(OUT)], None, None),
    (UNKNOWN, [theirs(OUT)], ours(), "explain"),
    (MISSING, [], ours(), None),
    (MISSING, [], ours(ENDED), "explain"),
    (MISSING, [], None, "explain"),
    (MISSING, [theirs()], ours(), "explain"),
    (MISSING, [theirs(cents=7)], ours(), "explain"),
    (TWICE, [theirs(), theirs()], ours(), None),
    (TWICE, [theirs()], ours(), "explain"),
    (TWICE, [], ours(), "explain"),
    (AMOUNT, [theirs(cents=7)], ours(), None),
    (AMOUNT, [theirs()], ours(), "explain"),
    (AMOUNT, [theirs(reference="S")], ours(), "explain"),
    (REFERENCE, [theirs(reference="S")], ours(), None),
    (REFERENCE, [theirs()], ours(), "explain"),
    (CONTRADICTED, [theirs(OUT)], ours(ENDED), None),
    (CONTRADICTED, [theirs(OUT)], ours(), "explain"),
]  # fmt: skip


@in_one_test(("difference", "lines", "book", "trigger"), CLOSED)
def test_a_difference_ends(difference: str, lines: list[Theirs], book: Ours | None, trigger: str | None) -> None:
    line_id = None if difference == MISSING else "L1"
    assert closing(Item(ID, (IN, "E1"), difference, "OPEN", 1, line_id), lines, book) == trigger


def test_whatever_differs_has_an_act_in_both_languages_and_somebody_to_call() -> None:
    for rail in ("pix", "ted", "boleto", "another"):
        assert all(whom_to_call(rail))
        for kind in KINDS:
            for difference in DIFFERENCES:
                assert all(proposal(rail, kind, difference))
    assert "lastro foreign list" in proposal("efi1", IN, UNHEARD).en
    assert "lastro foreign list" not in proposal("pix", IN, UNHEARD).en
    assert "own bank" in whom_to_call("efi1").en
    assert "payout prove" in proposal("ted", OUT, CONTRADICTED).en
    assert "payout prove" in proposal("pix", OUT, CONTRADICTED).en
    assert "stranded pay-out" in proposal("pix", RETURN_OUT, CONTRADICTED).en
    assert "payout prove" not in proposal("spei", RETURN_OUT, CONTRADICTED).en


def test_the_tables_of_states() -> None:
    assert STATEMENTS.moves == {("", "begin"): "TAKING", ("TAKING", "finish"): "TAKEN", ("TAKEN", "again"): "TAKING"}
    assert ITEMS.moves == {
        ("", "differ"): "OPEN", ("OPEN", "explain"): "EXPLAINED", ("OPEN", "book"): "BOOKED", ("OPEN", "accept"): "ACCEPTED",
    }  # fmt: skip
