"""Derives JSON Schemas of bodies and answers from their types."""

from __future__ import annotations

import re
from itertools import combinations
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import inspect

from lastro.api_kit.aliases import second_names
from lastro.api_kit.forms import NEVER_NULL, Form
from lastro.standards.legible import FAR_EMOJI, FAR_UNSEEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_NULL = {"type": "null"}
# Parts of our patterns for Python alone. In OpenAPI's dialect (ECMA-262) $ is the end of the text, not also before a last
# newline; and half a character, which no UTF-8 can hold, is refused by stricter readers if a pattern names one.
_PYTHONS = (r"(?!\n)", r"\ud800-\udfff")
# Many readers take a text as UTF-16 units, and refuse a range beyond the first 65,536 characters. For a picture from there
# the document has any character from there; of what is not seen there it says nothing, and the code alone refuses it.
_PICTURES = re.compile(rf"\(\?<!\[([^]]*){FAR_EMOJI}([^]]*)\]\)")
_ANY_FAR = r"(?<![\1\2]|[^\\u0000-\\uffff])"
_PLACE = "#/components/schemas/{name}"


def reference(kind: type[msgspec.Struct]) -> dict[str, str]:
    """Returns the reference to a type's schema in the document."""
    return {"$ref": _PLACE.format(name=kind.__name__)}


def components(kinds: Iterable[type[msgspec.Struct]], place: str = _PLACE) -> dict[str, dict[str, Any]]:
    """Returns the schemas of types and of all their parts, by name.

    place: the reference to a schema, with `{name}`. ValueError: two types have one name, so readers could not tell them
    apart.
    """
    wanted = sorted(set(kinds), key=lambda kind: kind.__name__)
    _, found = msgspec.json.schema_components(wanted, ref_template=place)
    named: dict[str, inspect.StructType] = {}
    for kind in wanted:
        for struct in structs(inspect.type_info(kind)):
            if named.setdefault(struct.cls.__name__, struct).cls is not struct.cls:
                raise ValueError(f"two types are called {struct.cls.__name__}")
    return {name: _component(found[name], named[name]) for name in sorted(found)}


def structs(kind: inspect.Type) -> Iterator[inspect.StructType]:
    """Yields every struct in a type, each as often as it occurs."""
    if isinstance(kind, inspect.StructType):
        yield kind
        for field in kind.fields:
            yield from structs(field.type)
    elif isinstance(kind, inspect.Metadata):
        yield from structs(kind.type)
    elif isinstance(kind, inspect.UnionType):
        for one in kind.types:
            yield from structs(one)
    elif isinstance(kind, inspect.ListType):
        yield from structs(kind.item_type)
    elif isinstance(kind, inspect.DictType):
        yield from structs(kind.value_type)


def _component(schema: dict[str, Any], struct: inspect.StructType) -> dict[str, Any]:
    is_form = issubclass(struct.cls, Form)
    fields = {field.encode_name: field.required for field in struct.fields}
    # A struct's tag is a field too, though it is not declared as one.
    properties = {
        name: _property(said, required=fields.get(name, True), is_form=is_form)
        for name, said in schema["properties"].items()
    }
    alternatives = struct.cls.alternatives if issubclass(struct.cls, Form) else ()
    required, rules = _second_names(struct.cls, properties, list(schema["required"]))
    return {
        "type": "object",
        **({"description": schema["description"]} if "description" in schema else {}),
        "properties": properties,
        **({"required": required} if required else {}),
        **({"allOf": rules} if rules else {}),
        **({"anyOf": [{"required": list(names)} for names in alternatives]} if alternatives else {}),
    }


def _second_names(
    form: type, properties: dict[str, dict[str, Any]], required: list[str]
) -> tuple[list[str], list[dict[str, Any]]]:
    """Adds a form's second names to its properties. Returns what is required, and which of two names may stand together."""
    rules: list[dict[str, Any]] = []
    for main, others in second_names(form).items():
        names = (main, *others)
        for other in others:
            said = {key: value for key, value in properties[main].items() if key not in ("description", "examples")}
            properties[other] = {**said, "description": f"Another name of `{main}`.", "x-alias-of": main}
        if main in required:
            required.remove(main)
            rules.append({"oneOf": [{"required": [name], "properties": {name: {}}} for name in names]})
        else:
            rules += [
                {"not": {"required": [*pair], "properties": {name: {} for name in pair}}} for pair in combinations(names, 2)
            ]
    return required, rules


def _property(schema: dict[str, Any], *, required: bool, is_form: bool) -> dict[str, Any]:
    """Returns the schema of a field.

    In a request null counts as absent (contract.md §1). In an answer a field that may be absent is left out, and one that
    may be null is there.
    """
    outer = _portable({name: value for name, value in schema.items() if name not in ("anyOf", "default")})
    either = [_portable(one) for one in schema.get("anyOf", ())]
    if not either:
        return outer
    rest = [one for one in either if one != _NULL]
    if len(rest) != 1:
        return {**outer, "anyOf": either}
    never_null = outer.get("not") == NEVER_NULL["not"]
    if never_null:
        del outer["not"]
    kind = rest[0]
    is_nullable = (is_form and not never_null) if not required else True
    if not is_nullable:
        return {**kind, **outer}
    if "type" in kind and "enum" not in kind:
        return {**kind, **outer, "type": [kind["type"], "null"]}
    return {**outer, "anyOf": [kind, _NULL]}


def _portable(schema: dict[str, Any]) -> dict[str, Any]:
    """Returns a schema as readers in every language take it: patterns, and one of several types by its discriminator."""
    if "items" in schema:
        schema = {**schema, "items": _portable(schema["items"])}
    if "discriminator" in schema and "anyOf" in schema:
        schema = {("oneOf" if name == "anyOf" else name): value for name, value in schema.items()}
    if "pattern" not in schema:
        return schema
    pattern = schema["pattern"]
    for part in (*_PYTHONS, FAR_UNSEEN):
        pattern = pattern.replace(part, "")
    return {**schema, "pattern": _PICTURES.sub(_ANY_FAR, pattern)}
