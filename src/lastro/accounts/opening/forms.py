"""The request bodies of the opening of accounts."""

from __future__ import annotations

from datetime import date  # noqa: TC003 msgspec reads the annotations when it runs
from typing import Annotated, ClassVar, Literal

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

Country = Annotated[str, msgspec.Meta(description="BR: accounts are opened in Brazil alone.", examples=["BR"], max_length=8)]


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

    aliases: ClassVar = {"zipCode": "postalCode"}
    state: Annotated[str, msgspec.Meta(description="Two letters.", examples=["SP"], max_length=2)]
    city: Line
    neighborhood: Line
    street: Line
    number: Line
    postal_code: Annotated[str, msgspec.Meta(description="CEP.", examples=["01310-100"], max_length=9)]
    complement: Line | None = None


class RepresentativeForm(Form):
    """A person who acts for the organization."""

    aliases: ClassVar = {"fullName": "name", "birthdate": "birthDate"}
    alternatives: ClassVar = (("document",), ("documentNumber",))
    name: Name
    email: Email
    phone: Phone
    birth_date: date
    document: OpeningDocumentForm | None = None
    document_number: Annotated[
        Annotated[str, msgspec.Meta(min_length=1, max_length=14)] | None,
        msgspec.Meta(description="The CPF, in place of `document`.", examples=["12345678909"]),
    ] = None
    country: Country | None = None


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


class AcceptanceForm(Form):
    """The holder's acceptance of the terms as a file."""

    file_name: Annotated[
        str,
        msgspec.Meta(
            description="The `fileName` of the terms that were read.", examples=["termos-individual-2026-01.pdf"],
            min_length=1, max_length=140,
        ),
    ]  # fmt: skip
    accepted_at: Annotated[
        Annotated[str, msgspec.Meta(max_length=40, extra_json_schema={"format": "date-time"})] | None,
        msgspec.Meta(
            description="When; the moment of the request where nothing is said.", examples=["2026-01-31T12:00:00Z"]
        ),
    ] = None
    ip: Annotated[
        Annotated[str, msgspec.Meta(max_length=45)] | None, msgspec.Meta(description="From where: IPv4 or IPv6.")
    ] = None


class OpeningForm(Form):
    """Somebody for whom an account is to be opened."""

    aliases: ClassVar = {"birthdate": "birthDate"}
    alternatives: ClassVar = (("externalId", "termsAccepted"), ("acceptance",))
    holder_type: Literal["INDIVIDUAL", "ORGANIZATION"]
    full_name: Name
    document: OpeningDocumentForm
    email: Email
    phone: Phone
    birth_date: Annotated[date, msgspec.Meta(description="Of birth, or of foundation.")]
    address: OpeningAddressForm
    external_id: Annotated[
        ExternalId | None,
        msgspec.Meta(
            description="Yours; unique among your requests. With `acceptance` it may be left out: then it is that of the"
            " request.",
            examples=["holder-1"],
        ),
    ] = None
    terms_accepted: Annotated[OpeningTermsForm | None, msgspec.Meta(description="This, or `acceptance`.")] = None
    acceptance: Annotated[
        AcceptanceForm | None,
        msgspec.Meta(description="The terms accepted as a file, in place of `termsAccepted`."),
    ] = None
    country: Country | None = None
    alias: Annotated[Name | None, msgspec.Meta(description="What you call the account; shown with the request.")] = None
    trade_name: Annotated[Name | None, msgspec.Meta(description="Of an organization, where it has one.")] = None
    representatives: Annotated[
        Annotated[list[RepresentativeForm], msgspec.Meta(min_length=1, max_length=10)] | None,
        msgspec.Meta(description="Of an organization: at least one."),
    ] = None
