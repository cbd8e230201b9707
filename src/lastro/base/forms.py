"""Reading a request's JSON: fast when it is right, complete about its problems when it is not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import msgspec
from msgspec import inspect

from lastro.base.errors import Problem
from lastro.base.money import Money, MoneyError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

DEEPEST = 32
_KEYS = re.compile(rb'"\s*:')
# In Python $ also stands before a last newline; (?!\n) says that it does not, and means the same in OpenAPI's dialect.
_PRINTABLE = r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]*$(?!\n)"
_PRINTABLE_UNPADDED = r"^(?! )(?!.* $)[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]*$(?!\n)"

# Text as clients send it: Unicode is kept, control characters are refused.
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=140, pattern=_PRINTABLE)]
Description = Annotated[str, msgspec.Meta(min_length=1, max_length=140, pattern=_PRINTABLE)]
ExternalId = Annotated[
    str,
    msgspec.Meta(
        min_length=1, max_length=64, pattern=r"^(?! )(?!.* $)[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]*$(?!\n)"
    ),
]
Url = Annotated[str, msgspec.Meta(min_length=1, max_length=2048)]
Email = Annotated[str, msgspec.Meta(min_length=3, max_length=77, pattern=_PRINTABLE)]
Line = Annotated[str, msgspec.Meta(min_length=1, max_length=140, pattern=_PRINTABLE)]


class Form(msgspec.Struct, rename="camel", kw_only=True):
    """A request body, or a part of it. Fields that may be absent have a default of None; null counts as absent."""


class Amount(Form):
    """Money as it arrives: value is kept as the bytes it was written in, so that no float ever touches it."""

    currency: Annotated[str, msgspec.Meta(max_length=8)]
    value: msgspec.Raw


F = TypeVar("F", bound=Form)


def _number(text: str) -> float | int:
    """1.0 and 1 are the same number, so that the same request written another way is the same request."""
    value = float(text)
    return int(value) if value.is_integer() else value


_plain = msgspec.json.Decoder(float_hook=_number)


class NotJson(ValueError):  # noqa: N818 says what it is
    """The body is no JSON object as the interface takes it: broken, too deep, a key twice, not UTF-8, or no object."""


def parsed(raw: bytes) -> dict[str, Any]:
    """The body as plain JSON, for comparing requests. NotJson when it is broken, deeper than 32, or has a key twice."""
    try:
        value = _plain.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise NotJson("cannot be read as JSON in UTF-8") from error
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
    """The form, and what is wrong with it; a field with a problem is None in it, so that rules see all the others.

    raw: a body that parsed() has accepted.
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


def _partly(raw: bytes, form: type[Any], path: str, problems: list[Problem]) -> Any:
    pieces = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
    info = inspect.type_info(form)
    assert isinstance(info, inspect.StructType)
    values: dict[str, Any] = {}
    for field in info.fields:
        piece = pieces.get(field.encode_name)
        values[field.name] = _field(piece, field, path + field.encode_name, problems)
    return form(**values)  # a bad field is None, whatever its type says: rules look at what is there


def _field(piece: msgspec.Raw | None, field: inspect.Field, path: str, problems: list[Problem]) -> Any:
    raw = None if piece is None else bytes(piece)
    kind = _without_none(field.type)
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
    try:
        return msgspec.json.decode(raw, type=_leaf(kind))
    except (msgspec.ValidationError, UnicodeDecodeError) as error:
        problems.append(_problem(path, str(error)))
        return None


def _without_none(kind: inspect.Type) -> inspect.Type:
    if isinstance(kind, inspect.UnionType):
        left = [t for t in kind.types if not isinstance(t, inspect.NoneType)]
        if len(left) == 1:
            return left[0]
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


def _problem(path: str, error: str) -> Problem:
    if "length <=" in error:
        return Problem(
            path, "TOO_LONG", "is too long: " + error.split(" - ", maxsplit=1)[0].rsplit("length ", maxsplit=1)[-1]
        )
    if "length >=" in error:
        return Problem(path, "INVALID", "must not be empty" if "length >= 1" in error else "is too short")
    if "<=" in error or ">=" in error:
        return Problem(path, "OUT_OF_RANGE", error.split(" - ", maxsplit=1)[0].replace("Expected `int`", "must be"))
    if "matching regex" in error:
        return Problem(path, "INVALID", "has a character that is not allowed here")
    if "Invalid enum value" in error:
        return Problem(path, "INVALID", "is not one of the values the interface names")
    return Problem(path, "INVALID", "has the wrong type or form")


def money(amount: Amount | None, path: str, problems: list[Problem], currencies: Iterable[str] = ("BRL",)) -> Money | None:
    """The amount read exactly from its text, or None with the problem noted at its path."""
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


def first_of_each(problems: Iterable[Problem], order: Callable[[Problem], Any] | None = None) -> tuple[Problem, ...]:
    """One problem a field, the first that was found; none below a field that is itself at fault."""
    kept: dict[str, Problem] = {}
    for p in problems:
        parts = p.field.split(".")
        if not any(".".join(parts[:n]) in kept for n in range(1, len(parts) + 1)):
            kept[p.field] = p
    found = kept.values()
    return tuple(sorted(found, key=order) if order else found)
