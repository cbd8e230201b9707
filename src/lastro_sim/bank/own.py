"""The played banks' own accounts, for payments to the banks themselves."""

from typing import Any

from stdnum.br import cnpj

ESTABLISHMENT = "0002"  # the first number belongs to a customer of the payer's bank
_BRANCH, _NUMBER, _TYPE = "0001", "1", "CACC"


def document(ispb: str) -> str:
    """Returns the CNPJ of an institution, from its ISPB as the root."""
    return f"{ispb}{ESTABLISHMENT}{cnpj.calc_check_digits(ispb + ESTABLISHMENT)}"


def account(ispb: str) -> dict[str, Any]:
    """Returns the receiver's fields of a pacs.008 to the bank itself."""
    return {
        "ispb": ispb, "branch": _BRANCH, "account": _NUMBER, "accountType": _TYPE,
        "document": {"type": "CNPJ", "number": document(ispb)},
    }  # fmt: skip


def words(ispb: str) -> str:
    """Returns the same account as another institution's customer sees it."""
    own = account(ispb)
    return (
        f"Reembolso ao participante {ispb}: CNPJ {document(ispb)}, agência {own['branch']}, conta {own['account']},"
        f" {own['accountType']}."
    )
