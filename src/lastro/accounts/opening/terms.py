"""The terms for opening an account, in the language of the holder."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class TermsOfUse:
    """A text and its version: another text has another version."""

    holder_type: str
    version: str
    title: str
    text: str
    published_at: datetime

    @property
    def file_name(self) -> str:
        """The name of the same text as a PDF."""
        return f"termos-{self.holder_type.lower()}-{self.version}.pdf"


_SHARED: Final = (
    "A conta de pagamento é individual, em reais, e não rende juros. O saldo é mantido separado do patrimônio da instituição"
    " (Lei 12.865/2013, art. 12).\n\n"
    "A instituição confere os dados e documentos enviados e pode recusar a abertura (Resolução BCB 96/2021, art. 3º)."
    " Dados e documentos são guardados cifrados, pelo prazo que a lei exige, e usados para abrir e manter a conta"
    " e para prevenir fraude e lavagem de dinheiro (Lei 13.709/2018, art. 7º, II; Circular BCB 3.978/2020).\n\n"
    "O titular mantém os dados atualizados e pode pedir o encerramento da conta a qualquer momento."
)
_PUBLISHED: Final = datetime(2026, 1, 1, 3, tzinfo=UTC)  # the year's first moment in Brasilia
TERMS: Final[Mapping[str, TermsOfUse]] = {
    "INDIVIDUAL": TermsOfUse(
        "INDIVIDUAL",
        "2026-01",
        "Termos da conta de pagamento de pessoa natural",
        "O titular declara que os dados são seus e verdadeiros, e que movimenta a conta em nome próprio.\n\n" + _SHARED,
        _PUBLISHED,
    ),
    "ORGANIZATION": TermsOfUse(
        "ORGANIZATION",
        "2026-01",
        "Termos da conta de pagamento de pessoa jurídica",
        "Quem assina declara que tem poderes para representar o titular, e que os dados são verdadeiros.\n\n" + _SHARED,
        _PUBLISHED,
    ),
}


def terms_pdf(file_name: str) -> bytes | None:
    """Returns terms as a PDF; None: no terms have this name. Not for the loop: each is drawn once."""
    return next((_drawn(one) for one in TERMS.values() if one.file_name == file_name), None)


@cache
def _drawn(terms: TermsOfUse) -> bytes:
    # Imported here: the libraries of it take a fifth of the time that lastro starts in.
    from lastro.accounts.opening.terms_drawing import draw  # noqa: PLC0415

    return draw(terms)


def version_of(holder_type: str) -> str:
    """Returns the version that is accepted now. KeyError: there is no such holder."""
    return TERMS[holder_type].version
