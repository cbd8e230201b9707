"""The request body of a payout."""

from __future__ import annotations

from datetime import date  # noqa: TC003 msgspec reads the annotations when it runs
from typing import Annotated, Literal

import msgspec

from lastro.api_kit.forms import PRINTABLE, BrlAmount, Description, ExternalId, Form


class ReceiverDocumentForm(Form):
    """The receiver's document."""

    type: Annotated[Literal["CPF", "CNPJ"], msgspec.Meta(description="CPF of a person, CNPJ of an organization.")]
    number: Annotated[
        str,
        msgspec.Meta(
            description="Without punctuation, with its check digits.", examples=["98765432100"], min_length=1,
            max_length=14, pattern=r"^[0-9A-Za-z]*$(?!\n)",
        ),
    ]  # fmt: skip


class ReceiverForm(Form):
    """The receiver of the payout."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=150, pattern=PRINTABLE, examples=["Elisa Externa"])]
    document: ReceiverDocumentForm


class BankAccountForm(Form):
    """An account at a bank. Exactly one of `ispb` and `bankNumber` says which."""

    account_type: Literal["CHECKING_ACCOUNT", "WAGE_ACCOUNT", "SAVINGS_ACCOUNT", "PAYMENT_ACCOUNT"]
    branch_number: Annotated[
        str, msgspec.Meta(description="Without its check digit.", examples=["0001"], pattern=r"^[0-9]{1,4}$(?!\n)")
    ]
    account_number: Annotated[
        str,
        msgspec.Meta(
            description="With its check digit, without hyphen. A TED takes digits alone: write a check digit X as 0 there.",
            examples=["300001"],
            min_length=1,
            max_length=20,
            extra_json_schema={"pattern": r"^[0-9A-Z]*[1-9A-Z][0-9A-Z]*$"},
        ),
    ]
    ispb: Annotated[
        Annotated[str, msgspec.Meta(pattern=r"^[0-9A-Z]{8}$(?!\n)")] | None,
        msgspec.Meta(description="The bank's id of 8 characters.", examples=["99999030"]),
    ] = None
    bank_number: Annotated[
        Annotated[str, msgspec.Meta(pattern=r"^[0-9]{1,3}$(?!\n)")] | None,
        msgspec.Meta(description="The bank's COMPE number, as it stands in the bank list.", examples=["992"]),
    ] = None


class PaymentDataForm(Form):
    """The destination of the money: exactly one of the three."""

    pix_key: Annotated[
        Annotated[str, msgspec.Meta(min_length=1, max_length=77, pattern=r"^[!-~]*$(?!\n)")] | None,
        msgspec.Meta(description="A key of the directory, in its canonical form.", examples=["fabio@fora.example"]),
    ] = None
    qrcode_data: Annotated[
        Annotated[str, msgspec.Meta(min_length=1, max_length=1024)] | None,
        msgspec.Meta(description="The text of a Pix QR, static or dynamic (Pix copia e cola)."),
    ] = None
    bank_account: Annotated[BankAccountForm | None, msgspec.Meta(description="For TED the only way.")] = None


class CreatePayout(Form):
    """Money to be sent from one of your accounts."""

    external_id: Annotated[ExternalId, msgspec.Meta(description="The payout's id in your system.", examples=["salary-7"])]
    account_id: Annotated[str, msgspec.Meta(description="The account that pays.", extra_json_schema={"format": "uuid"})]
    payment_method: Literal["PIX", "TED"]
    payment_data: PaymentDataForm
    amount: BrlAmount
    description: Annotated[Description, msgspec.Meta(description="What is paid; the receiver reads it.")]
    receiver: Annotated[
        ReceiverForm | None,
        msgspec.Meta(
            description="Required with `bankAccount`. With a key or a QR its document, where given, must be the owner's; the"
            " name is not compared."
        ),
    ] = None
    scheduled_date: Annotated[
        date | None,
        msgspec.Meta(description="The day in Brasilia on which it is to be sent; the money is held then.",
                     examples=["2026-12-24"]),
    ] = None  # fmt: skip
    allow_duplicate: Annotated[
        bool | None, msgspec.Meta(description="Says that an equal payout within ten minutes is meant.")
    ] = None
