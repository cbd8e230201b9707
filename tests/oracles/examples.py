"""The official examples of API Pix: what the Central Bank shows of requests, answers and callbacks.

202 of the 260 keep the corrected document, 58 do not; `bad_examples.txt` has those, each with what is wrong first.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from .contract import Body, Oracle, pointer
from .corrections import Node
from .pix_api import oracle

BAD_LIST = Path(__file__).parent / "bad_examples.txt"
Side = Literal["request", "answer", "callback"]


@dataclass(frozen=True, slots=True)
class Example:
    """One of them. operation: `PUT /cob/{txid}`, of a callback its name; status: 0 but for an answer.

    fault: what is wrong with it first, "" of a good one; value: as JSON, what it puts together by allOf in one object.
    """

    operation: str
    side: Side
    status: int
    name: str
    value: Any
    fault: str

    @property
    def label(self) -> str:
        """Gives its name among all: `PUT /cob/{txid} 201 retorno1`."""
        return f"{self.operation} {self.status or self.side} {self.name}"


@cache
def examples(*, without: str = "") -> tuple[Example, ...]:
    """Lists all official examples, in the document's order. without: a correction of the document that is left out."""
    return tuple(_examples(oracle(without=without)))


def answers(*operations: str, good: bool) -> list[Example]:
    """Lists examples of answers, those that keep the document or those that do not. operations: these alone, if any."""
    return [
        e
        for e in examples()
        if e.side == "answer" and (not e.fault) == good and (not operations or e.operation in operations)
    ]


def callbacks(*names: str, good: bool) -> list[Example]:
    """Lists examples of what a bank sends to webhooks, in the same way. names: listaPix, rec, cobr."""
    return [e for e in examples() if e.side == "callback" and (not e.fault) == good and (not names or e.operation in names)]


def _examples(document: Oracle) -> Iterator[Example]:
    for method, template in document.operations():
        name, operation = f"{method} {template}", document.operation(method, template)
        yield from _of(operation.get("requestBody", {}), name, "request", 0, document.of_request(method, template))
        for status, response in operation["responses"].items():
            yield from _of(response, name, "answer", int(status), document.validator_of(method, template, int(status)))
    for name, said in document.callbacks().items():
        yield from _of(said["requestBody"], name, "callback", 0, document.of_callback(name))


def _of(part: Node, operation: str, side: Side, status: int, body: Body) -> Iterator[Example]:
    for content in part.get("content", {}).values():
        shown = {"example": content["example"]} if "example" in content else {}
        shown |= {name: one["value"] for name, one in content.get("examples", {}).items()}
        for name, value in shown.items():
            merged = _merged(value)
            yield Example(operation, side, status, name, merged, _first_fault(body, merged))


def _first_fault(body: Body, value: Any) -> str:
    return min((f"{pointer(error)}: {error.message}" for error in body.iter_errors(value)), default="")


def _merged(value: Any) -> Any:
    """An example that says allOf of others is all of them together."""
    if isinstance(value, list):
        return [_merged(one) for one in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"allOf"}:
        return {name: one for part in value["allOf"] for name, one in _merged(part).items()}
    return {name: _merged(one) for name, one in value.items()}
