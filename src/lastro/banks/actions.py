"""Reads the bank list, and imports newer lists of the Central Bank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.api_kit.routes import render
from lastro.banks import store
from lastro.banks.rendering import BankListed, BanksListed
from lastro.core.runner import Act, Done
from lastro.standards.banks import folded

if TYPE_CHECKING:
    from lastro.banks.known import Banks
    from lastro.core.db import Session
    from lastro.core.runner import RequestContext
    from lastro.standards.banks import Bank, BankList, Participants

_LEAST_LEFT = 0.8  # of a network's participants; a real list loses a few in a year


class CutShort(ValueError):  # noqa: N818 reads as what the list is
    """A list that cannot be whole: it lacks too many of the known participants."""


@dataclass(frozen=True)
class BankFilter:
    """A filter of banks; None: all. name: a part of either name, regardless of accents and capitals."""

    ispb: str | None = None
    compe: str | None = None
    name: str | None = None
    method: str | None = None

    def includes(self, bank: Bank) -> bool:
        """Tells whether the bank fits."""
        return (
            self.ispb in {None, bank.ispb}
            and self.compe in {None, bank.compe}
            and (self.name is None or any(folded(self.name) in folded(n) for n in (bank.short_name, bank.name)))
            and (self.method is None or self.method in _methods(bank))
        )


@dataclass(frozen=True)
class ListBanks(Act["BankList"]):
    """GET /order/v1/banks."""

    banks: Banks
    wanted: BankFilter

    async def read(self, session: Session, context: RequestContext) -> BankList:
        """The list that holds."""
        return await self.banks.read(session)

    def decide(self, known: BankList, context: RequestContext) -> Done:
        """Shows those that are wanted."""
        return Done(None, render(BanksListed(data=[_shown(b) for b in known.all_banks() if self.wanted.includes(b)])))


async def import_list(
    session: Session, banks: Banks, given: Participants, *, cut_short: bool = False
) -> tuple[BankList, BankList]:
    """Imports a list of the Central Bank; returns the bank list before and after.

    CutShort: it lacks more than a fifth of its network's participants, and `cut_short` is false. UniqueViolationError:
    another import runs at this moment. Then nothing is written.
    """
    await banks.read(session)
    before = banks.listed
    after = before.renewed(given)
    known = sum(b.in_str if given.network == "STR" else b.in_pix for b in before.all_banks())
    if len(given.banks) < known * _LEAST_LEFT and not cut_short:
        raise CutShort(f"it names {len(given.banks)} participants of {given.network}, and {known} are known")
    await store.add_list(session, banks.number + 1, after.text())
    return before, after


def _methods(bank: Bank) -> list[str]:
    return [method for method, reached in (("PIX", bank.in_pix), ("TED", bank.in_str)) if reached]


def _shown(bank: Bank) -> BankListed:
    return BankListed(
        ispb=bank.ispb, bank_number=bank.compe, short_name=bank.short_name, name=bank.name, methods=_methods(bank)
    )
