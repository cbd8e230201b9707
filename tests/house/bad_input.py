"""What can be wrong with a request, made of the route table: every field, parameter, header and id, times every trick."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import inspect

from lastro.api_kit.forms import without_none
from lastro.api_kit.routes import Route

from .asking import Ask

_PLACE = "@here@"
_MEGABYTE = 1_000_000
DEEP = b"[" * 33 + b"]" * 33

# Text of characters that are often taken for something else, or for nothing.
TRICKS: Mapping[str, str] = {
    "blank": "   ",
    "padded": " a ",
    "a wide blank": "\u00a0\u2003",
    "right to left": "a\u202eb",
    "zero width": "a\u200bb",
    "nothing but zero width": "\u200b\u200d\u2060",
    "combining marks": "a" + "\u0301" * 30,
    "emoji": "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "full-width digits": "\uff11\uff12\uff13",
    "Cyrillic": "\u0430\u0432\u0441",
    "byte order mark": "\ufeffa",
    "noncharacter": "a\uffff",
}
CONTROLS: Mapping[str, str] = {
    "NUL": "a\0b", "tab": "a\tb", "line feed": "a\n", "escape": "\x1b[2J", "delete": "a\x7f", "C1": "a\x85",
    "line separator": "a\u2028b",
}  # fmt: skip


@dataclass(frozen=True)
class Field:
    """One field of a form. path: from the body on, of a list its first item."""

    path: tuple[str | int, ...]
    kind: inspect.Type
    required: bool

    @property
    def name(self) -> str:
        return self.above[-1]

    @property
    def key(self) -> str:
        """The last name."""
        return next(part for part in reversed(self.path) if isinstance(part, str))

    @property
    def above(self) -> list[str]:
        """The names of all that it stands in, and its own."""
        names = [""]
        for part in self.path:
            names.append(f"{names[-1]}[{part}]" if isinstance(part, int) else f"{names[-1]}.{part}".removeprefix("."))
        return names[1:]


@dataclass(frozen=True)
class Bad:
    """One value. raw: JSON as it is sent; None: the field is left out. text: what it says, where it is a text."""

    label: str
    raw: bytes | None
    text: str | None = None


def fields(route: Route) -> list[Field]:
    """Every field of the route's body, at any depth."""
    return [] if route.doc.form is None else list(_fields(inspect.type_info(route.doc.form), ()))


def _fields(form: inspect.Type, above: tuple[str | int, ...]) -> Iterator[Field]:
    assert isinstance(form, inspect.StructType)
    for field in form.fields:
        kind, path = without_none(field.type), (*above, field.encode_name)
        yield Field(path, kind, field.required)
        if isinstance(kind, inspect.ListType):
            kind, path = without_none(kind.item_type), (*path, 0)
            yield Field(path, kind, required=True)
        if isinstance(kind, inspect.StructType):
            yield from _fields(kind, path)


def unread(field: Field) -> list[Bad]:
    """What no body may have, in whichever field it stands: it is refused before there are fields."""
    tried = [
        Bad("NaN", b"NaN"), Bad("Infinity", b"-Infinity"), Bad("hexadecimal", b"0x7"), Bad("a leading zero", b"007"),
        Bad("a dangling point", b"7."), Bad("single quotes", b"'abc'"), Bad("nothing", b""), Bad("not closed", b'"abc'),
        Bad("half a character", b'"\\ud800"'), Bad("not UTF-8", b'"\xff"'), Bad("a surrogate in UTF-8", b'"\xed\xa0\x80"'),
        Bad("overlong UTF-8", b'"\xc0\xaf"'),
    ]  # fmt: skip
    if isinstance(field.path[-1], str):
        disguised = f"\\u{ord(field.key[0]):04x}{field.key[1:]}"
        tried += [Bad("twice", b'1,"%s":1' % field.key.encode()), Bad("twice in disguise", b'1,"%s":1' % disguised.encode())]
    return tried


