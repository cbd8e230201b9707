"""The answers' payment blocks, one for each method but Pix (contract.md §6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from lastro.api_kit.rendering import Day, Timestamp, Url, words
from lastro.api_kit.routes import Answer, stamp
from lastro.orders.codes import bars_picture, is_payable_by_pix, payload
from lastro.rails import port
from lastro.standards.boleto import digitable_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lastro.orders.model import Installation, Order

# By the state of the payment.
_THREE_DS = {
    "CREATED": "PENDING", "CHALLENGE_REQUIRED": "CHALLENGE_REQUIRED", "AUTHENTICATED": "AUTHENTICATED",
    "CAPTURED": "AUTHENTICATED", "DECLINED": "AUTHENTICATED", "FAILED": "FAILED", "TIMEOUT": "TIMEOUT",
    "CANCELED": "CANCELED",
}  # fmt: skip
_DECIMAL = "^[0-9]{1,18}([.][0-9]{1,18})?$"


class Slip(Answer, frozen=True, kw_only=True):
    """The boleto with which the customer pays a BOLETO order."""

    barcode: Annotated[str, msgspec.Meta(description="What its bars say, 44 digits.", pattern="^[0-9]{44}$")]
    digitable_line: Annotated[str, msgspec.Meta(description="The same as people type it, 47 digits.", pattern="^[0-9]{47}$")]
    due_date: Day
    payable_until: Annotated[Day, msgspec.Meta(description="The last day on which a bank takes it.")]
    pdf_url: Annotated[Url, msgspec.Meta(description="The slip to print. The address cannot be guessed; no token.")]
    qrcode_data: Annotated[
        str | None,
        msgspec.Meta(description="A Pix code for the same order, printed on the slip; there where the account has a key."),
    ] = None


class CryptoCharge(Answer, frozen=True, kw_only=True):
    """The payment data of a `<BRAND>_PAY` order: ways into the app, and the rate that was frozen for it."""

    deeplink: Annotated[
        str, msgspec.Meta(description="Opens the app on the customer's phone.", examples=["binance://pay/1"])
    ]
    universal_url: Annotated[
        Url, msgspec.Meta(description="Opens the app where there is one, else a page that does the same.")
    ]
    qrcode_data: Annotated[str, msgspec.Meta(description="The text of a QR code that the app reads, byte for byte.")]
    asset: Annotated[str, msgspec.Meta(description="What the customer gives.", examples=["USDT"])]
    asset_amount: Annotated[
        str, msgspec.Meta(description="So much of the asset, a decimal text.", examples=["18.409574"], pattern=_DECIMAL)
    ]
    rate: Annotated[
        str, msgspec.Meta(description="Reais for one of the asset, a decimal text.", examples=["5.432"], pattern=_DECIMAL)
    ]
    rate_valid_until: Annotated[Timestamp, msgspec.Meta(description="The last instant at which it is taken; it is frozen.")]


class CashVoucher(Answer, frozen=True, kw_only=True):
    """The voucher of an OXXO, OXXOPAY or PAYNET order, for a till."""

    reference: Annotated[
        str,
        msgspec.Meta(description="What the till scans, or types.", examples=["00934567890123"], pattern="^[0-9]{14,30}$"),
    ]
    barcode_image_base64: Annotated[
        str, msgspec.Meta(description="A PNG of the reference as bars (Code 128), without a `data:` prefix.")
    ]
    expire_date_time: Annotated[Timestamp, msgspec.Meta(description="The last instant at which a till takes it.")]
    voucher_url: Annotated[Url, msgspec.Meta(description="A page to print, in Spanish. It cannot be guessed; no token.")]


class Spei(Answer, frozen=True, kw_only=True):
    """The CLABE that a SPEI order is paid to: from any bank of Mexico, in one transfer or in several."""

    clabe: Annotated[str, msgspec.Meta(description="Of this order alone.", pattern="^[0-9]{18}$")]
    beneficiary: Annotated[str, msgspec.Meta(description="Who is paid.")]
    bank_code: Annotated[str, msgspec.Meta(description="Of the CLABE's bank.", pattern="^[0-9]{3}$")]
    reference: Annotated[
        str,
        msgspec.Meta(description="A number to write in the transfer; nothing depends on it.", pattern="^[0-9]{7}$"),
    ]


class Deposit(Answer, frozen=True, kw_only=True):
    """The account that a DEPOSIT order is paid to: in one transfer or in several."""

    bank: Annotated[str, msgspec.Meta(description="The `slug` of a bank of `GET /v1/orders/deposit/banks`.")]
    branch_number: Annotated[str, msgspec.Meta(description="Of the bank.", pattern="^[0-9]{4}$")]
    account_number: Annotated[
        str, msgspec.Meta(description="Of this order alone; the last is the check digit.", pattern="^[0-9]{12}$")
    ]
    holder: Annotated[str, msgspec.Meta(description="Who is paid.")]
    reference: Annotated[
        str,
        msgspec.Meta(description="A number to write in the transfer; nothing depends on it.", pattern="^[0-9]{7}$"),
    ]


class ThreeDs(Answer, frozen=True, kw_only=True):
    """The 3-D Secure authentication of a card's payer."""

    challenge_url: Annotated[
        Url, msgspec.Meta(description="Send the payer there: it leads on to his bank where that asks. No token.")
    ]
    challenge_access_token: Annotated[str, msgspec.Meta(description="What the address ends with.")]
    status: Annotated[str, words(*dict.fromkeys((*_THREE_DS.values(), "SKIPPED")))]


