"""The request bodies of orders."""

from __future__ import annotations

from datetime import date  # noqa: TC003 msgspec reads the annotations when it runs
from typing import Annotated, Literal

import msgspec

from lastro.base.forms import Amount, Description, Email, ExternalId, Form, Line, Name, Url


class DocumentForm(Form):
    """A document of any of the five types."""

    type: Literal["CPF", "CNPJ", "OTHERS", "CURP", "RFC"]
    number: Annotated[str, msgspec.Meta(min_length=1, max_length=40, pattern=r"^[0-9A-Za-zÑñ&./-]*$(?!\n)")]


class AddressForm(Form):
    """Where a customer lives."""

    state: Line | None = None
    city: Line | None = None
    street: Line | None = None
    neighborhood: Line | None = None
    number: Line | None = None
    complement: Line | None = None
    postal_code: Line | None = None


class CustomerForm(Form):
    """Who is asked to pay."""

    name: Name
    entity_type: Literal["INDIVIDUAL", "ORGANIZATION"]
    document: DocumentForm
    email: Email
    phone: Line | None = None
    birth_date: date | None = None
    country: Line | None = None
    address: AddressForm | None = None
    ip: Line | None = None


class OrderForm(Form):
    """What is asked for."""

    external_id: ExternalId
    payment_method: Annotated[str, msgspec.Meta(max_length=40)]
    description: Description
    notification_url: Url
    amount: Amount | None = None
    account_id: str | None = None
    return_url: Url | None = None
    financial_partner: Line | None = None
    expiration: Annotated[int, msgspec.Meta(ge=60, le=2_592_000)] | None = None
    pix_key: Annotated[str, msgspec.Meta(min_length=1, max_length=77, pattern=r"^[!-~]*$(?!\n)")] | None = None
    bank: Line | None = None


class CreateOrder(Form):
    """PUT /order/v2/transparent."""

    order: OrderForm
    customer: CustomerForm | None = None
