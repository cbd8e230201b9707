"""An OpenAPI document to hold both sides of an exchange against: `pix_api.py` gives the one of API Pix."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, unquote

from jsonschema.exceptions import ValidationError
from openapi_schema_validator import OAS30ReadValidator, OAS30Validator, OAS30WriteValidator, oas30_format_checker

from .corrections import Document, Node, operations

# Answered before there is an operation, and so by no operation's responses: who asks, how often, how it came over the line.
_ON_THE_LINE = frozenset({401, 405, 406, 413, 415, 429, 502})


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its answer, as they went over the line. target: path and query; media: the answer's content-type."""

    method: str
    target: str
    sent: bytes | None
    status: int
    media: str
    answered: bytes


@dataclass(frozen=True, slots=True)
class Body:
    """What one body may be. name: for messages; media: its types; is_answer: readOnly may be there, else writeOnly."""

    name: str
    media: tuple[str, ...]
    schema: Node | None
    is_answer: bool

    def iter_errors(self, value: Any) -> Iterator[ValidationError]:
        """Yields jsonschema's errors about a value of JSON."""
        if self.schema is None:
            if value is not None:
                yield ValidationError("has a body, and none is documented")
            return
        validator = OAS30ReadValidator if self.is_answer else OAS30WriteValidator
        yield from validator(self.schema, format_checker=oas30_format_checker).iter_errors(value)

    def problems(self, value: Any) -> list[str]:
        """Says what is wrong with a value of JSON: `PUT /cob/{txid} 201 loc/criacao: …`; empty where nothing is."""
        return [f"{self.name} {pointer(error)}: {error.message[:300]}" for error in self.iter_errors(value)]

    def unnamed(self, value: Any) -> list[str]:
        """Names what a body has beyond the document: `loc/txId`. Allowed by the document, and most often a slip."""
        return sorted(set(_unnamed(value, [self.schema or {}], "")))


class Oracle:
    """A document, and what it says of its operations. method: in any case; template: a path as the document has it."""

    def __init__(self, document: Document) -> None:
        self.document = document
        whole = resolved(document)
        self._operations = {(method, template): one for method, template, one in operations(whole)}
        self._parameters = {
            (method, template): {(p["in"], p["name"]): p for p in [*_shared(whole, template), *one.get("parameters", ())]}
            for (method, template), one in self._operations.items()
        }

    def validator_of(self, method: str, template: str, status: int) -> Body:
        """Gives what an answer may be. KeyError where the document has no such operation or status."""
        response = self.operation(method, template)["responses"][str(status)]
        return _body(f"{method.upper()} {template} {status}", response.get("content", {}), is_answer=True)

    def of_request(self, method: str, template: str) -> Body:
        """Gives what a request's body may be; of an operation without one, none."""
        content = self.operation(method, template).get("requestBody", {}).get("content", {})
        return _body(f"{method.upper()} {template} request", content, is_answer=False)

    def of_callback(self, name: str) -> Body:
        """Gives what a bank sends to a webhook. name: listaPix, rec or cobr."""
        return _body(f"callback {name}", self.callbacks()[name]["requestBody"]["content"], is_answer=False)

    def operation(self, method: str, template: str) -> Node:
        """Gives an operation, its references resolved. KeyError where the document has none."""
        return self._operations[method.lower(), template]

    def operations(self) -> list[tuple[str, str]]:
        """Lists method in upper case and template of every operation."""
        return [(method.upper(), template) for method, template in self._operations]

    def callbacks(self) -> dict[str, Node]:
        """Gives what banks ask of clients, by name, references resolved."""
        every = (one.get("callbacks", {}) for one in self._operations.values())
        return {name: said["post"] for named in every for name, urls in named.items() for said in urls.values()}

    def scopes_of(self, method: str, template: str) -> frozenset[str]:
        """Gives the OAuth scopes that an operation asks for; none for a location's."""
        demanded = self.operation(method, template).get("security", [])
        return frozenset(scope for one in demanded for scope in one.get("OAuth2", ()))

    def template_of(self, method: str, path: str) -> str | None:
        """Finds the template of a path. Of those that fit, the one with the fewest names.

        `/cobv/{pixUrlAccessToken}` and `/rec/{recUrlAccessToken}` fit what charges and recurrences fit; they never win.
        """
        known = sorted((t for m, t in self._operations if m == method.lower()), key=lambda t: (t.count("{"), "Token}" in t))
        return next((template for template in known if _shape(template).fullmatch(path)), None)

    def target_problems(self, method: str, target: str, *, base: str = "") -> list[str]:
        """Says what is wrong with a request's path, its parameters and its query. base: what stands before the paths."""
        path, _, query = target.partition("?")
        template = self.template_of(method, path.removeprefix(base)) if path.startswith(base) else None
        if template is None:
            return [f"{method} {path} is not documented"]
        parameters = self._parameters[method.lower(), template]
        named = _shape(template).fullmatch(path.removeprefix(base))
        values = named.groupdict() if named else {}
        problems = [p for name, value in values.items() for p in _wrong(parameters["path", name], unquote(value))]
        queried = {name: one for (place, name), one in parameters.items() if place == "query"}
        problems += _query_problems(queried, parse_qsl(query, keep_blank_values=True))
        return [f"{method} {template}: {problem}" for problem in problems]

    def problems_of(self, exchange: Exchange, *, base: str = "") -> list[str]:
        """Says what is wrong with both sides. A request that was refused (4xx) may be wrong; its refusal may not.

        An answer from before any operation (401, 405, 413, 415, 429, 502) is not judged: the document says nothing of it.
        """
        method, path = exchange.method, exchange.target.partition("?")[0].removeprefix(base)
        template = self.template_of(method, path)
        problems: list[str] = []
        if not 400 <= exchange.status < 500:
            problems += self.target_problems(method, exchange.target, base=base)
            problems += _judged(self.of_request(method, template), exchange.sent or b"") if template else []
        if exchange.status in _ON_THE_LINE or template is None:
            return problems
        try:
            body = self.validator_of(method, template, exchange.status)
        except KeyError:
            return [*problems, f"{method} {template} {exchange.status} is not documented"]
        media = exchange.media.partition(";")[0].strip()
        if exchange.answered and body.media and media not in body.media:
            problems.append(f"{body.name} is sent as {media}, not as {body.media}")
        return problems + _judged(body, exchange.answered)


