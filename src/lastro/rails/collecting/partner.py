"""The differences between partners that collect, as a value."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from lastro.rails import port
from lastro.rails.messages import Malformed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def _nothing(_: port.CollectionOrder) -> dict[str, Any]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Partner:
    """A partner. Every reader in `more` takes the partner, a movement's id and its bytes."""

    rail: str  # by which it collects; its paths begin with the name
    company_of: Callable[[str], int | None] | None = None  # the company of a reference; None: references name none
    is_reference: Callable[[str], bool] | None = None  # the form of references that name no company
    details: Callable[[port.CollectionOrder], dict[str, Any]] = _nothing  # further fields of an order's message
    announces: bool = True  # a payment before it settles, which may then become void
    gives_back: bool = True
    charges: bool = False  # cards, when we say so
    # By the types that it alone tells of.
    more: Mapping[str, Callable[[Partner, str, bytes], port.NetworkMessage]] = field(default_factory=dict)

    @property
    def currency(self) -> str:
        """The currency of every amount."""
        return port.currency_of(self.rail)

    def message(self, kind: str, name: str, reference: str, body: bytes, subject: str = "") -> port.NetworkMessage:
        """Returns a message about the instrument of a reference. Malformed: the reference is none of ours."""
        told = port.NetworkMessage(kind, name, subject or reference, body, rail=self.rail)
        if self.company_of is not None and (company := self.company_of(reference)) is not None:
            return replace(told, company_number=company)
        if self.is_reference is not None and self.is_reference(reference):
            return replace(told, instrument=reference)
        raise Malformed("reference")
