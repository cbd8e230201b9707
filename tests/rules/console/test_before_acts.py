"""What the page before an act says and asks: the amount, the other side and the fee; and no choice made beforehand."""

from pathlib import Path

from lastro import console
from lastro.console import actions
from lastro.console.shell import PageRequest
from lastro.console.terms import Terms

PT, EN = Terms("pt"), Terms("en")
CONSOLE = Path(console.__file__).parent


def test_no_choice_is_made_before_somebody_chooses() -> None:
    """A page that presumes an answer is answered by a press of a button."""
    for action in actions.ACTIONS:
        needed = [blank.name for blank in action.blanks if blank.is_required]
        assert actions.missing(action, PageRequest("/", {}, {})) == needed, action.name
        blank = PageRequest("/", {}, {}, dict.fromkeys(needed, " "), files=dict.fromkeys(needed, b""))
        assert actions.missing(action, blank) == needed, "a blank is no answer"
    template = (CONSOLE / "templates" / "confirm.html").read_text()
    assert " checked{% endif %}" in template
    assert template.count(" checked") == template.count("{% if word == given %} checked"), "none but what was sent before"


def test_acts_that_move_money_say_to_whom_how_much_and_at_what_cost() -> None:
    """The name of the other side, the amount and the fee stand in the sentence before the button.

    A plan has many receivers. A bank tells nobody who paid a foreign Pix, and the order that is typed says whose it becomes.
    """
    money = {"currency": "BRL", "value": "1234.56"}
    fabio = {"name": "Fabio\u202eediF", "document": {"type": "CPF", "number": "24681357928"}}
    answer = {
        "id": "0196a4f2-90b1-7c33-8f4e-21d0c5a7be64", "status": "ANALYSIS", "amount": "1234.56", "currency": "BRL", "fee": "0.50", "receiver": fabio,
        "payer": fabio, "paidAmount": money, "blockedAmount": "1234.56", "holder": "Ana", "fullName": "Ana", "lines": 3,
        "available": money, "held": money,
        "totals": {"amount": money, "fees": {"currency": "BRL", "value": "0.50"}, "receivers": 2,
                   "largest": {"line": 2, "amount": money}},
    }  # fmt: skip
    for action in (one for one in actions.ACTIONS if one.moves_money):
        for say in (PT, EN):
            said = actions.consequence(action, answer, say)
            assert "1.234,56" in said or "1,234.56" in said, action.name
            assert "Fabio" in said or "Ana" in said or action.of in ("plans", "foreign"), action.name
        if action.of in ("payouts", "plans"):
            assert "0,50" in actions.consequence(action, answer, PT)


def test_a_document_is_asked_for_while_there_is_room_and_something_to_decide() -> None:
    notice = {"awaitingOurAnalysis": True, "objectType": "INFRINGEMENT_NOTIFICATION"}
    attach = actions.BY_NAME["disputes.attach"]
    for answer, is_offered in (
        (notice, True), (notice | {"defenseDocuments": [{}] * 9}, True), (notice | {"defenseDocuments": [{}] * 10}, False),
        (notice | {"awaitingOurAnalysis": False}, False), (notice | {"objectType": "REFUND_REQUEST"}, False),
    ):  # fmt: skip
        assert attach.when(answer) is is_offered, answer