def resolved(whole: Document) -> Document:
    """Copies a document with each reference replaced by what it stands for. Nothing in API Pix refers to itself."""
    known: dict[str, Any] = {}

    def copied(part: Any) -> Any:
        if isinstance(part, list):
            return [copied(one) for one in part]
        if not isinstance(part, dict):
            return part
        reference = part.get("$ref")
        if not isinstance(reference, str):
            return {name: copied(value) for name, value in part.items()}
        if reference not in known:
            place: Any = whole
            for step in reference.removeprefix("#/").split("/"):
                place = place[step.replace("~1", "/").replace("~0", "~")]
            known[reference] = copied(place)
        return known[reference]

    made: Document = copied(whole)
    return made


def pointer(error: ValidationError) -> str:
    """Says where in a value an error is: `pix/0/valor`, or `(whole)`."""
    return "/".join(map(str, error.absolute_path)) or "(whole)"


def _shared(whole: Document, template: str) -> list[Node]:
    shared: list[Node] = whole["paths"][template].get("parameters", [])
    return shared


def _body(name: str, content: Node, *, is_answer: bool) -> Body:
    schema = next((one["schema"] for one in content.values()), None)
    return Body(name, tuple(content), schema, is_answer)


def _judged(body: Body, content: bytes) -> list[str]:
    if body.media == ("application/jose",):
        return []  # signed: what it carries is no JSON here
    if not content:
        return [] if body.schema is None else [f"{body.name} has no body"]
    try:
        value = json.loads(content)
    except ValueError:
        return [f"{body.name} is no JSON"]
    return body.problems(value)


@cache
def _shape(template: str) -> re.Pattern[str]:
    parts = re.split(r"(\{\w+\})", template)
    return re.compile("".join(f"(?P<{part[1:-1]}>[^/]+)" if part[:1] == "{" else re.escape(part) for part in parts))


def _query_problems(known: dict[str, Node], asked: list[tuple[str, str]]) -> Iterator[str]:
    names = [name for name, _ in asked]
    for name in dict.fromkeys(names):
        if name not in known:
            yield f"{name} is not documented"
        if names.count(name) > 1:
            yield f"{name} is given {names.count(name)} times"
    yield from (f"{name} is missing" for name, one in known.items() if one.get("required") and name not in names)
    for name, value in asked:
        if name in known:
            yield from _wrong(known[name], value)


def _wrong(parameter: Node, text: str) -> list[str]:
    """What is wrong with a parameter, which comes as text whatever it is."""
    kind = parameter["schema"].get("type")
    value: Any = text
    if kind == "integer" and re.fullmatch(r"-?\d+", text):
        value = int(text)
    if kind == "boolean" and text in {"true", "false"}:
        value = text == "true"
    errors = OAS30Validator(parameter["schema"], format_checker=oas30_format_checker).iter_errors(value)
    return [f"{parameter['name']}: {error.message[:300]}" for error in errors]


def _unnamed(value: Any, schemas: list[Node], at: str) -> Iterator[str]:
    every = [part for schema in schemas for part in _branches(schema)]
    if isinstance(value, list):
        items = [part["items"] for part in every if "items" in part]
        for number, one in enumerate(value):
            yield from _unnamed(one, items, f"{at}{number}/")
    elif isinstance(value, dict):
        for name, one in value.items():
            inner = [part["properties"][name] for part in every if name in part.get("properties", {})]
            if inner:
                yield from _unnamed(one, inner, f"{at}{name}/")
            else:
                yield f"{at}{name}"


def _branches(schema: Node) -> Iterator[Node]:
    """The schema and all that are put together with it."""
    yield schema
    for word in ("allOf", "anyOf", "oneOf"):
        for part in schema.get(word, ()):
            yield from _branches(part)
