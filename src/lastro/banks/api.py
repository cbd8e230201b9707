"""The HTTP operation of banks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lastro.api_kit.paging import read_choice, read_text, text_schema
from lastro.api_kit.routes import Incoming, Query, Route
from lastro.banks import docs
from lastro.banks.actions import BankFilter, ListBanks
from lastro.banks.problems import BANK_NUMBER_INVALID, ISPB_INVALID, NAME_INVALID
from lastro.banks.rendering import METHODS
from lastro.core.errors import Kind, Problem, Refused
from lastro.standards.banks import NO_COMPE, folded
from lastro.standards.pix_ids import is_ispb

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lastro.banks.known import Banks
    from lastro.core.runner import Verb

_COMPE = re.compile(r"[0-9]{3}")
_LONGEST_NAME = 140
_FILTERS = (
    Query("ispb", "The bank of this ISPB.", {"type": "string", "pattern": "^[0-9A-Z]{8}$"}),
    Query("bankNumber", "The bank of this COMPE number.", {"type": "string", "pattern": "^[0-9]{3}$"}),
    Query("name", "A part of its short or full name, with or without accents and capitals.",
          text_schema(_LONGEST_NAME) | {"allOf": [{"pattern": r"[^\u0300-\u036f]"}]}),
    Query("method", "Banks that this reaches.", {"type": "string", "enum": list(METHODS)}),
)  # fmt: skip


@dataclass(frozen=True)
class _BankHandlers:
    banks: Banks

    def list(self, incoming: Incoming) -> Verb[Any] | Refused:
        """GET /order/v1/banks."""
        problems: list[Problem] = []
        wanted = _wanted(incoming.query, problems)
        return Refused(Kind.INVALID, tuple(problems)) if problems else ListBanks(self.banks, wanted)


def routes(banks: Banks) -> tuple[Route, ...]:
    """The room's operation."""
    return (
        Route(
            "GET", "/order/v1/banks", "list_banks", "payouts:read", _BankHandlers(banks).list, docs.LIST, queries=_FILTERS
        ),
    )


def _wanted(query: Mapping[str, str], problems: list[Problem]) -> BankFilter:
    """The filters of a query; whatever is wrong is added to `problems`."""
    ispb, compe = query.get("ispb"), query.get("bankNumber")
    if ispb is not None and not is_ispb(ispb):
        problems.append(ISPB_INVALID.problem())
    if compe is not None and _COMPE.fullmatch(compe) is None:
        problems.append(BANK_NUMBER_INVALID.problem(why="must be three digits"))
    if compe == NO_COMPE:
        problems.append(BANK_NUMBER_INVALID.problem(why="000 is no COMPE number; ask by ispb for a bank that has none"))
    name = read_text(query, "name", _LONGEST_NAME, problems)
    if name is not None and not folded(name):
        problems.append(NAME_INVALID.problem())
    return BankFilter(ispb, compe, name, read_choice(query, "method", METHODS, problems))
