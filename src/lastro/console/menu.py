"""The menu: its pages in groups, as the people who use them think of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# Each group's word, and its pages; a page below another stands with it. The first group has no word above it.
_GROUPS: Final[Mapping[str, Sequence[str]]] = {
    "": ("/console",),
    "menu.in": ("/console/orders", "/console/subscriptions", "/console/refunds", "/console/foreign", "/console/disputes"),
    "menu.out": ("/console/payouts", "/console/plans"),
    "menu.accounts": ("/console/accounts", "/console/keys", "/console/claims", "/console/ledger"),
    "menu.developers": ("/console/developers", "/console/events"),
    "menu.institution": (
        "/console/reconciliation", "/console/connections", "/console/verify", "/console/eras", "/console/people",
        "/console/audit",
    ),
    "menu.sandbox": ("/console/sandbox",),
}  # fmt: skip
_FURTHER: Final = "menu.more"
_OF: Final = {page: group for group, pages in _GROUPS.items() for page in pages}


@dataclass(frozen=True, slots=True)
class Group:
    """Pages that stand together. name: its term; empty: the first. pages: path and term of each."""

    name: str
    pages: tuple[tuple[str, str], ...]


def grouped(pages: Iterable[tuple[str, str]]) -> list[Group]:
    """Returns the menu's groups, each with its pages in their order; a page of no group stands in the last."""
    found: dict[str, list[tuple[str, str]]] = {name: [] for name in (*_GROUPS, _FURTHER)}
    for path, word in pages:
        found[_group_of(path)].append((path, word))
    return [Group(name, tuple(some)) for name, some in found.items() if some]


def _group_of(path: str) -> str:
    """Returns the group of a page: its own, or that of the page it is below."""
    above = path
    while above and above not in _OF:
        above = above.rpartition("/")[0]
    return _OF[above] if above == path or above not in ("", "/console") else _FURTHER
