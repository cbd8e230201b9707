"""Customers of the payer's bank, some with payments of known outcome."""

from dataclasses import dataclass
from typing import Any

from lastro.standards import documents
from lastro_sim.forms import Form
from lastro_sim.settings import PAYER_BANK_ISPB, SIMULATED_BANKS

SAO_PAULO = "3550308"


@dataclass(frozen=True)
class PhoneOwner:
    """An owner of a phone."""

    name: str
    document_type: str
    document: str
    account: str
    branch: str = "0001"
    ibge_code: str = SAO_PAULO
    refused: str | None = None
    """The word with which his own bank refuses whatever he wants to pay."""
    ispb: str = PAYER_BANK_ISPB

    @property
    def fields(self) -> dict[str, Any]:
        """The payer's side of a pacs.008."""
        return {
            "name": self.name,
            "document": {"type": self.document_type, "number": self.document},
            "ispb": self.ispb,
            "branch": self.branch,
            "account": self.account,
            "accountType": "CACC",
            "ibgeCode": self.ibge_code,
        }


DEFAULT = PhoneOwner("Pessoa Pagadora", "CPF", "12345678909", "123456")
COMPANY = PhoneOwner("Empresa Pagadora Ltda", "CNPJ", "99999020000185", "123457")
BROKE = PhoneOwner("Sem Saldo da Silva", "CPF", "70000000159", "123458", refused="INSUFFICIENT_FUNDS")
HELD = PhoneOwner("Conta Suspeita", "CPF", "70000000230", "123459", refused="SUSPECTED_FRAUD")
CUSTOMERS = (DEFAULT, COMPANY, BROKE, HELD)
ON_THE_PHONE = (DEFAULT, COMPANY, BROKE)


def by_document(document: str) -> PhoneOwner | None:
    """Returns the known customer with this document."""
    return next((payer for payer in CUSTOMERS if payer.document == document), None)


def by_account(branch: str | None, account: str) -> PhoneOwner | None:
    """Returns the customer of an account. branch: None where it is not given: the number alone identifies it."""
    return next((one for one in CUSTOMERS if one.account == account and branch in (None, one.branch)), None)


def chosen(form: Form) -> PhoneOwner:
    """Returns the payer of a request: the default, a known one, or a stranger.

    A stranger gives name and document. ispb: of a customer of the other bank that is played here.
    """
    given = form.given("payer")
    if given is None:
        return DEFAULT
    if isinstance(given, str):
        known = by_document(given)
        if known is None:
            form.refuse("payer", "INVALID", "No customer of the payer's bank has this document; give name and document")
        return known or DEFAULT
    child = form.child("payer")
    document = _document(child)
    known = by_document(document)
    name = child.maybe_text("name") or (known.name if known else None)
    if name is None and child.given("name") is None:
        child.refuse("name", "REQUIRED", "This field is required")
    kind = "CPF" if len(document) == 11 else "CNPJ"
    ispb = child.maybe_choice("ispb", SIMULATED_BANKS) or PAYER_BANK_ISPB
    if ispb != PAYER_BANK_ISPB:
        return PhoneOwner(name or "", kind, document, f"9{document[:7]}", ispb=ispb)
    if known is not None:
        return PhoneOwner(name or known.name, kind, document, known.account, refused=known.refused)
    return PhoneOwner(name or "", kind, document, f"9{document[:7]}")


def _document(form: Form) -> str:
    """Reads a document number, from a text or a type-and-number object."""
    nested = isinstance(form.given("document"), dict)
    holder, name = (form.child("document"), "number") if nested else (form, "document")
    number = holder.text(name, 14)
    if number and not (documents.is_cpf(number) or documents.is_cnpj(number)):
        holder.refuse(name, "INVALID", "A CPF or CNPJ with its check digits is expected")
    return number
