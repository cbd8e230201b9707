"""The operations of the document as forms: what each asks for, an example that fits this sandbox, and the call it becomes.

Pure: what exists here and what is fresh is given as words by name. A call is made of a path of the document alone, with its
parameters escaped, so that no form leads elsewhere.
"""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlencode

from lastro_sandbox.calls import Call

if TYPE_CHECKING:
    from collections.abc import Mapping

JSON: Final = "application/json"
FORM: Final = "application/x-www-form-urlencoded"
MULTIPART: Final = "multipart/form-data"
MOST_BYTES: Final = 100_000  # of a body that is typed into a page
# The placeholder of the client's secret in a form: it is put in as the call is made, and no page shows it.
SECRET: Final = "{{clientSecret}}"  # noqa: S105 a placeholder
_BOUNDARY: Final = "lastro-try-7a6f2a522f4e"
_IN_PATH: Final = re.compile(r"\{(\w+)\}")
# Values without an example in the document.
_EXAMPLES: Final = {
    "/schemas/{name}": "ORDER-PAYIN.PAID.json", "/docs/guide/{page}": "errors",
    "/order/v1/banking/accounts/{id}/keys/lookup": "fabio@fora.example",
}  # fmt: skip


@dataclass(frozen=True)
class Blank:
    """A form's field beside the body. field: its name in the form. choices: nothing where any text will do."""

    field: str
    name: str
    description: str
    is_required: bool
    choices: tuple[str, ...] = ()
    start: str = ""
    hint: str = ""


@dataclass(frozen=True)
class Operation:
    """An operation of the document. said: its description there. method: in capitals."""

    id: str
    method: str
    path: str
    said: Mapping[str, Any]

    @property
    def tag(self) -> str:
        """The heading of the operation."""
        tag: str = self.said["tags"][0]
        return tag

    @property
    def needs_token(self) -> bool:
        """True where the operation needs a bearer token."""
        return any("bearer" in one for one in self.said["security"])

    @property
    def reads(self) -> bool:
        """True where the operation changes nothing."""
        return self.method == "GET"

    @property
    def bodies(self) -> tuple[str, ...]:
        """The media types of its body."""
        return tuple(self.said.get("requestBody", {}).get("content", {}))

    def example(self, media: str) -> Any:
        """Returns the document's example body of that type; None: it has none."""
        if media == FORM:
            return {"grant_type": "client_credentials", "client_id": "", "client_secret": ""}
        return self.said["requestBody"]["content"][media].get("example")

    def blanks(self, media: str = "") -> tuple[Blank, ...]:
        """Returns the parameters, a choice of answer types, and a file's fields."""
        found = [_blank(self.path, one) for one in self.said["parameters"]]
        answers = [
            media for status, one in self.said["responses"].items() if status[0] == "2" for media in one.get("content", ())
        ]
        if len(set(answers)) > 1:
            found.append(Blank("header.accept", "accept", "", is_required=False, choices=tuple(dict.fromkeys(answers))))
        if media == MULTIPART:
            schema = self.said["requestBody"]["content"][media]["schema"]
            fields = {name: one for name, one in schema["properties"].items() if one.get("format") != "binary"}
            needed = schema.get("required", ())
            found += [
                Blank(f"part.{name}", name, "", name in needed, tuple(one.get("enum", ())), one.get("enum", ("",))[0])
                for name, one in fields.items()
            ]
        return tuple(found)


def operations(document: Mapping[str, Any]) -> dict[str, Operation]:
    """Returns every operation of an OpenAPI document by its id."""
    every = (
        Operation(said["operationId"], method.upper(), path, said)
        for path, item in document["paths"].items()
        for method, said in item.items()
    )
    return {one.id: one for one in every}


def _blank(path: str, one: Mapping[str, Any]) -> Blank:
    schema, needed = one["schema"], bool(one.get("required"))
    choices = tuple(str(word) for word in schema.get("enum", ()))
    if schema.get("type") == "boolean":
        choices = ("true", "false")
    start = str(one.get("example", "")) if needed else ""
    if one["name"] in ("key", "name", "page"):
        start = _EXAMPLES.get(path, start)
    if needed and choices:
        start = choices[0]
    hint = str(schema.get("default", ""))
    return Blank(f"{one['in']}.{one['name']}", one["name"], one.get("description", ""), needed, choices, start, hint)


