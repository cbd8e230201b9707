"""The reference that people read at /docs: the OpenAPI document as one page, whole without scripts or any other server."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
import msgspec
from markupsafe import Markup, escape

from lastro.api_kit.catalogue import Speech, read_texts
from lastro.web.openapi.enumerations import without_names

if TYPE_CHECKING:
    from collections.abc import Mapping

LANGUAGES = ("en", "pt")
_HERE = Path(__file__).parent
_TEXTS = read_texts(_HERE / "texts.toml")
STYLE = (_HERE / "templates" / "style.css").read_bytes()
_CODE = re.compile(r"`([^`]+)`")
_STRONG = re.compile(r"\*\*([^*]+)\*\*")
_JINJA = jinja2.Environment(
    loader=jinja2.FileSystemLoader(_HERE / "templates"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=jinja2.StrictUndefined,
)


def pages(document: Mapping[str, Any], tried_at: str = "") -> dict[str, bytes]:
    """Returns the page in each of our languages. document: OpenAPI, as `document` makes it.

    tried_at: what stands before an operation's id where it can be tried; empty: nowhere.
    """
    inlined = without_names(document)
    return {language: _page(inlined, language, tried_at) for language in LANGUAGES}


def _page(document: Mapping[str, Any], language: str, tried_at: str) -> bytes:
    say = Speech(language, _TEXTS)
    page = _JINJA.get_template("reference.html").render(
        doc=document,
        say=say,
        tried_at=tried_at,
        language=language,
        tags=_by_tag(document),
        found=lambda one: _found(document, one),
        kind=lambda schema: _kind(schema, say),
        inners=_inners,
        text=_text,
        line=_line,
        pretty=_pretty,
        curl=lambda path, method, one: curl(document, path, method, one),
    )
    return page.encode()


def _by_tag(document: Mapping[str, Any]) -> list[tuple[Mapping[str, Any], list[tuple[str, str, Mapping[str, Any]]]]]:
    """Returns each tag with its operations: path, method and description."""
    every = [(path, method, one) for path, item in document["paths"].items() for method, one in item.items()]
    return [(tag, [o for o in every if tag["name"] in o[2]["tags"]]) for tag in document["tags"]]


def _found(document: Mapping[str, Any], one: Mapping[str, Any]) -> Mapping[str, Any]:
    """Resolves a `$ref`; returns anything else unchanged."""
    while "$ref" in one:
        place: Any = document
        for step in one["$ref"].removeprefix("#/").split("/"):
            place = place[step]
        one = {**place, **{name: value for name, value in one.items() if name != "$ref"}}
    return one


def _text(markdown: str) -> Markup:
    """Paragraphs, lists, `code` and **strong**: as much Markdown as our descriptions use, everything else escaped."""
    blocks = []
    for block in markdown.strip().split("\n\n"):
        lines = block.split("\n")
        if all(line.startswith("- ") for line in lines):
            items = Markup("").join(Markup("<li>{}</li>").format(_line(line[2:])) for line in lines)
            blocks.append(Markup("<ul>{}</ul>").format(items))
        elif block:
            blocks.append(Markup("<p>{}</p>").format(_line(" ".join(lines))))
    return Markup("\n").join(blocks)


def _line(text: str) -> Markup:
    safe = _CODE.sub(r"<code>\1</code>", str(escape(text)))
    return Markup(_STRONG.sub(r"<strong>\1</strong>", safe))  # noqa: S704 it was escaped before


def _inners(schema: Mapping[str, Any]) -> list[str]:
    """Returns the names of a field's types, or of its items' types."""
    own = [str(schema["$ref"]).rpartition("/")[2]] if "$ref" in schema else []
    parts = (
        *([schema["items"]] if "items" in schema else ()),
        *schema.get("anyOf", ()),
        *schema.get("oneOf", ()),
        *schema.get("allOf", ()),
    )
    return [*own, *(name for part in parts for name in _inners(part))]


def _kind(schema: Mapping[str, Any], say: Speech) -> str:
    """Returns a short text of the values that a schema allows."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    either = schema.get("anyOf") or schema.get("oneOf")
    if either:
        named = [_kind(one, say) for one in either if one.get("type") != "null"]
        null = f" {say('null')}" if {"type": "null"} in either else ""
        return f" {say('or')} ".join(named) + null
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return f"{say('one-of')} " + ", ".join(f"`{value}`" for value in schema["enum"])
    if schema.get("type") == "array":
        return f"{say('of')} {_kind(schema.get('items', {}), say)}"
    kinds = schema.get("type", "object")
    null = f" {say('null')}" if isinstance(kinds, list) and "null" in kinds else ""
    kind = next(k for k in kinds if k != "null") if isinstance(kinds, list) else str(kinds)
    bounds = [schema["format"]] if "format" in schema else []
    bounds += [f"{sign} {schema[name]:,}" for name, sign in _BOUNDS if name in schema]
    return kind + (f" ({', '.join(bounds)})" if bounds else "") + null


_BOUNDS = (
    ("minLength", "length ≥"), ("maxLength", "length ≤"), ("minimum", "≥"), ("exclusiveMinimum", ">"), ("maximum", "≤"),
)  # fmt: skip


def _pretty(value: Any) -> str:
    if isinstance(value, str):
        return value
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


def curl(document: Mapping[str, Any], path: str, method: str, one: Mapping[str, Any]) -> str:
    """Returns a call for a shell in which TOKEN is set."""
    given = {p["name"]: str(p.get("example", p["name"])) for p in one["parameters"] if p["in"] == "path"}
    verb = "" if method == "get" else f" -X {method.upper()}"
    parts = [f"curl{verb} {_quoted(document['servers'][0]['url'] + path.format(**given))}"]
    if one["security"] and "bearer" in one["security"][0]:
        parts.append('-H "authorization: Bearer $TOKEN"')
    if any(p["name"] == "idempotency-key" for p in one["parameters"]):
        parts.append('-H "idempotency-key: $(uuidgen)"')
    for media, content in [*one.get("requestBody", {}).get("content", {}).items()][:1]:
        parts.append(f"-H 'content-type: {media}'")
        if "example" in content:
            parts.append("-d " + _quoted(_pretty(content["example"])))
        elif media.endswith("urlencoded"):
            parts.append('-u "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=client_credentials')
    return " \\\n  ".join(parts)


def _quoted(text: str) -> str:
    """Quotes one word for a shell."""
    return "'" + text.replace("'", "'\\''") + "'"
