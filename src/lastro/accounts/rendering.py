"""Accounts and balances, as the API shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec

from lastro.accounts.model import ACCOUNT_TYPES, STATUSES
from lastro.api_kit.rendering import AccountType, Id, Money, Timestamp, also, words
from lastro.api_kit.routes import Answer, stamp
from lastro.core.money import DECIMALS

if TYPE_CHECKING:
    from lastro.accounts import model


class HolderDocument(Answer, frozen=True, kw_only=True):
    """The number by which a state knows the holder."""

    type: Annotated[
        str,
        words(
            "CPF", "CNPJ", "RUC", "NATIONAL_ID", "PASSPORT", "FOREIGNER_ID", "CHANCERY_ID", "CEDULA_DE_CIUDADANIA",
            "CEDULA_DE_EXTRANJERIA", "NUMERO_DE_IDENTIFICACION_TRIBUTARIA", "OTHERS", "DNI", "CURP", "RFC",
        ),
    ]  # fmt: skip
    number: Annotated[str, msgspec.Meta(examples=["11222333000181"])]


class BankAccount(Answer, frozen=True, kw_only=True):
    """The bank details for payments to the account from another bank."""

    ispb: Annotated[str, msgspec.Meta(description="The institution's id of 8 characters.", examples=["99999010"])]
    bank_number: Annotated[
        str | None, msgspec.Meta(description="The institution's COMPE number; one without leaves it out.", examples=["990"])
    ] = None
    account_type: AccountType
    created_at: Timestamp
    branch_number: Annotated[str, msgspec.Meta(examples=["0001"])]
    account_number: Annotated[
        str, msgspec.Meta(description="Eight digits and the check digit, without hyphen.", examples=["000000019"])
    ]


class Account(Answer, frozen=True, kw_only=True):
    """An account opened under your company. Ask for its balance separately."""

    id: Id
    status: Annotated[str, words(*STATUSES)]
    holder_type: Annotated[str, words("INDIVIDUAL", "ORGANIZATION")]
    full_name: Annotated[str, msgspec.Meta(description="Of the person or the company.")]
    email: str
    phone: str
    document: HolderDocument
    bank_account_data: BankAccount
    created_at: Timestamp


class Accounts(Answer, frozen=True, kw_only=True):
    """A page of accounts."""

    next_cursor: Annotated[
        Timestamp | None, msgspec.Meta(description="The `cursor` of the next page; null on the last one.")
    ]
    has_next: bool
    data: list[Account]


class BalanceMoney(Money, frozen=True, kw_only=True):
    """An amount of a currency; zero in one in which nothing is kept."""

    currency: Annotated[str, msgspec.Meta(description="ISO 4217 code.", examples=["BRL"]), words(*DECIMALS)]
    value: Annotated[
        str,
        msgspec.Meta(
            description="Decimal text with exactly the currency's decimals.", examples=["10.50"],
            pattern=r"^-?[0-9]+(\.[0-9]{2})?$",
        ),
    ]  # fmt: skip


class AccountBalance(Answer, frozen=True, kw_only=True):
    """The balance of one account in one currency."""

    account_id: Id
    currency: Annotated[str, msgspec.Meta(description="ISO 4217 code.", examples=["BRL"]), words(*DECIMALS)]
    available: BalanceMoney
    held: Annotated[BalanceMoney, msgspec.Meta(description="Set aside for what is on its way out.")]
    blocked: Annotated[BalanceMoney, msgspec.Meta(description="Contested; it may have to go back.")]
    balance: Annotated[BalanceMoney, also("available")]
    provisioned: Annotated[BalanceMoney, also("held")]
    as_of: Timestamp


class Balance(Answer, frozen=True, kw_only=True):
    """The balance of one account, or of all together, in one currency."""

    account_id: Annotated[Id | None, msgspec.Meta(description="The account; of the company's total left out.")] = None
    currency: Annotated[str, msgspec.Meta(description="ISO 4217 code.", examples=["BRL"]), words(*DECIMALS)]
    available: BalanceMoney
    held: Annotated[BalanceMoney, msgspec.Meta(description="Set aside for what is on its way out.")]
    blocked: Annotated[BalanceMoney, msgspec.Meta(description="Contested; it may have to go back.")]
    balance: Annotated[BalanceMoney, also("available")]
    provisioned: Annotated[BalanceMoney, also("held")]
    as_of: Timestamp
    accounts: Annotated[
        list[AccountBalance] | None, msgspec.Meta(description="Each account of the company's, beside the total.")
    ] = None


class CompanyBalance(Answer, frozen=True, kw_only=True):
    """The balance of a company's accounts of one kind, in reais."""

    account_type: Annotated[str, words(*ACCOUNT_TYPES)]
    currency: Annotated[str, words("BRL")]
    available: BalanceMoney
    held: BalanceMoney
    blocked: BalanceMoney
    balance: Annotated[BalanceMoney, also("available")]
    provisioned: Annotated[BalanceMoney, also("held")]
    as_of: Timestamp


def shown(account: model.Account, institution: model.Institution) -> Account:
    """Renders the Account of interface.md: in the list and by id."""
    holder = account.holder
    return Account(
        id=str(account.id),
        status=account.status,
        holder_type=holder.type,
        full_name=holder.full_name,
        email=holder.email,
        phone=holder.phone,
        document=HolderDocument(type=holder.document_type, number=holder.document_number),
        bank_account_data=BankAccount(
            ispb=institution.ispb,
            bank_number=institution.compe,
            account_type="PAYMENT_ACCOUNT",
            created_at=stamp(account.created_at),
            branch_number=account.branch,
            account_number=account.number,
        ),
        created_at=stamp(account.created_at),
    )
