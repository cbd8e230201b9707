"""The reference that people read at /docs: the OpenAPI document as pages, whole without scripts or any other server."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
from markupsafe import Markup, escape

from lastro.api_kit.catalogue import Speech, read_texts
from lastro.web.openapi import calls
from lastro.web.openapi.enumerations import without_names
from lastro.web.search import Section, form

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

BASE = "/docs/api"
CONTENTS = ""  # the name of the first page
LANGUAGES = ("en", "pt")
# Pages beside those of tags.
_OTHERS = ("events", "errors", "types")
# What a hit counts in a search, beside one in a guide.
_OPERATION, _EVENT, _TYPE = 1.5, 1.0, 0.5
_HERE = Path(__file__).parent
_TEXTS = read_texts(_HERE / "texts.toml")
_ABOUT = {"pt": (_HERE / "about.pt.md").read_text(encoding="utf-8").strip()}
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


def inlined(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the document as pages show it: with lists of words in their places."""
    return without_names(document)


def names(document: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns the names of all pages; CONTENTS is the first."""
    return (CONTENTS, *(tag["name"] for tag, _ in _by_tag(document)), *_OTHERS)


def address(name: str, part: str = "", query: str = "") -> str:
    """Returns the address of a page. part: of it. query: what names the language, or nothing."""
    return (f"{BASE}/{name}" if name else "/docs") + query + (f"#{part}" if part else "")


def page(document: Mapping[str, Any], name: str, language: str, *, asked: bool = False, tried_at: str = "") -> bytes:
    """Renders a page.

    document: as `inlined` gives it. asked: the address names the language, and so do its links. tried_at: what stands before
    an operation's id where it can be tried; empty: nowhere.
    """
    say, tags, query = Speech(language, _TEXTS), _by_tag(document), f"?lang={language}" if asked else ""
    tag, operations = next(((tag, listed) for tag, listed in tags if tag["name"] == name), (None, []))
    template = f"{name or 'contents'}.html" if tag is None else "operations.html"
    said = _JINJA.get_template(template).render(
        doc=document,
        say=say,
        name=name,
        query=query,
        search=form(language, asked=asked),
        others=_OTHERS,
        address=lambda of, part="": address(of, part, query),
        here=address(name),
        types=address("types", query=query) if name != "types" else "",
        errors=address("errors", query=query) if name != "errors" else "",
        tag=tag,
        about=_ABOUT.get(language, document["info"]["description"]),
        operations=operations,
        tried_at=tried_at,
        language=language,
        tags=tags,
        found=lambda one: _found(document, one),
        kind=lambda schema: _kind(schema, say),
        inners=_inners,
        text=_text,
        line=_line,
        pretty=calls.pretty,
        curl=lambda path, method, one: calls.curl(document, path, method, one),
        by_clients=calls.by_clients,
    )
    return said.encode()


def sections(document: Mapping[str, Any]) -> Iterator[Section]:
    """Yields what a search finds: operations, events and types. document: as `inlined` gives it."""
    for tag, operations in _by_tag(document):
        for path, method, one in operations:
            fields = " ".join(_words(document, one.get("requestBody", {}), set()))
            queries = " ".join(f"{p['name']}: {p['description']}" for p in one["parameters"])
            said = f"{method.upper()} {path} {one['operationId']}. {one['description']} {queries} {fields}"
            title = tag["name"].capitalize()
            yield Section(address(tag["name"], one["operationId"]), one["summary"], title, _plain(said), "en", _OPERATION)
    for name, item in document["webhooks"].items():
        said, post = f"{name}. {item['post']['description']}", item["post"]
        yield Section(address("events", name), f"{name}: {post['summary']}", name, _plain(said), "en", _EVENT)
    for name, schema in document["components"]["schemas"].items():
        said = f"{schema.get('description', '')} {' '.join(_words(document, {'schema': schema}, set()))}"
        yield Section(address("types", f"type-{name}"), name, name, _plain(said), "en", _TYPE)


def _words(document: Mapping[str, Any], part: Any, seen: set[str]) -> Iterator[str]:
    """Yields names and descriptions of a body's fields, each type once."""
    if isinstance(part, list):
        for one in part:
            yield from _words(document, one, seen)
    if not isinstance(part, dict):
        return
    if "$ref" in part:
        if part["$ref"] not in seen:
            seen.add(part["$ref"])
            yield from _words(document, _found(document, {"$ref": part["$ref"]}), seen)
        return
    for name, field in part.get("properties", {}).items():
        yield f"{name}: {field.get('description', '')}"
        yield from _words(document, field, seen)
    for name in ("content", "application/json", "schema", "items", "allOf", "anyOf", "oneOf"):
        yield from _words(document, part.get(name), seen)


def _plain(markdown: str) -> str:
    return " ".join(markdown.replace("`", "").replace("**", "").split())


def _by_tag(document: Mapping[str, Any]) -> list[tuple[Mapping[str, Any], list[tuple[str, str, Mapping[str, Any]]]]]:
    """Returns each tag that has operations, with them: path, method and description."""
    every = [(path, method, one) for path, item in document["paths"].items() for method, one in item.items()]
    listed = [(tag, [o for o in every if tag["name"] in o[2]["tags"]]) for tag in document["tags"]]
    return [(tag, operations) for tag, operations in listed if operations]


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
