"""The decisions of pay-ins, pure: what is wrong with a request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.orders.payins.problems import DOCUMENT_NUMBER_INVALID, EXTERNAL_ID_INVALID
from lastro.orders.rules import document_problem

if TYPE_CHECKING:
    from lastro.core.errors import Problem
    from lastro.orders.payins.forms import CreatePayIn


def form_problems(form: CreatePayIn) -> list[Problem]:
    """Returns the problems of a pay-in that need no look-up. The form of single fields was checked before."""
    problems: list[Problem] = []
    code = form.external_id
    if code is not None and (not code.isprintable() or code != code.strip()):
        problems.append(EXTERNAL_ID_INVALID.problem())
    document = None if form.payer is None else form.payer.document
    if document is not None and document.type is not None and document.number is not None:
        wrong = document_problem(document.type, document.number)
        if wrong:
            problems.append(DOCUMENT_NUMBER_INVALID.problem(why=wrong))
    return problems
