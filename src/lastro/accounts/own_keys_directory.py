"""The directory of our own accounts' Pix keys, of any company.

The directory is not asked about them, claimed or not. Source: DICT API 2.12.1, EntryCannotBeQueriedForBookTransfer: "Quando
o pagador e o recebedor estão no mesmo PSP, não deve ser feita consulta ao DICT." A claimed key is ours until its claim is
CONFIRMED; only then it leaves our tables, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.accounts.store import accounts_of, own_keys_among, owner_of_key
from lastro.rails.port import Asking, Directory, KeyEntry, NoEntry
from lastro.standards.pix_keys import key_type

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lastro.accounts.model import Institution
    from lastro.core.db import Database, Session


class OwnFirst:
    """A Directory: keys of our accounts from our own tables, all others from `outside`."""

    def __init__(self, database: Database, institution: Institution, outside: Directory) -> None:
        self._database = database
        self._institution = institution
        self._outside = outside

    async def among(self, session: Session, keys: Iterable[str]) -> Directory:
        """Returns a directory for these keys; it reads at once which are ours."""
        asked = frozenset(keys)
        return _Sorted(self, self._outside, asked - await own_keys_among(session, asked))

    async def entry(self, key: str, asking: Asking) -> KeyEntry | NoEntry:
        """Returns the entry of a key. BudgetSpent, Transient: from the outside directory, for keys that are not ours."""
        async with self._database.session() as session:
            owner = await owner_of_key(session, key)
        if owner is None:
            return await self._outside.entry(key, asking)
        company_id = owner["company_id"]
        async with self._database.session(company_id) as session:
            (account,) = await accounts_of(session, company_id, [owner["account_id"]])
        kind = key_type(key) or "EVP"
        return KeyEntry(
            key, "RANDOM" if kind == "EVP" else kind, account.holder.full_name, account.holder.document_type,
            account.holder.document_number, self._institution.ispb, account.branch, account.number, "PAYMENT_ACCOUNT",
        )  # fmt: skip


class _Sorted:
    """A Directory where `strangers` are known not to be ours; any other key is looked for among ours first."""

    def __init__(self, inside: OwnFirst, outside: Directory, strangers: frozenset[str]) -> None:
        self._inside = inside
        self._outside = outside
        self._strangers = strangers

    async def entry(self, key: str, asking: Asking) -> KeyEntry | NoEntry:
        """Returns the entry, as OwnFirst does."""
        return await (self._outside if key in self._strangers else self._inside).entry(key, asking)