def values(field: Field) -> list[Bad]:
    """Everything that is tried in a field."""
    kind = field.kind
    tried = [
        Bad("missing", None), Bad("null", b"null"), Bad("a number", b"7"), Bad("a fraction", b"7.5"), Bad("true", b"true"),
        Bad("a list", b"[]"), Bad("a list of it", b'["a"]'), Bad("an object", b'{"a":1}'), Bad("an empty object", b"{}"),
        Bad("empty", b'""', ""), Bad("a word", b'"abc"', "abc"), Bad("a million times", b'"%s"' % (b"a" * _MEGABYTE)),
        Bad("beyond a float", b"1e400"), Bad("beyond 64 bits", b"1" + b"0" * 30), Bad("as many digits", b"9" * 5000),
        Bad("negative", b"-1"), Bad("minus zero", b"-0"), Bad("zero", b"0"), Bad("minus zero point zero", b"-0.0"),
        Bad("too deep", DEEP),
    ]  # fmt: skip
    tried += [Bad(label, msgspec.json.encode(text), text) for label, text in {**TRICKS, **CONTROLS}.items()]
    if isinstance(kind, inspect.StrType) and kind.max_length is not None:
        text = "a" * (kind.max_length + 1)
        tried.append(Bad("one too long", msgspec.json.encode(text), text))
    if isinstance(kind, inspect.IntType):
        tried += [Bad("a number as text", b'"60"', "60"), Bad("a whole fraction", b"60.0"), Bad("an exponent", b"6e1")]
        tried += [Bad("one too many", str(kind.le + 1).encode())] if kind.le is not None else []
        tried += [Bad("one too few", str(kind.ge - 1).encode())] if kind.ge is not None else []
    if isinstance(kind, inspect.ListType):
        tried += [Bad("a list of nothing", b"[null]"), Bad("a list of lists", b"[[]]"), Bad("a list of numbers", b"[1]")]
        tried += [Bad("too many", b"[" + b"{}," * kind.max_length + b"{}]")] if kind.max_length is not None else []
    if isinstance(kind, inspect.LiteralType):
        word = str(kind.values[0])
        other = (word.lower(), f"{word} ", f" {word}", f"{word}\0", f"{word},{word}")
        tried += [Bad(f"the word as {one!r}", msgspec.json.encode(one), one) for one in other]
    if isinstance(kind, inspect.DateType):
        dates = ("2026-02-30", "0000-01-01", "2026-1-1", "20260101", "2026-01-01T00:00:00Z", "\uff12026-01-01", "26-01-01")
        tried += [Bad(f"the date {one}", msgspec.json.encode(one), one) for one in dates]
    if isinstance(kind, inspect.RawType):
        tried += [Bad(f"the amount {one}", one.encode()) for one in AMOUNTS]
    return tried


AMOUNTS = (
    '"-1.00"', '"+1.00"', '"1,00"', '"1.000,00"', '"1e2"', '" 1.00"', '"1.00 "', '"1.001"', '".5"', '"5."', '"0.00"', '"0x1"',
    '"NaN"', '"Infinity"', '"1_000"', '"\u0661"', '"10000000000.00"', "1.001", "-1.00", "1e99", "1e-3", "0.0", "1e999999999",
    "0." + "0" * 400 + "1", '"' + "0" * 400 + '1"', "10000000000",
)  # fmt: skip


def body(base: Mapping[str, Any], field: Field, bad: Bad) -> bytes:
    """A good body, but for one value."""
    whole = msgspec.json.decode(msgspec.json.encode(base))
    here = whole
    for part in field.path[:-1]:
        here = here[part] if isinstance(part, int) else here.setdefault(part, {})
    last: Any = field.path[-1]
    if bad.raw is None:
        if isinstance(here, list) or last in here:
            del here[last]
        return msgspec.json.encode(whole)
    here[last] = _PLACE
    return msgspec.json.encode(whole).replace(b'"%s"' % _PLACE.encode(), bad.raw)


