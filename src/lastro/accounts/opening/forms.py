"""The request bodies of the opening of accounts."""

from __future__ import annotations

from datetime import date  # noqa: TC003 msgspec reads the annotations when it runs
from typing import Annotated, Literal

import msgspec

from lastro.api_kit.forms import Email, ExternalId, Form, Line, Name

Phone = Annotated[
    str,
    msgspec.Meta(
        description="With the country, E.164.",
        examples=["+5511987654321"],
        max_length=16,
        pattern=r"^\+[1-9][0-9]{7,14}$(?!\n)",
    ),
]


class OpeningDocumentForm(Form):
    """The number by which the tax office knows somebody."""

    type: Annotated[Literal["CPF", "CNPJ"], msgspec.Meta(description="CPF of a person, CNPJ of an organization.")]
    number: Annotated[
        str,
        msgspec.Meta(
            description="Without punctuation, with its check digits.", examples=["12345678909"], min_length=1, max_length=14,
            pattern=r"^[0-9A-Z]*$(?!\n)",
        ),
    ]  # fmt: skip


class OpeningAddressForm(Form):
    """The holder's address or seat, in Brazil."""

    state: Annotated[str, msgspec.Meta(description="Two letters.", examples=["SP"], max_length=2)]
    city: Line
    neighborhood: Line
    street: Line
    number: Line
    postal_code: Annotated[str, msgspec.Meta(description="CEP.", examples=["01310-100"], max_length=9)]
    complement: Line | None = None


class RepresentativeForm(Form):
    """A person who acts for the organization."""

    name: Name
    document: OpeningDocumentForm
    email: Email
    phone: Phone
    birth_date: date


class OpeningTermsForm(Form):
    """The holder's acceptance of the terms."""

    version: Annotated[str, msgspec.Meta(description="As the terms were read.", examples=["2026-01"], max_length=40)]
    accepted_at: Annotated[
        str,
        msgspec.Meta(
            description="When.", examples=["2026-01-31T12:00:00Z"], max_length=40, extra_json_schema={"format": "date-time"}
        ),
    ]
    ip: Annotated[str, msgspec.Meta(description="From where: IPv4 or IPv6.", examples=["203.0.113.7"], max_length=45)]


class OpeningForm(Form):
    """Somebody for whom an account is to be opened."""

    external_id: Annotated[ExternalId, msgspec.Meta(description="Yours; unique among your requests.", examples=["holder-1"])]
    holder_type: Literal["INDIVIDUAL", "ORGANIZATION"]
    full_name: Name
    document: OpeningDocumentForm
    email: Email
    phone: Phone
    birth_date: Annotated[date, msgspec.Meta(description="Of birth, or of foundation.")]
    address: OpeningAddressForm
    terms_accepted: OpeningTermsForm
    trade_name: Annotated[Name | None, msgspec.Meta(description="Of an organization, where it has one.")] = None
    representatives: Annotated[
        Annotated[list[RepresentativeForm], msgspec.Meta(min_length=1, max_length=10)] | None,
        msgspec.Meta(description="Of an organization: at least one."),
    ] = None
