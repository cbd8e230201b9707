"""Calls of an operation: for a shell, and by the clients in clients/, by their names and arguments."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_JSON = "application/json"
_MULTIPART = "multipart/form-data"
_CAPITAL = re.compile(r"(?<=[a-z])([A-Z])")
_WORD = re.compile(r"[A-Za-z_$][\w$]*\Z")
_ONE_LINE = 90  # characters: longer calls stand on several lines
# Some operations take nothing but a UUID as the key. uuidgen is no part of a small Debian, Python is of every sandbox.
_UUID = "$(python3 -c 'import uuid; print(uuid.uuid4())')"
_ID = "0196a4f0-6c1e-7a31-9d2f-3f0a9b6c5d21"
_LITERALS = {True: "True", False: "False", None: "None"}


def curl(document: Mapping[str, Any], path: str, method: str, one: Mapping[str, Any]) -> str:
    """Returns a call for a shell in which TOKEN is set."""
    given = {p["name"]: str(p.get("example", p["name"])) for p in one["parameters"] if p["in"] == "path"}
    query = urlencode(dict(_given(one, "query")))
    url = document["servers"][0]["url"] + path.format(**given) + (f"?{query}" if query else "")
    verb = "" if method == "get" else f" -X {method.upper()}"
    parts = [f"curl{verb} {_quoted(url)}"]
    if one["security"] and "bearer" in one["security"][0]:
        parts.append('-H "authorization: Bearer $TOKEN"')
    if any(p["name"] == "idempotency-key" for p in one["parameters"]):
        parts.append(f'-H "idempotency-key: {_UUID}"')
    media, content = _body(one)
    if media == _MULTIPART:  # curl itself says the type, with the boundary that it chose
        parts += [f"-F {_quoted(f'{name}={_curl_field(field)}')}" for name, field in _fields(content)]
    elif media:
        parts.append(f"-H 'content-type: {media}'")
        if "example" in content:
            parts.append("-d " + _quoted(pretty(content["example"])))
        elif media.endswith("urlencoded"):
            parts.append('-u "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=client_credentials')
    return " \\\n  ".join(parts)


def by_clients(one: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Returns the call in Python and in TypeScript; nothing where the clients do not have it."""
    if "x-permission" not in one or "x-same-as" in one:
        return ()
    return (("Python", python(one)), ("TypeScript", typescript(one)))


def python(one: Mapping[str, Any]) -> str:
    """Returns a call by lastro-client, whose client is `lastro`."""
    media, content = _body(one)
    arguments = [_python(value, 0) for _, value in _given(one, "path")]
    if media == _MULTIPART:
        arguments += [f"{_snake(name)}={_python_field(field)}" for name, field in _fields(content)]
    elif media:
        arguments.append(_python(content["example"], 0))
    arguments += [f"{_snake(name)}={_python(value, 0)}" for name, value in _given(one, "query")]
    call = f"lastro.{one['operationId']}({', '.join(arguments)})"
    if len(call) > _ONE_LINE and media == _MULTIPART:
        call = f"lastro.{one['operationId']}(\n    " + ",\n    ".join(arguments) + ",\n)"
    return call if not _answers(one) else f"found = {call}"


def typescript(one: Mapping[str, Any]) -> str:
    """Returns a call by @lastro/client, whose client is `lastro`."""
    media, content = _body(one)
    places = {place: dict(_given(one, place)) for place in ("path", "query")}
    parts = [f"{place}: {_typescript(values, 1)}" for place, values in places.items() if values]
    before = ""
    if media == _MULTIPART:
        lines = [f'form.set("{name}", {_typescript_field(field)});' for name, field in _fields(content)]
        before, parts = "\n".join(["const form = new FormData();", *lines, ""]), [*parts, "form"]
    elif media:
        parts.append(f"body: {_typescript(content['example'], 1)}")
    name, answers = one["operationId"], _answers(one)
    is_bytes = bool(answers) and _JSON not in answers
    if is_bytes:
        parts.append(f'accept: "{answers[0]}"')
    given = "{ " + ", ".join(parts) + " }"
    if len(given) > _ONE_LINE:
        given = "{\n  " + ",\n  ".join(parts) + ",\n}"
    call = f'lastro.bytes("{name}", {given})' if is_bytes else f"lastro.{name}({given if parts else ''})"
    return before + (f"await {call};" if not answers else f"const found = await {call};")


