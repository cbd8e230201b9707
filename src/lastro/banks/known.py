"""The bank list as one process knows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.banks import store
from lastro.standards.banks import Bank, packaged, read_list

if TYPE_CHECKING:
    from lastro.core.db import Session
    from lastro.standards.banks import BankList

# Who is there in a sandbox alone (contract.md §10): itself, the payer's bank, the receiver's.
SIMULATED = (
    Bank("99999010", "990", "LASTRO SANDBOX IP", "LASTRO SANDBOX IP", in_str=True, in_pix=True),
    Bank("99999020", "991", "BANCO PAGADOR SIMULADO", "BANCO PAGADOR SIMULADO", in_str=True, in_pix=True),
    Bank("99999030", "992", "BANCO RECEBEDOR SIMULADO", "BANCO RECEBEDOR SIMULADO", in_str=True, in_pix=True),
)


class Banks:
    """The list that holds: the newest that was imported, and while none was, the one that came with this version.

    It is kept in memory; every reading asks the database whether there is a newer one. sandbox: the simulated banks are
    known too. Docs: docs/decisions/bank-list.md.
    """

    def __init__(self, *, sandbox: bool) -> None:
        self._simulated = SIMULATED if sandbox else ()
        self.number = 0
        self.listed = packaged()
        self.known = self.listed.joined(self._simulated)

    async def read(self, session: Session) -> BankList:
        """The list that holds now, in one short statement."""
        return self.learn(await store.newer(session, self.number))

    def learn(self, newer: tuple[int, str] | None) -> BankList:
        """The list that holds now. newer: number and text of one that another statement has found by `NEWER`."""
        # Meanwhile another reading may have learnt of a still newer one.
        if newer is not None and newer[0] > self.number:
            self.number, text = newer
            self.listed = read_list(text)
            self.known = self.listed.joined(self._simulated)
        return self.known