class Card(Answer, frozen=True, kw_only=True):
    """The card of a CREDIT_CARD order, as much as may be shown."""

    brand: str
    last_four: Annotated[str, msgspec.Meta(pattern="^[0-9]{4}$")]
    installments: int
    card_token: Annotated[str, msgspec.Meta(description="Pays a later order of your company by the same card.")]


def of(order: Order, holder_name: str, city: str, place: Installation) -> dict[str, Any]:
    """Returns the block of an order's method by its field's name. None of a PIX order, nor of one older than its page."""
    if order.instrument is None or order.order_token is None or order.bank_code is not None:
        return {}
    name, block = _BLOCKS[port.kind_of(order.instrument.rail)]
    of_card = {} if order.card is None else {"card": _card(order)}
    return {name: block(order, holder_name, city, place), **of_card}


def _slip(order: Order, holder_name: str, city: str, place: Installation) -> Slip:
    assert order.instrument is not None
    assert order.order_token is not None
    face = order.instrument.face
    assert face is not None
    return Slip(
        barcode=face.code, digitable_line=digitable_line(face.code), due_date=face.due.isoformat(),
        payable_until=face.payable_until.isoformat(), pdf_url=place.slip_url(order.order_token),
        qrcode_data=payload(order, holder_name, city, place) if is_payable_by_pix(order) else None,
    )  # fmt: skip


def _crypto(order: Order, holder_name: str, city: str, place: Installation) -> CryptoCharge:
    del holder_name, city, place  # the partner has said everything
    assert order.instrument is not None
    assert order.instrument.details is not None
    shown = order.instrument.details
    return CryptoCharge(
        deeplink=shown["deeplink"], universal_url=shown["universalUrl"], qrcode_data=shown["qrcodeData"],
        asset=shown["asset"], asset_amount=shown["assetAmount"], rate=shown["rate"],
        rate_valid_until=shown["rateValidUntil"],
    )  # fmt: skip


def _voucher(order: Order, holder_name: str, city: str, place: Installation) -> CashVoucher:
    del holder_name, city  # the printed voucher names who receives
    assert order.instrument is not None
    assert order.order_token is not None
    assert order.expires_at is not None
    return CashVoucher(
        reference=order.instrument.reference, barcode_image_base64=bars_picture(order.instrument.reference),
        expire_date_time=stamp(order.expires_at), voucher_url=place.voucher_url(order.order_token),
    )  # fmt: skip


def _spei(order: Order, holder_name: str, city: str, place: Installation) -> Spei:
    del holder_name, city, place  # as it was when it was made
    assert order.instrument is not None
    assert order.instrument.details is not None
    shown = order.instrument.details
    return Spei(
        clabe=shown["clabe"], beneficiary=shown["beneficiary"], bank_code=shown["bankCode"], reference=shown["reference"]
    )


def _deposit(order: Order, holder_name: str, city: str, place: Installation) -> Deposit:
    del holder_name, city, place  # as it was when it was made
    assert order.instrument is not None
    assert order.instrument.details is not None
    shown = order.instrument.details
    return Deposit(
        bank=shown["bank"], branch_number=shown["branchNumber"], account_number=shown["accountNumber"],
        holder=shown["holder"], reference=shown["reference"],
    )  # fmt: skip


def _three_ds(order: Order, holder_name: str, city: str, place: Installation) -> ThreeDs:
    del holder_name, city  # the payer's bank names who is paid
    assert order.card is not None
    assert order.order_token is not None
    status = "SKIPPED" if order.card.flow == "SKIPPED" else _THREE_DS[order.card.state]
    token = order.order_token
    return ThreeDs(challenge_url=place.challenge_url(token), challenge_access_token=token, status=status)


def _card(order: Order) -> Card:
    assert order.instrument is not None
    assert order.instrument.details is not None
    shown = order.instrument.details
    return Card(
        brand=shown["brand"], last_four=shown["lastFour"], installments=int(shown["installments"]),
        card_token=shown["cardToken"],
    )  # fmt: skip


# By kind of rail, the field and the block that fills it. A new method adds its own here, and the field to CreatedOrder.
_BLOCKS: Mapping[str, tuple[str, Callable[[Order, str, str, Installation], Answer]]] = {
    port.BOLETO: ("boleto", _slip),
    port.CARD: ("three_ds", _three_ds),
    port.SPEI: ("spei", _spei),
    port.DEPOSIT: ("deposit", _deposit),
    port.CRYPTO: ("crypto", _crypto),
    **dict.fromkeys((port.OXXO, port.OXXOPAY, port.PAYNET), ("cash", _voucher)),
}