# Bodies that are no JSON object, whatever operation they are sent to.
BODIES: Mapping[str, bytes] = {
    "a blank": b" ", "null": b"null", "a list": b"[]", "a number": b"1", "a text": b'"a"', "true": b"true", "cut": b'{"a":',
    "two": b"{}{}", "more": b"{}x", "a comma too many": b'{"a":1,}', "single quotes": b"{'a':1}", "a comment": b"{/**/}",
    "no quotes": b"{a:1}", "a byte order mark": b"\xef\xbb\xbf{}", "UTF-16": "{}".encode("utf-16"), "UTF-32": "{}".encode("utf-32"),
    "Latin-1": b'{"a":"\xe9"}', "gzip": b"\x1f\x8b\x08\x00\x00\x00\x00\x00", "a form": b"a=1&b=2", "XML": b"<a/>", "NUL": b"\0",
    "too deep": b'{"unknown":' + DEEP + b"}", "far too deep": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "a key twice": b'{"unknown":1,"unknown":1}', "a key twice below": b'{"unknown":[{"a":1,"\\u0061":2}]}',
    "NaN": b'{"unknown":NaN}', "a number without end": b'{"unknown":' + b"9" * 10_000 + b"}", "a control character": b'{"a":"\n"}',
    "an endless number": b'{"unknown":1e99999999999999999999}', "an endless number below": b'{"unknown":[{"a":-1.5e99999999999999999999}]}',
}  # fmt: skip
TYPES: Mapping[str, str | None] = {
    "none": None, "empty": "", "text": "text/plain", "a form": "application/x-www-form-urlencoded", "parts": "multipart/form-data; boundary=x",
    "a patch": "application/merge-patch+json", "a prefix": "application/jsonp", "two": "application/json, text/plain",
    "Latin-1": "application/json; charset=iso-8859-1", "UTF-16": 'application/json;charset="utf-16"', "no charset": "application/json; charset=",
    "charset of UTF-7": "application/json; charset=utf-7", "rubbish": "\xff\xfe",
}  # fmt: skip
KEYS: Mapping[str, str] = {
    "empty": "", "a blank": "a b", "a tab": "a\tb", "Latin-1": "caf\xe9", "UTF-8": "caf\xc3\xa9", "NUL": "a\0", "long": "a" * 5000,
    "one too long": "a" * 256,
}  # fmt: skip
TOKENS: Mapping[str, str] = {
    "empty": "", "a scheme": "Bearer", "a scheme and a blank": "Bearer ", "a word": "Bearer abc", "three words": "Bearer a.b.c",
    "two tokens": "Bearer a b", "no algorithm": "Bearer eyJhbGciOiJub25lIn0.e30.", "an array": "Bearer W10.W10.W10", "long": "Bearer " + "a" * 30_000,
    "Latin-1": "Bearer \xe9.\xe9.\xe9", "dots": "Bearer " + "." * 1000, "another scheme": "Negotiate abc", "base64 of nothing": "Bearer ====.====.====",
}  # fmt: skip
REQUEST_IDS: Mapping[str, str] = {
    "empty": "", "a blank": "a b", "long": "a" * 129, "Latin-1": "\xe9", "a tab": "a\tb", "delete": "\x7f",
}  # fmt: skip

# As they stand in the line, escaped.
PARAMETERS: Mapping[str, str] = {
    "empty": "", "blank": "%20", "a word": "abc", "long": "a" * 5000, "a number": "7", "zero": "0", "negative": "-1",
    "minus zero": "-0", "huge": "9" * 400, "beyond a float": "1e400", "a fraction": "7.5", "NaN": "NaN", "null": "null",
    "true": "true", "a list": "[]", "an object": "%7B%7D", "quoted": "%22abc%22", "NUL": "a%00", "line feed": "a%0A",
    "escape": "%1B[2J", "C1": "a%C2%85", "right to left": "a%E2%80%AEb", "zero width": "a%E2%80%8Bb",
    "emoji": "%F0%9F%98%80", "full-width digits": "%EF%BC%91", "combining marks": "a" + "%CC%81" * 30,
    "not UTF-8": "%FF", "half a character": "%ED%A0%80", "not an escape": "%ZZ", "half an escape": "%4", "a quote": "'", "a wildcard": "%25_%25",
    "a backslash": "%5C", "a date that is none": "2026-02-30", "a time without offset": "2026-01-01T00:00:00",
    "a time of no clock": "2026-01-01T25:61:61Z", "year zero": "0000-01-01T00:00:00Z", "the last year": "9999-12-31T23:59:59-14:00",
}  # fmt: skip
IDS: Mapping[str, str] = {
    "a word": "x", "zero": "0", "NUL": "%00", "up": "..", "up in disguise": "%2e%2e", "a slash in disguise": "..%2f", "a quote": "'", "blank": "%20",
    "not UTF-8": "%FF", "half a character": "%ED%A0%80", "not an escape": "%ZZ", "a semicolon": ";x=1", "emoji": "%F0%9F%98%80", "long": "a" * 5000, "null": "null",
    "braces": "%7Bid%7D", "line feed": "%0A", "all": "*", "nil": "00000000-0000-0000-0000-000000000000",
}  # fmt: skip


def spellings(object_id: str) -> dict[str, str]:
    """The id of something that is there, in ways that are not ours."""
    return {
        "upper case": object_id.upper(), "in braces": f"%7B{object_id}%7D", "without hyphens": object_id.replace("-", ""),
        "as a URN": f"urn:uuid:{object_id}", "with a blank": f"{object_id}%20", "with a line feed": f"{object_id}%0A",
        "with NUL": f"{object_id}%00", "cut": object_id[:-1], "with more": object_id + "0",
        "full-width": object_id.replace(object_id[0], "%EF%BC%90", 1),
    }  # fmt: skip


def line(
    route: Route, ask: Ask, path: Mapping[str, str] | None = None, query: Sequence[tuple[str, str]] | None = None
) -> str:
    """Path and query of a request as they are sent. path, query: escaped; of the good request where nothing is said."""
    given = tuple(ask.query.items()) if query is None else query
    said = "&".join(f"{name}={value}" for name, value in given)
    return route.path.format(**(path or ask.path)) + (f"?{said}" if said else "")
