"""The refusals of an API with their cures, out of its /openapi.json; codes of networks, out of its guide."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_INDEX = re.compile(r"\[\d*\]|\.\d+(?=\.|$)")
_ROW = re.compile(r"^\| `([^`|]+)` \|(.*)\|$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Known:
    """A refusal that the document names. operation: "" where every operation can give it."""

    operation: str
    status: int
    field: str
    issue: str
    cause: str
    cure: str


@dataclass(frozen=True, slots=True)
class NetworkCode:
    """A network's own code: what it means, whether a new try may help, and the next step."""

    network: str
    code: str
    again: str
    means: str
    next_step: str


def known(document: bytes) -> tuple[Known, ...]:
    """Reads every refusal of an OpenAPI document of lastro. ValueError: it is none."""
    whole: Any = msgspec.json.decode(document)
    if not isinstance(whole, dict) or "paths" not in whole:
        raise ValueError("no OpenAPI document")
    found = [
        _known(one.get("operationId", ""), refusal)
        for item in whole["paths"].values()
        for one in item.values()
        for response in one.get("responses", {}).values()
        for refusal in _resolved(whole, response).get("x-refusals", ())
    ]
    found += [_known("", one) for part in whole.get("x-refusals", {}).values() for one in part]
    return tuple(found)


def cure(refusals: tuple[Known, ...], operation: str, status: int, field: str, issue: str) -> str:
    """Returns the cure of a refusal as it was answered; "" where the document has none."""
    alike = [one for one in refusals if one.issue == issue and one.status == status]
    plain = _INDEX.sub("", field)
    for wanted in (operation, ""):
        exact = [one for one in alike if one.operation == wanted and _INDEX.sub("", one.field) == plain]
        if exact:
            return " ".join(dict.fromkeys(one.cure for one in exact if one.cure))
    return ""


def network_codes(page: str) -> Iterator[NetworkCode]:
    """Reads the guide's page of refusals: a table of codes under each heading."""
    for part in re.split(r"^## ", page, flags=re.MULTILINE)[1:]:
        title = part.partition("\n")[0].strip()
        for row in _ROW.finditer(part):
            cells = [cell.strip() for cell in row[2].split("|")]
            if len(cells) >= 4:
                yield NetworkCode(title, row[1], cells[0], cells[1], cells[3])


def _known(operation: str, told: Mapping[str, Any]) -> Known:
    return Known(
        operation, int(told.get("status", 0)), told.get("field", ""), told.get("issue", ""), told.get("cause", ""),
        told.get("cure", ""),
    )  # fmt: skip


def _resolved(whole: Mapping[str, Any], part: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Any = part
    while "$ref" in found:
        place: Any = whole
        for word in found["$ref"].removeprefix("#/").split("/"):
            place = place[word]
        found = place
    return found  # type: ignore[no-any-return]
