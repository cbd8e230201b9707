"""The sentences of acts: what others have written stands apart in them."""

from lastro.console import actions
from lastro.console.terms import Terms


def test_the_sentence_of_an_act_shows_no_name_that_turns_what_stands_behind_it() -> None:
    to = {
        "name": "Jo\N{LATIN SMALL LETTER A WITH TILDE}o \N{RIGHT-TO-LEFT OVERRIDE}avliS",
        "document": {"number": "52998224725"},
    }
    answer = {"id": "0196a4f0-6c1e-7a31-9d2f-3f0a9b6c5d21", "amount": {"currency": "BRL", "value": "7.00"}, "receiver": to}
    action = next(one for one in actions.ACTIONS if (one.of, one.name) == ("payouts", "approve"))
    told = str(actions.consequence(action, answer, Terms("en")))
    assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in told
    assert "<bdi>Jo\N{LATIN SMALL LETTER A WITH TILDE}o \N{WHITE VERTICAL RECTANGLE}avliS</bdi> (529.982.247-25)" in told
