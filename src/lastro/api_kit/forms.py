"""Reading a request's JSON: fast when it is right, complete about its problems when it is not."""

from __future__ import annotations

import re
from collections.abc import Mapping  # noqa: TC003 msgspec reads the annotations when it runs
from decimal import Decimal
from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar

import msgspec
from msgspec import inspect

from lastro.core.errors import Problem, misread, one_of
from lastro.core.money import KEPT, Money, MoneyError
from lastro.standards.legible import ACCENTS, ALONE, MOST_MARKS, UNSEEN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lastro.core.errors import Refusal

DEEPEST = 32
_ALTERNATIVES = re.compile(r"\^\((\w+(?:\|\w+)*)\)\$")  # the form of a declared enumeration
_KEYS = re.compile(rb'"\s*:')
# In Python $ also stands before a last newline; (?!\n) says that it does not, and means the same in OpenAPI's dialect.
# Something in it is to be seen: blanks say nothing.
# Nothing in it turns what stands beside it, hides, or piles up on a letter (standards.legible).
_SEEN = (
    rf"(?!.*(?:{ALONE}))(?!.*[{ACCENTS}]{{{MOST_MARKS + 1}}})[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff{UNSEEN}]*$(?!\n)"
)
PRINTABLE = rf"^(?=.*[^\s]){_SEEN}"
# A text of several lines: with tabs and the ends of lines, and in none of them what a line may not have.
PRINTABLE_LINES = (
    rf"^(?=[\s\S]*[^\s])(?![\s\S]*(?:{ALONE}))(?![\s\S]*[{ACCENTS}]{{{MOST_MARKS + 1}}})"
    rf"[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff{UNSEEN}]*$(?!\n)"
)
_PRINTABLE_UNPADDED = rf"^(?! )(?!.* $){_SEEN}"

# Of a field that may be left out, but is refused where it is null.
NEVER_NULL = {"not": {"type": "null"}}
# An amount as it may arrive. Zero and what has more decimals than the currency are refused beyond it.
_AMOUNT = {
    "description": 'Read from its text as it stands: `10.5`, `"10.50"` and `1050e-2` are the same amount.',
    "examples": ["10.50"],
    "oneOf": [
        {"type": "string", "pattern": r"^0*[0-9]{1,10}(\.[0-9]{1,2})?$"},
        {"type": "number", "exclusiveMinimum": 0, "maximum": 9_999_999_999.99},
    ],
}

# Text as clients send it: Unicode is kept, control characters are refused.
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=140, pattern=PRINTABLE)]
Description = Annotated[str, msgspec.Meta(min_length=1, max_length=140, pattern=PRINTABLE)]
ExternalId = Annotated[str, msgspec.Meta(min_length=1, max_length=64, pattern=_PRINTABLE_UNPADDED)]
Url = Annotated[str, msgspec.Meta(min_length=1, max_length=2048)]
Email = Annotated[str, msgspec.Meta(min_length=3, max_length=77, pattern=PRINTABLE)]
Line = Annotated[str, msgspec.Meta(min_length=1, max_length=140, pattern=PRINTABLE)]


class Form(msgspec.Struct, rename="camel", kw_only=True):
    """A request body, or a part of it. Fields that may be absent have a default of None; null counts as absent.

    aliases: second names of its fields (lastro.api_kit.aliases), each with the main one, both as they stand in JSON.
    alternatives: sets of fields of which one has to be there whole. Rules say so of a request, the schema of the document.
    """

    aliases: ClassVar[Mapping[str, str]] = {}
    alternatives: ClassVar[tuple[tuple[str, ...], ...]] = ()


class Amount(Form):
    """An amount with its currency: a decimal text with a dot, or a number, from 0.01 to 9,999,999,999.99."""

    currency: Annotated[
        str,
        msgspec.Meta(
            description="ISO 4217 code.", max_length=8, examples=["BRL"], extra_json_schema={"enum": list(KEPT)}
        ),
    ]  # fmt: skip
    # The bytes it was written in, so that no float ever touches it.
    value: Annotated[msgspec.Raw, msgspec.Meta(extra_json_schema=_AMOUNT)]


