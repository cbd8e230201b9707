"""The request bodies of subscriptions."""

from __future__ import annotations

from datetime import date  # noqa: TC003 msgspec reads the annotations when it runs
from typing import Annotated, Literal

import msgspec

from lastro.api_kit.forms import BrlAmount, Description, ExternalId, Form, Name, Url


class PersonDocumentForm(Form):
    """The document of a person or an organization in Brazil."""

    type: Annotated[Literal["CPF", "CNPJ"], msgspec.Meta(description="CPF of a person, CNPJ of an organization.")]
    number: Annotated[
        str,
        msgspec.Meta(
            description="Without punctuation, with its check digits.", examples=["12345678909"], min_length=1,
            max_length=14, pattern=r"^[0-9A-Za-z]*$(?!\n)",
        ),
    ]  # fmt: skip


class DebtorForm(Form):
    """The contract's debtor; the payer may be someone else."""

    document: PersonDocumentForm
    name: Name


class PayerForm(Form):
    """The payer. With a first charge only this document may pay; without one it is stored and nothing else."""

    document: PersonDocumentForm
    name: Name


class InitialChargeForm(Form):
    """The charge that is paid in the same act as the authorization."""

    pix_key: Annotated[
        str,
        msgspec.Meta(
            description="A key of the account, for the charge's QR.", min_length=1, max_length=77, pattern=r"^[!-~]*$(?!\n)"
        ),
    ]
    amount: BrlAmount


class CreateSubscription(Form):
    """A recurring charge that a payer is to authorize."""

    account_id: Annotated[
        str, msgspec.Meta(description="The account that is paid; its holder is an organization.",
                          extra_json_schema={"format": "uuid"})
    ]  # fmt: skip
    type: Annotated[
        Literal["AUTHORIZATION_QRCODE", "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT"],
        msgspec.Meta(
            description="AUTHORIZATION_QRCODE: the code authorizes, charges follow. AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT:"
            " who pays the first charge by the code authorizes in the same act."
        ),
    ]
    allow_charge_after_due_date: Annotated[
        bool,
        msgspec.Meta(
            description="Whether a charge left unpaid on its day may be tried again, three times within seven days of its"
            " due date."
        ),
    ]
    allow_adjust_to_business_day: Annotated[
        bool,
        msgspec.Meta(
            description="Whether a charge due on a weekend or a national bank holiday is settled on the next business day;"
            " local holidays move nothing."
        ),
    ]
    frequency_type: Literal["WEEKLY", "MONTHLY", "QUARTERLY", "SEMIANNUAL", "ANNUAL"]
    start_date: Annotated[
        date,
        msgspec.Meta(description="The first day of the first cycle, in Brasilia today or later.", examples=["2027-01-10"]),
    ]
    debtor: DebtorForm
    webhook_url: Annotated[
        Url,
        msgspec.Meta(
            description="Where you are told what becomes of it and of its charges: https, reachable from outside.",
            examples=["https://shop.example.com/hooks/lastro"],
        ),
    ]
    external_id: Annotated[
        ExternalId, msgspec.Meta(description="The subscription's id in your system.", examples=["contract-12"])
    ]
    end_date: Annotated[
        date | None, msgspec.Meta(description="The last day on which a charge may be due; later than `startDate`.")
    ] = None
    fixed_amount: Annotated[
        BrlAmount | None, msgspec.Meta(description="What each charge is of. Not together with `maxAmountFloor`.")
    ] = None
    max_amount_floor: Annotated[
        BrlAmount | None,
        msgspec.Meta(description="The least maximum that the payer may set for a charge. Not together with `fixedAmount`."),
    ] = None
    payer: PayerForm | None = None
    initial_charge: Annotated[
        InitialChargeForm | None,
        msgspec.Meta(description="Required with AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT, refused with AUTHORIZATION_QRCODE."),
    ] = None
    description: Annotated[
        Description | None, msgspec.Meta(description="What is paid for; the payer reads its first 35 characters.")
    ] = None
    auto_schedule: Annotated[
        bool | None,
        msgspec.Meta(description="With `fixedAmount`: the service itself schedules each cycle's charge for its first day."),
    ] = None


class CancelSubscription(Form):
    """The end of a subscription, as the receiver wants it."""

    reason: Annotated[
        Literal["REQUESTED_BY_RECEIVER", "FRAUD_SUSPECTED", "OTHER"] | None,
        msgspec.Meta(description="REQUESTED_BY_RECEIVER where nothing is said."),
    ] = None


class SchedulePayment(Form):
    """A charge of one cycle of an accepted subscription."""

    external_id: Annotated[ExternalId, msgspec.Meta(description="The payment's id in your system.", examples=["2027-01"])]
    due_date: Annotated[
        date,
        msgspec.Meta(
            description="It says whose cycle the charge is. Settled in three days at the soonest, at most 366 days ahead.",
            examples=["2027-01-10"],
        ),
    ]
    amount: Annotated[
        BrlAmount | None,
        msgspec.Meta(description="Required unless the subscription has a `fixedAmount`, which it then equals."),
    ] = None
    description: Annotated[Description | None, msgspec.Meta(description="What is paid; the payer reads it.")] = None
    auto_retry: Annotated[
        bool | None,
        msgspec.Meta(
            description="false: after an unpaid day you choose the next one by `retry`; else the service tries one, three"
            " and five days after the due date, as far as these come after the settlement day."
        ),
    ] = None


class RetryPayment(Form):
    """The day of the next attempt, where retries are left to you."""

    date: Annotated[
        date,
        msgspec.Meta(
            description="Later than today, within seven days of the due date, before the next cycle.",
            examples=["2027-01-13"],
        ),
    ]