def filled(value: Any, fresh: Mapping[str, str], name: str = "", parent: str = "") -> Any:
    """Replaces values of an example by fresh or existing ones. fresh: by the field's name."""
    if isinstance(value, dict):
        return {one: filled(inner, fresh, one, name) for one, inner in value.items()}
    if isinstance(value, list):
        return [filled(inner, fresh, name, parent) for inner in value]
    # The key that is paid to is somebody else's.
    return value if (name, parent) == ("pixKey", "paymentData") else fresh.get(name, value)


def body_of(example: Any, media: str, fresh: Mapping[str, str]) -> str:
    """Returns the initial text of a body. example: None: nothing is known of it."""
    if example is None:
        return ""
    if media == FORM:
        return (
            urlencode({**example, "client_id": fresh.get("clientId", "")})[: -len("client_secret=")]
            + f"client_secret={SECRET}"
        )
    if media == "text/csv":
        rows = list(csv.DictReader(io.StringIO(example)))
        out = io.StringIO()
        writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(
            {**row, **{name: fresh[name] for name in row if name in fresh and name != "pixKey"}} for row in rows
        )
        return out.getvalue()
    return json.dumps(filled(example, fresh), indent=2, ensure_ascii=False)


def names_in(value: Any) -> set[str]:
    """Returns the names of all fields of an example."""
    if isinstance(value, dict):
        return {name for one, inner in value.items() for name in (one, *names_in(inner))}
    return {name for inner in value for name in names_in(inner)} if isinstance(value, list) else set()


def call_of(operation: Operation, form: Mapping[str, str], media: str, file: bytes = b"") -> Call | list[tuple[str, str]]:
    """Returns the call of a form, without the token. file: the file to send, where one is.

    Or the problems instead: the name of each field, and why: missing, unfit (no printable ASCII in a header), large.
    """
    blanks = {one.field: one for one in operation.blanks(media)}
    given = {field: form.get(field, "") for field in blanks}
    wrong = [(one.name, "missing") for field, one in blanks.items() if one.is_required and not given[field]]
    headers = {field[7:]: text for field, text in given.items() if field.startswith("header.") and text}
    wrong += [(name, "unfit") for name, text in headers.items() if not (text.isascii() and text.isprintable())]
    typed = form.get("body", "").replace("\r\n", "\n").encode("utf-8", "replace")
    if len(typed) > MOST_BYTES:
        wrong.append(("body", "large"))
    if wrong:
        return wrong
    path = _IN_PATH.sub(lambda found: _segment(given[f"path.{found[1]}"]), operation.path)
    query = urlencode(
        {field[6:]: text for field, text in given.items() if field.startswith("query.") and text}, quote_via=quote
    )
    parts = {field[5:]: text for field, text in given.items() if field.startswith("part.") and text}
    body: bytes | None = typed if media else None
    if media == MULTIPART:
        body, headers["content-type"] = _multipart(parts, file), f"{MULTIPART}; boundary={_BOUNDARY}"
    elif typed and media:
        headers["content-type"] = media
    return Call(operation.method, path + (f"?{query}" if query else ""), headers, body)


def _segment(text: str) -> str:
    """Quotes one segment of a path: dots alone would lead elsewhere (RFC 3986 §5.2.4)."""
    return text.replace(".", "%2E") if text.strip(".") == "" else quote(text, safe="")


def _multipart(parts: Mapping[str, str], file: bytes) -> bytes:
    """Encodes parts and a picture as multipart form data (RFC 7578)."""
    begin = f"--{_BOUNDARY}\r\ncontent-disposition: form-data; name="
    texts = [f'{begin}"{name}"\r\n\r\n{text}\r\n'.encode("utf-8", "replace") for name, text in parts.items()]
    head = f'{begin}"file"; filename="picture.png"\r\ncontent-type: image/png\r\n\r\n'.encode()
    return b"".join([*texts, head, file, f"\r\n--{_BOUNDARY}--\r\n".encode()])
