"""Parts that answers and notifications of several rooms share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, get_args

import msgspec

from lastro.api_kit.routes import Answer
from lastro.core.money import KEPT

if TYPE_CHECKING:
    from lastro.core import money

# Formats and examples of texts, for readers of the documentation.
Id = Annotated[
    str, msgspec.Meta(examples=["0196a4f0-6c1e-7a31-9d2f-3f0a9b6c5d21"], extra_json_schema={"format": "uuid"}),
]  # fmt: skip
Day = Annotated[str, msgspec.Meta(examples=["2027-01-10"], extra_json_schema={"format": "date"})]
Timestamp = Annotated[
    str, msgspec.Meta(examples=["2026-01-31T12:00:00.000000Z"], extra_json_schema={"format": "date-time"}),
]  # fmt: skip
Url = Annotated[str, msgspec.Meta(extra_json_schema={"format": "uri"})]
EndToEndId = Annotated[
    str,
    msgspec.Meta(
        description="The payment's id in Pix, the same at both banks.",
        examples=["E9999902020260131120000000E058eP"],
        pattern="^E[0-9A-Z]{8}[0-9]{12}[0-9A-Za-z]{11}$",
    ),
]


def words(*allowed: str, description: str | None = None) -> msgspec.Meta:
    """Returns schema metadata that lists a text's allowed values. description: for readers."""
    return msgspec.Meta(description=description, extra_json_schema={"enum": list(allowed)})


def also(main: str) -> msgspec.Meta:
    """Returns schema metadata of a field's second name. main: the first one, as it stands in JSON."""
    return msgspec.Meta(description=f"Another name of `{main}`.", extra_json_schema={"x-alias-of": main})


class Money(Answer, frozen=True, kw_only=True):
    """An amount with its currency: one that accounts here may have."""

    currency: Annotated[str, msgspec.Meta(description="ISO 4217 code.", examples=["BRL"]), words(*KEPT)]
    value: Annotated[
        str,
        msgspec.Meta(
            description="Decimal text with exactly the currency's decimals.", examples=["10.50"],
            pattern=r"^-?[0-9]+\.[0-9]{2}$",
        ),
    ]  # fmt: skip

    @classmethod
    def of(cls, amount: money.Money) -> Self:
        """Returns an amount as clients see it."""
        return cls(currency=amount.currency, value=str(amount))

    @classmethod
    def maybe(cls, amount: money.Money | None) -> Self | None:
        """Returns an amount that may be None, as clients see it."""
        return None if amount is None else cls.of(amount)


class BrlMoney(Money, frozen=True, kw_only=True):
    """An amount of what moves in reais alone."""

    currency: Annotated[str, msgspec.Meta(description="ISO 4217 code.", examples=["BRL"]), words("BRL")]


class Document(Answer, frozen=True, kw_only=True):
    """The tax id of a person (CPF) or an organization (CNPJ)."""

    type: Annotated[str, words("CPF", "CNPJ")]
    number: Annotated[
        str, msgspec.Meta(description="Digits; a CNPJ may have letters.", examples=["12345678909"], pattern="^[0-9A-Z]+$")
    ]


class PixKey(Answer, frozen=True, kw_only=True):
    """A key of the Pix directory."""

    type: Annotated[str, words("CPF", "CNPJ", "EMAIL", "PHONE", "RANDOM")]
    key: str


AccountType = Annotated[str, words("CHECKING_ACCOUNT", "SAVINGS_ACCOUNT", "PAYMENT_ACCOUNT", "WAGE_ACCOUNT")]


class Bank(Answer, frozen=True, kw_only=True):
    """An account at an institution, as far as the network says."""

    ispb: Annotated[str | None, msgspec.Meta(description="The institution's id of 8 characters.", examples=["99999010"])] = (
        None
    )
    name: Annotated[str | None, msgspec.Meta(description="The institution's name.")] = None
    branch: str | None = None
    account: str | None = None
    account_type: AccountType | None = None
    code: Annotated[str | None, msgspec.Meta(description="The institution's COMPE number.", examples=["990"])] = None
    pix: Annotated[PixKey | None, msgspec.Meta(description="The key that the money used.")] = None


class Paged(Answer, frozen=True, kw_only=True):
    """A page of a list; each list says what its data are."""

    limit: Annotated[int, msgspec.Meta(description="How many rows a page has at most.", ge=1)]
    sort: Annotated[Literal["asc", "desc"], msgspec.Meta(description="By createdAt.")]
    next_cursor: Annotated[
        Timestamp | None, msgspec.Meta(description="The `cursor` of the next page; left out on the last one.")
    ] = None
    has_next: bool
    data: list[Any]


Issue = Literal[
    "REQUIRED", "INVALID", "TOO_LONG", "OUT_OF_RANGE", "NOT_ALLOWED", "MUTUALLY_EXCLUSIVE", "DUPLICATE", "CONFLICT",
    "MISMATCH", "INSUFFICIENT_FUNDS", "LIMIT_EXCEEDED", "EXPIRED", "NOT_SUPPORTED",
]  # fmt: skip


class ErrorDetail(Answer, frozen=True, kw_only=True):
    """One thing that is wrong with a request."""

    field: Annotated[
        str, msgspec.Meta(description="JSON path in the body, or a header or query name.", examples=["order.amount.value"])
    ]
    issue: Annotated[str, words(*get_args(Issue), description="A word for programs.")]
    description: Annotated[str, msgspec.Meta(description="A sentence for people, which may change.")]


class ApiError(Answer, frozen=True, kw_only=True):
    """The body of every refusal."""

    error: Annotated[str, words("INVALID_REQUEST", "UNAUTHORIZED", "FORBIDDEN_ERROR", "NOT_FOUND", "INTERNAL_ERROR")]
    message: Annotated[str, msgspec.Meta(examples=["Request is not valid"])]
    details: list[ErrorDetail]
