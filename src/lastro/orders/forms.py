"""The request bodies of orders."""

from __future__ import annotations

from datetime import date  # noqa: TC003 msgspec reads the annotations when it runs
from typing import Annotated, ClassVar, Literal

import msgspec

from lastro.api_kit.forms import NEVER_NULL, Amount, Description, Email, ExternalId, Form, Line, Name, Url
from lastro.orders.cards.forms import PaymentDetailsForm  # noqa: TC001 msgspec reads the annotations when it runs
from lastro.orders.rules import METHOD
from lastro.standards.pix_keys import canonical


class DocumentForm(Form):
    """A document of any of the five types."""

    type: Annotated[
        Literal["CPF", "CNPJ", "OTHERS", "CURP", "RFC"],
        msgspec.Meta(description="CPF and CNPJ of Brazil, CURP and RFC of Mexico."),
    ]
    number: Annotated[
        str,
        msgspec.Meta(
            description="Without punctuation; CPF and CNPJ with their check digits.", examples=["12345678909"],
            min_length=1, max_length=40, pattern=r"^[0-9A-Za-zÑñ&./-]*$(?!\n)",
        ),
    ]  # fmt: skip


class AddressForm(Form):
    """The customer's address. It is not checked for PIX."""

    aliases: ClassVar = {"zipCode": "postalCode"}
    state: Line | None = None
    city: Line | None = None
    street: Line | None = None
    neighborhood: Line | None = None
    number: Line | None = None
    complement: Line | None = None
    postal_code: Line | None = None


class CustomerForm(Form):
    """The customer who is asked to pay."""

    aliases: ClassVar = {"fullName": "name", "type": "entityType", "birth": "birthDate"}
    name: Name
    entity_type: Literal["INDIVIDUAL", "ORGANIZATION"]
    document: DocumentForm
    email: Email
    phone: Line | None = None
    birth_date: Annotated[date | None, msgspec.Meta(description="Of birth, or of foundation.")] = None
    country: Line | None = None
    address: AddressForm | None = None
    ip: Annotated[Line | None, msgspec.Meta(description="IPv4 or IPv6.", examples=["203.0.113.7"])] = None


class OrderForm(Form):
    """The order to create."""

    aliases: ClassVar = {"code": "externalId", "additionalInfo": "description", "specialPaymentDetails": "paymentDetails"}
    external_id: Annotated[ExternalId, msgspec.Meta(description="The order's id in your system.", examples=["book-1"])]
    payment_method: Annotated[
        str,
        msgspec.Meta(
            description="PIX. DEPOSIT, BOLETO, CREDIT_CARD, SPEI, OXXO, OXXOPAY, PAYNET and `<BRAND>_PAY` (crypto) need a"
            " partner.",
            examples=["PIX"], max_length=40, extra_json_schema={"pattern": METHOD},
        ),
    ]  # fmt: skip
    description: Annotated[Description, msgspec.Meta(description="What is paid; the payer reads it.", examples=["A book"])]
    notification_url: Annotated[
        Url,
        msgspec.Meta(
            description="Where you are told what becomes of the order: https, reachable from outside.",
            examples=["https://shop.example.com/hooks/lastro"],
        ),
    ]
    amount: Annotated[
        Amount | None,
        msgspec.Meta(description="Left out, not null: the payer types it (PIX alone).", extra_json_schema=NEVER_NULL),
    ] = None
    account_id: Annotated[
        str | None,
        msgspec.Meta(description="The account to credit; else that of `pixKey`, else the company's default.",
                     extra_json_schema={"format": "uuid"}),
    ] = None  # fmt: skip
    return_url: Annotated[Url | None, msgspec.Meta(description="Where the customer returns to after paying.")] = None
    financial_partner: Annotated[Line | None, msgspec.Meta(description="The partner whose route the order goes by.")] = None
    expiration: Annotated[
        Annotated[int, msgspec.Meta(ge=60, le=2_592_000)] | None,
        msgspec.Meta(description="Seconds until a PIX order ends; 86,400 where nothing is said.", examples=[3600]),
    ] = None
    pix_key: Annotated[
        Annotated[str, msgspec.Meta(min_length=1, max_length=77, pattern=r"^[!-~]*$(?!\n)")] | None,
        msgspec.Meta(description="A key of the account, for PIX; its oldest random key where nothing is said."),
    ] = None
    payment_details: Annotated[
        PaymentDetailsForm | None, msgspec.Meta(description="For CREDIT_CARD, and required there.")
    ] = None
    bank: Annotated[Line | None, msgspec.Meta(description="For DEPOSIT: the bank's slug.")] = None

    def __post_init__(self) -> None:
        """Writes the key as the directory has it, however it was typed."""
        if self.pix_key is not None:
            self.pix_key = canonical(self.pix_key)


class CreateOrder(Form):
    """An order, and who is asked to pay it."""

    order: OrderForm
    customer: Annotated[
        CustomerForm | None,
        msgspec.Meta(description="Required, except on the route of one partner that takes it from the payer."),
    ] = None
