"""An account of ours, as the notifications of other packages name it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec

from lastro.api_kit.rendering import Bank, Document, PixKey
from lastro.api_kit.routes import Answer

if TYPE_CHECKING:
    from lastro.accounts.model import Account, Institution


class OwnerBank(Answer, frozen=True, kw_only=True):
    """The account of yours that the money is for."""

    name: str
    document: Document
    bank: Bank
    pix: Annotated[PixKey | None, msgspec.Meta(description="The key that the money used.")] = None


def owner_at_bank(account: Account, bank: Bank, key: tuple[str, str] | None) -> OwnerBank:
    """Renders our account whose money is at another bank. key: type and text."""
    return OwnerBank(
        name=account.holder.full_name,
        document=Document(type=account.holder.document_type, number=account.holder.document_number),
        bank=bank,
        pix=None if key is None else PixKey(type=key[0], key=key[1]),
    )


def owner_bank(account: Account, institution: Institution, key: tuple[str, str] | None) -> OwnerBank:
    """Renders our account for notifications. key: type and text."""
    ours = Bank(
        ispb=institution.ispb,
        name=institution.name,
        branch=account.branch,
        account=account.number,
        account_type="PAYMENT_ACCOUNT",
        code=institution.compe,
    )
    return owner_at_bank(account, ours, key)