class BrlAmount(Amount, kw_only=True):
    """An amount of what moves in reais alone."""

    currency: Annotated[
        str, msgspec.Meta(description="BRL.", max_length=8, examples=["BRL"], extra_json_schema={"enum": ["BRL"]})
    ]


F = TypeVar("F", bound=Form)


def _number(text: str) -> float | int | Decimal:
    """Parses a number; 1.0 and 1 become equal. So the same request written another way is the same request."""
    value = float(text)
    if not isfinite(value):
        return Decimal(text)  # a float has no place for it, and infinity is written as null, which is another request
    return int(value) if value.is_integer() else value


plain = msgspec.json.Decoder(float_hook=_number)


class NotJson(ValueError):  # noqa: N818 says what it is
    """The body is no JSON object as the interface takes it: broken, too deep, a key twice, not UTF-8, or no object."""


def parsed(raw: bytes) -> dict[str, Any]:
    """Parses a body as plain JSON, for comparing requests. NotJson: it is broken, deeper than 32, or has a key twice."""
    try:
        value = plain.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise NotJson("cannot be read as JSON in UTF-8") from error
    except ArithmeticError as error:
        raise NotJson("has a number that is too large for any field") from error
    if not isinstance(value, dict):
        raise NotJson("must be a JSON object")
    # Each key is followed by a colon; more colons than keys mean a key twice, or a text that looks like one: look closer.
    if _count(value, 1) != len(_KEYS.findall(raw)) and _has_key_twice(raw):
        raise NotJson("must not have a key twice")
    return value


def _count(value: Any, depth: int) -> int:
    if depth > DEEPEST:
        raise NotJson(f"must not be deeper than {DEEPEST}")
    if isinstance(value, dict):
        return len(value) + sum(_count(v, depth + 1) for v in value.values() if isinstance(v, (dict, list)))
    return sum(_count(v, depth + 1) for v in value if isinstance(v, (dict, list)))


def _has_key_twice(raw: bytes) -> bool:
    import json  # noqa: PLC0415 only for bodies that look odd

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({k for k, _ in pairs}) != len(pairs):
            raise NotJson("must not have a key twice")
        return dict(pairs)

    try:
        json.loads(raw, object_pairs_hook=unique)
    except NotJson:
        return True
    return False


_DECODERS: dict[type[Form], msgspec.json.Decoder[Any]] = {}


def read(raw: bytes, form: type[F]) -> tuple[F, list[Problem]]:
    """Reads a form and its problems.

    A field with a problem is None in it, so that rules see all the others. raw: a body that parsed() has accepted.
    """
    decoder = _DECODERS.get(form)
    if decoder is None:
        decoder = _DECODERS[form] = msgspec.json.Decoder(form)
    try:
        return decoder.decode(raw), []
    except (msgspec.ValidationError, UnicodeDecodeError):
        problems: list[Problem] = []
        partial: F = _partly(raw, form, "", problems)
        return partial, problems


_FIELDS: dict[type[Any], tuple[inspect.Field, ...]] = {}


def _fields(form: type[Any]) -> tuple[inspect.Field, ...]:
    """Returns a form's fields, cached. Inspecting the form takes far longer than reading a body."""
    found = _FIELDS.get(form)
    if found is None:
        info = inspect.type_info(form)
        assert isinstance(info, inspect.StructType)
        found = _FIELDS[form] = info.fields
    return found


def _partly(raw: bytes, form: type[Any], path: str, problems: list[Problem]) -> Any:
    pieces = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
    values: dict[str, Any] = {}
    for field in _fields(form):
        piece = pieces.get(field.encode_name)
        values[field.name] = _field(piece, field, path + field.encode_name, problems)
    return form(**values)  # a bad field is None, whatever its type says: rules look at what is there


