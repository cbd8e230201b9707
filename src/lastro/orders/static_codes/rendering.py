"""Renders a static code for print and for its client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from lastro.api_kit.rendering import BrlMoney, Id, Paged, Timestamp
from lastro.api_kit.routes import Answer, stamp
from lastro.orders.codes import merchant, picture
from lastro.standards.brcode import BrCode, ascii_text, description_room, encode

if TYPE_CHECKING:
    from lastro.accounts import Account
    from lastro.core import money
    from lastro.orders.model import StaticCode


class ListedStaticCode(Answer, frozen=True, kw_only=True):
    """A static code as a list shows it: without its picture."""

    id: Id
    account_id: Annotated[Id, msgspec.Meta(description="The account that is credited.")]
    pix_key: Annotated[str, msgspec.Meta(description="The key that is printed in it.")]
    amount: Annotated[BrlMoney | None, msgspec.Meta(description="Left out where the payer types it.")] = None
    description: Annotated[str | None, msgspec.Meta(description="As you sent it.")] = None
    txid: Annotated[
        str,
        msgspec.Meta(
            description="The txid that is printed in it, and that the network tells with each payment of it.",
            examples=["00001jPPPljQLKI4tD7o5QMJX"], pattern="^[0-9A-Za-z]{25}$",
        ),
    ]  # fmt: skip
    qrcode_data: Annotated[str, msgspec.Meta(description="The code's text (EMV BR Code), to copy and paste.")]
    leads_here: Annotated[
        bool,
        msgspec.Meta(
            description="Whether its key still leads to the account. Once it does not, whoever pays the code pays the key's"
            " next holder, or nobody: replace it."
        ),
    ]
    created_at: Timestamp


class StaticQrcode(ListedStaticCode, frozen=True, kw_only=True):
    """A static code. Nothing that is printed in it ever changes."""

    qrcode_image_base64: Annotated[
        str, msgspec.Meta(description="The picture, a PNG in base64 without a `data:` prefix.", examples=["iVBORw0KGgo="])
    ]


class StaticQrcodes(Paged, frozen=True, kw_only=True):
    """A page of static codes."""

    data: list[ListedStaticCode]


def printed(account: Account, pix_key: str, txid: str, amount: money.Money | None, description: str | None) -> str:
    """Returns a static code's text (BR Code manual): description in ASCII, as far as there is room beside the key."""
    room = description_room(pix_key)
    told = None if description is None else ascii_text(description, room) or None
    return encode(
        BrCode(
            key=pix_key,
            description=told,
            amount=None if amount is None else str(amount),
            txid=txid,
            merchant_name=merchant(account.holder.full_name, 25),
            merchant_city=merchant(account.city, 15),
        )
    )


def in_full(code: StaticCode) -> StaticQrcode:
    """Renders the answer to a create and to a read."""
    return StaticQrcode(**_shown(code), qrcode_image_base64=picture(code.qrcode_data))


def listed(code: StaticCode) -> ListedStaticCode:
    """Renders a code in a list, without the picture: it is drawn anew each time and weighs the most."""
    return ListedStaticCode(**_shown(code))


def _shown(code: StaticCode) -> dict[str, Any]:
    return {
        "id": str(code.id),
        "account_id": str(code.account_id),
        "pix_key": code.pix_key,
        "amount": BrlMoney.maybe(code.amount),
        "description": code.description,
        "txid": code.txid,
        "qrcode_data": code.qrcode_data,
        "leads_here": code.leads_here,
        "created_at": stamp(code.created_at),
    }
