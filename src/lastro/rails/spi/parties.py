"""The parties in the messages of the SPI: documents, and a payer with his account."""

import msgspec

from lastro.rails import port


class Document(msgspec.Struct):
    """A CPF or CNPJ."""

    number: str
    type: str


class Payer(msgspec.Struct, rename="camel"):
    """The payer or authorizer, and his account."""

    name: str
    document: Document
    ispb: str
    branch: str
    account: str
    account_type: str
    ibge_code: str | None = None

    @property
    def ported(self) -> port.Payer:
        """The same as rooms see it."""
        return port.Payer(
            self.name, self.document.type, self.document.number, self.ispb, self.branch, self.account, self.account_type,
            self.ibge_code,
        )  # fmt: skip