def _field(piece: msgspec.Raw | None, field: inspect.Field, path: str, problems: list[Problem]) -> Any:
    raw = None if piece is None else bytes(piece)
    kind = without_none(field.type)
    if raw is None or (raw == b"null" and not isinstance(kind, inspect.RawType)):
        if field.required:
            problems.append(Problem(path, "REQUIRED", "is required"))
        return None
    if isinstance(kind, inspect.StructType):
        if not raw.startswith(b"{"):
            problems.append(Problem(path, "INVALID", "must be an object"))
            return None
        return _partly(raw, kind.cls, path + ".", problems)
    if isinstance(kind, inspect.RawType):
        return msgspec.Raw(raw)
    if isinstance(kind, inspect.ListType):
        return _list(raw, kind, path, problems)
    # 3600.0 is the whole number 3600 in JSON, as it is in JSON Schema; the text "3600" is none.
    is_number = isinstance(kind, inspect.IntType) and raw[0] in b"-0123456789"
    try:
        return msgspec.json.decode(raw, type=_leaf(kind), strict=not is_number)
    except (msgspec.ValidationError, UnicodeDecodeError) as error:
        problems.append(_problem(path, str(error), raw, kind))
        return None


def _list(raw: bytes, kind: inspect.ListType, path: str, problems: list[Problem]) -> list[Any] | None:
    """Reads each item by itself; a faulty one is None."""
    if not raw.startswith(b"["):
        problems.append(Problem(path, "INVALID", "must be a list"))
        return None
    pieces = msgspec.json.decode(raw, type=list[msgspec.Raw])
    if kind.max_length is not None and len(pieces) > kind.max_length:
        problems.append(Problem(path, "TOO_LONG", f"must have at most {kind.max_length} items"))
        return None
    if len(pieces) < (kind.min_length or 0):
        problems.append(Problem(path, "INVALID", "must not be empty"))
        return None
    item = without_none(kind.item_type)
    found: list[Any] = []
    for place, piece in enumerate(map(bytes, pieces)):
        if not isinstance(item, inspect.StructType):
            raise TypeError(f"forms do not know lists of {item}")
        if piece.startswith(b"{"):
            found.append(_partly(piece, item.cls, f"{path}[{place}].", problems))
        else:
            problems.append(Problem(f"{path}[{place}]", "INVALID", "must be an object"))
            found.append(None)
    return found


def without_none(kind: inspect.Type) -> inspect.Type:
    """Returns the type without null and metadata. Null counts as absent."""
    if isinstance(kind, inspect.Metadata):
        return without_none(kind.type)
    if isinstance(kind, inspect.UnionType):
        left = [t for t in kind.types if not isinstance(t, inspect.NoneType)]
        if len(left) == 1:
            return without_none(left[0])
    return kind


def _leaf(kind: inspect.Type) -> Any:
    if isinstance(kind, inspect.StrType):
        return Annotated[str, msgspec.Meta(min_length=kind.min_length, max_length=kind.max_length, pattern=kind.pattern)]
    if isinstance(kind, inspect.IntType):
        return Annotated[int, msgspec.Meta(ge=kind.ge, le=kind.le)]
    if isinstance(kind, inspect.BoolType):
        return bool
    if isinstance(kind, inspect.LiteralType):
        from typing import Literal  # noqa: PLC0415

        return Literal[kind.values]
    if isinstance(kind, inspect.UUIDType):
        import uuid  # noqa: PLC0415

        return uuid.UUID
    if isinstance(kind, inspect.DateType):
        from datetime import date  # noqa: PLC0415

        return date
    raise TypeError(f"forms do not know {kind}")


def _words_of(kind: Any) -> tuple[str, ...]:
    """Returns an enumeration's words, however declared; none of other types."""
    if isinstance(kind, inspect.LiteralType):
        return tuple(str(value) for value in kind.values)
    found = _ALTERNATIVES.match(getattr(kind, "pattern", None) or "")
    return () if found is None else tuple(found[1].split("|"))


def _problem(path: str, error: str, raw: bytes, kind: Any) -> Problem:
    is_number = isinstance(kind, inspect.IntType)
    if "length <=" in error:
        longest = error.split(" - ", maxsplit=1)[0].rsplit("<= ", maxsplit=1)[-1]
        return Problem(path, "TOO_LONG", f"must have at most {longest} characters")
    if "length >=" in error:
        return Problem(path, "INVALID", "must not be empty" if "length >= 1" in error else "is too short")
    if is_number and "out of range" in error:
        return Problem(path, "OUT_OF_RANGE", "is too large")
    if "<=" in error or ">=" in error:
        return Problem(path, "OUT_OF_RANGE", error.split(" - ", maxsplit=1)[0].replace("Expected `int`", "must be"))
    if "matching regex" in error and not msgspec.json.decode(raw, type=str).strip():
        return Problem(path, "INVALID", "must not be blank")
    if ("matching regex" in error or "Invalid enum value" in error) and (words := _words_of(kind)):
        return Problem(path, "INVALID", one_of(words))
    if "matching regex" in error:
        return Problem(path, "INVALID", "has a character that is not allowed here")
    return Problem(path, "INVALID", "has the wrong type or form")


