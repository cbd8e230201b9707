"""The destinations of transfers of any amount. They are our CLABEs, and accounts at banks (contract.md §6)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DepositBank:
    """A bank at which each DEPOSIT order has an account number. slug: what clients call it. code: its COMPE number.

    branch: where these accounts are, four digits.
    """

    slug: str
    code: str
    ispb: str
    branch: str
    name: str


@dataclass(frozen=True, slots=True)
class Transfers:
    """clabe_prefix: bank and plaza of our CLABEs, six digits. banks: for deposits, the default one first."""

    clabe_prefix: str = ""
    banks: tuple[DepositBank, ...] = ()

    def bank(self, slug: str | None) -> DepositBank | None:
        """Returns the bank of this name, the default one for None. None: there is no such bank."""
        return next((bank for bank in self.banks if slug in (None, bank.slug)), None)


NO_TRANSFERS = Transfers()