def pretty(value: Any) -> str:
    """Returns an example as it is read."""
    if isinstance(value, str):
        return value
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


def _quoted(text: str) -> str:
    """Quotes one word for a shell."""
    return "'" + text.replace("'", "'\\''") + "'"


def _given(one: Mapping[str, Any], place: str) -> Iterator[tuple[str, Any]]:
    """Yields what has to be given: names and examples."""
    for parameter in one["parameters"]:
        if parameter["in"] == place and parameter.get("required"):
            words = parameter["schema"].get("enum", [parameter["name"]])
            yield parameter["name"], parameter.get("example", words[0])


def _body(one: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Returns the first kind of body, empty if there is none."""
    return next(iter(one.get("requestBody", {}).get("content", {}).items()), ("", {}))


def _answers(one: Mapping[str, Any]) -> list[str]:
    """Returns the media types of a success."""
    return next((list(said.get("content", {})) for status, said in one["responses"].items() if status[0] == "2"), [])


def _fields(content: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """Returns the fields of a form that have to be given."""
    schema = content["schema"]
    return [(name, field) for name, field in schema["properties"].items() if name in schema.get("required", ())]


def _is_file(field: Mapping[str, Any]) -> bool:
    return field.get("format") == "binary"


def _curl_field(field: Mapping[str, Any]) -> str:
    return "@front.jpg" if _is_file(field) else str(_word(field))


def _python_field(field: Mapping[str, Any]) -> str:
    if _is_file(field):
        return 'File("front.jpg", Path("front.jpg").read_bytes(), "image/jpeg")'
    return _python(_word(field), 0)


def _typescript_field(field: Mapping[str, Any]) -> str:
    return (
        'new Blob([await readFile("front.jpg")]), "front.jpg"'
        if _is_file(field)
        else json.dumps(_word(field), ensure_ascii=False)
    )


def _word(field: Mapping[str, Any]) -> Any:
    return field.get("example", _ID if field.get("format") == "uuid" else field.get("enum", ["…"])[0])


def _snake(name: str) -> str:
    found = _CAPITAL.sub(r"_\1", name).lower()
    return found + "_" if found == "from" else found


def _python(value: Any, depth: int) -> str:
    """Returns a literal of Python, on one line where it is short."""
    if isinstance(value, dict):
        return _listed([f'"{name}": {_python(part, depth + 1)}' for name, part in value.items()], "{}", "", depth, 4)
    if isinstance(value, list | tuple):
        return _listed([_python(part, depth + 1) for part in value], "[]", "", depth, 4)
    return _LITERALS[value] if value is None or isinstance(value, bool) else json.dumps(value, ensure_ascii=False)


def _typescript(value: Any, depth: int) -> str:
    """Returns a literal of TypeScript, on one line where it is short."""
    if isinstance(value, dict):
        named = [f"{_key(name)}: {_typescript(part, depth + 1)}" for name, part in value.items()]
        return _listed(named, "{}", " ", depth, 2)
    if isinstance(value, list | tuple):
        return _listed([_typescript(part, depth + 1) for part in value], "[]", "", depth, 2)
    return json.dumps(value, ensure_ascii=False)


def _key(name: str) -> str:
    return name if _WORD.match(name) else json.dumps(name)


def _listed(parts: list[str], brackets: str, inner: str, depth: int, step: int) -> str:
    flat = f"{brackets[0]}{inner}{', '.join(parts)}{inner}{brackets[1]}" if parts else brackets
    if len(flat) + depth * step <= _ONE_LINE and "\n" not in flat:
        return flat
    margin = " " * (step * (depth + 1))
    return f"{brackets[0]}\n" + "".join(f"{margin}{part},\n" for part in parts) + " " * (step * depth) + brackets[1]