def money(amount: Amount | None, path: str, problems: list[Problem], currencies: Iterable[str] = ("BRL",)) -> Money | None:
    """Reads an amount exactly; None, with the problem noted, if it is wrong."""
    if amount is None:
        return None
    currency: str | None = amount.currency  # None where the form found it at fault
    if currency is not None and currency not in currencies:
        problems.append(Problem(f"{path}.currency", "NOT_SUPPORTED", f"must be {' or '.join(currencies)}"))
        currency = None
    value: msgspec.Raw | None = amount.value
    if value is None:
        return None
    text = bytes(value).decode()
    if text == "null":
        problems.append(Problem(f"{path}.value", "REQUIRED", "is required"))
        return None
    is_string = text.startswith('"')
    if not is_string and not (text[:1].isdigit() or text[:1] == "-"):
        problems.append(Problem(f"{path}.value", "INVALID", "must be a decimal string or a number"))
        return None
    try:
        text = msgspec.json.decode(text) if is_string else text
        read = Money.parse(text, currency or next(iter(currencies)), number=not is_string)
    except MoneyError as error:
        problems.append(Problem(f"{path}.value", error.issue, error.description))
        return None
    return None if currency is None else read


def money_refusals(path: str) -> tuple[Refusal, ...]:
    """Returns what `money` refuses of any amount, for the documentation."""
    return (
        misread(f"{path}.value", "REQUIRED", "`value` is null.", "Give a decimal text or a number."),
        misread(
            f"{path}.value", "INVALID",
            "The value is no decimal number with a dot, or has more decimals than the currency.",
            "Give `10.50`, without sign, blanks or separators of thousands.",
        ),
    )  # fmt: skip


def first_of_each(problems: Iterable[Problem], order: Callable[[Problem], Any] | None = None) -> tuple[Problem, ...]:
    """Returns the first problem of each field.

    A field below a faulty one has none. A field with a problem within is not called missing: it is there.
    """
    kept: dict[str, Problem] = {}
    for p in problems:
        parts = p.field.split(".")
        if p.issue == "REQUIRED" and any(field.startswith((f"{p.field}.", f"{p.field}[")) for field in kept):
            continue
        if not any(".".join(parts[:n]) in kept for n in range(1, len(parts) + 1)):
            kept[p.field] = p
    found = kept.values()
    return tuple(sorted(found, key=order) if order else found)


def in_order(problems: Iterable[Problem], form: type[Form] | None) -> tuple[Problem, ...]:
    """Sorts the first problem of each field in the form's order. Items of a list go one by one; unknown fields come last."""
    places = {} if form is None else _places(form)
    return first_of_each(problems, lambda problem: _place(problem.field, places))


def _place(field: str, places: Mapping[str, int]) -> tuple[tuple[int, int], ...]:
    above, found = "", []
    for part in field.split("."):
        name, _, item = part.partition("[")
        above = f"{above}.{name}" if above else name
        number = item.removesuffix("]")
        found.append((places.get(above, len(places)), int(number) if number.isdecimal() else -1))
    return tuple(found)


@lru_cache
def _places(form: type[Form]) -> dict[str, int]:
    """Returns every path of a form, as it is declared. A list has the path of its items, without their number."""
    found: list[str] = []
    _walk(form, "", found)
    return {path: place for place, path in enumerate(found)}


def _walk(form: type[Any], above: str, found: list[str]) -> None:
    info = inspect.type_info(form)
    assert isinstance(info, inspect.StructType)
    for field in info.fields:
        path = above + field.encode_name
        found.append(path)
        kind = without_none(field.type)
        if isinstance(kind, inspect.ListType):
            kind = without_none(kind.item_type)
        if isinstance(kind, inspect.StructType):
            _walk(kind.cls, path + ".", found)
