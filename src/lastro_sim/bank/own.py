"""The own accounts of the banks played here: what another institution pays to the bank itself comes there."""

from typing import Any

from stdnum.br import cnpj

ESTABLISHMENT = "0002"  # a customer of the payer's bank has the number of its first one
_BRANCH, _NUMBER, _TYPE = "0001", "1", "CACC"


def document(ispb: str) -> str:
    """The CNPJ of an institution: its ISPB is the root of it."""
    return f"{ispb}{ESTABLISHMENT}{cnpj.calc_check_digits(ispb + ESTABLISHMENT)}"


def account(ispb: str) -> dict[str, Any]:
    """The receiver's side of a pacs.008 to the bank itself."""
    return {
        "ispb": ispb, "branch": _BRANCH, "account": _NUMBER, "accountType": _TYPE,
        "document": {"type": "CNPJ", "number": document(ispb)},
    }  # fmt: skip


def words(ispb: str) -> str:
    """The same as a person at another institution is told it."""
    own = account(ispb)
    return (
        f"Reembolso ao participante {ispb}: CNPJ {document(ispb)}, agência {own['branch']}, conta {own['account']},"
        f" {own['accountType']}."
    )
