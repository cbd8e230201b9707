"""Marked values, where they are sent, and where they were found again.

A secret may be nowhere but where it was given. What is a person's may be in the columns meant for it and in no log.
"""

import base64
import random
import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import Mock
from urllib.parse import quote

from lastro.app import wiring
from lastro.orders import Installation
from lastro.standards.documents import is_cpf
from lastro_sandbox import wiring as sandbox
from lastro_sim.application import ROUTES as SIMULATOR

if TYPE_CHECKING:
    import asyncpg


def cpf(chance: random.Random) -> str:
    """One with good check digits, that nobody else here has."""
    digits = [chance.randrange(10) for _ in range(9)]
    for length in (9, 10):
        rest = sum(d * (length + 1 - n) for n, d in enumerate(digits)) * 10 % 11
        digits.append(rest % 10)
    return "".join(map(str, digits))


def _mark(name: str) -> str:
    return f"canary{name}{secrets.token_hex(8)}"


@dataclass
class Marks:
    """people: of customers, payers and examples, by what they are. hidden: what only its owner may know."""

    people: dict[str, str] = field(default_factory=dict)
    hidden: dict[str, str] = field(default_factory=dict)
    request_id: str = field(default_factory=lambda: _mark("request"))

    @classmethod
    def new(cls) -> "Marks":
        chance = random.Random(secrets.randbits(64))
        made = cls()
        for whose in ("the customer", "the payer", "the stranger", "an example"):
            mark = _mark(whose.rpartition(" ")[2])
            made.people |= {f"name of {whose}": f"Canario {mark}", f"document of {whose}": cpf(chance)}
        for of, network in (("", "203.0.113"), (" of an example", "198.51.100")):
            made.people |= {
                f"e-mail{of}": f"{_mark('mail')}@example.com", f"phone{of}": f"+5511{chance.randrange(10**8, 10**9)}",
                f"ip{of}": f"{network}.{chance.randrange(100, 250)}", f"description{of}": _mark("description"),
                f"return url{of}": f"https://{_mark('return')}.example.com/",
            }  # fmt: skip
        made.people |= {
            "street": _mark("street"), "postal code": str(chance.randrange(10**7, 10**8)),
            "address of an example": _mark("address"), "Pix key of an example": f"{_mark('key')}@example.com",
            "bank account of an example": str(chance.randrange(10**10, 10**11)),
        }  # fmt: skip
        made.hidden |= {
            name: _mark(name.replace(" ", ""))
            for name in ("query", "path", "header", "cookie", "broken body", "refused body", "webhook url", "wrong secret",
                         "wrong token", "receivers answer", "idempotency key", "webhook url of an example")
        }  # fmt: skip
        return made


# ── where they are sent ──


@dataclass(frozen=True)
class RawRequest:
    """One request, byte for byte. target: escaped already."""

    method: str
    target: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None


def api_paths() -> dict[str, set[str]]:
    """Every path of the API process in a sandbox, and its methods."""
    nobodys = Mock(place=Installation(Mock(), "https://lastro.test", sandbox=True))
    found: dict[str, set[str]] = {}
    for route in wiring.routes(nobodys):
        for path in route.paths:
            found.setdefault(path, set()).add(route.method)
    for path, table in {
        **wiring.public(nobodys),
        **sandbox.paths(Mock(partners={}, connections=()), Mock(), Mock(), Mock()),
    }.items():
        found.setdefault(path, set()).update(table)
    return found


def simulator_paths() -> dict[str, set[str]]:
    """Every path of the simulator, and its methods."""
    found: dict[str, set[str]] = {}
    for handler in SIMULATOR:
        for path in handler.paths:
            found.setdefault(path, set()).update(str(method).removeprefix("HttpMethod.") for method in handler.http_methods)
    return found


def _filled(path: str, mark: str) -> str:
    parts = (mark if "{" in part else part for part in path.split("/"))
    return "/".join(parts)


def _bodies(marks: Marks) -> Iterator[tuple[str, bytes]]:
    """Content types and bodies that hold a mark and cannot be taken."""
    refused, broken = marks.hidden["refused body"], marks.hidden["broken body"]
    every = dict.fromkeys(("id", "status", "name", "amount", "key", "clientId", "clientSecret", "now", "order"), refused)
    nested = {"order": {**every, "customer": every}, "customer": {**every, "document": {"type": refused, "number": refused}}}
    json = "application/json"
    yield json, str({**every, **nested}).replace("'", '"').encode()
    yield json, f'{{"clientSecret": "{broken}", "order": {{"description": "{broken}"'.encode()
    yield json, f'"{broken}"'.encode()
    yield json, f'{{"{broken}": 1, "{broken}": 2}}'.encode()
    yield json, b"[" * 40 + f'"{broken}"'.encode() + b"]" * 40
    yield json, b"\xff\xfe" + broken.encode()
    yield json, f'{{"externalId": "{broken}\\u0000"}}'.encode()
    yield f"application/{refused}", b"{}"
    yield f"application/json; charset={refused}", b"{}"
    yield "application/x-www-form-urlencoded", f"client_id={broken}&client_secret={broken}&grant_type={broken}".encode()
    yield "application/xml", f"<a>{broken}</a>".encode()


def requests(paths: Mapping[str, Iterable[str]], marks: Marks, token: str) -> Iterator[RawRequest]:
    """Every path with every kind of thing that may be wrong, with and without a good token."""
    query, hidden = marks.hidden["query"], marks.hidden
    basic = base64.b64encode(f"{hidden['wrong token']}:{hidden['wrong secret']}".encode()).decode()
    named = {
        "user-agent": hidden["header"], "referer": f"https://{hidden['header']}.example/", "x-forwarded-for": hidden["header"],
        "cookie": f"session={hidden['cookie']}", "x-api-key": hidden["header"], "traceparent": hidden["header"],
    }  # fmt: skip
    good = {"authorization": f"Bearer {token}", **named}
    for path, methods in paths.items():
        target = _filled(path, hidden["path"])
        yield RawRequest(
            "PATCH",
            f"{target}?{query}",
            {**good, "content-type": "application/json"},
            f'"{hidden["refused body"]}"'.encode(),
        )
        for method in sorted(methods):
            for headers in (
                good,
                named,
                {**named, "authorization": f"Bearer {hidden['wrong token']}"},
                {**named, "authorization": f"Bearer {token[:-20]}{hidden['wrong token']}"},
                {**named, "authorization": f"Basic {basic}"},
            ):
                yield RawRequest(method, target, headers)
            asked = "&".join(
                f"{name}={query}" for name in ("accountId", "status", "cursor", "from", "limit", query, "a%0d%0ab")
            )
            yield RawRequest(method, f"{target}?{asked}", good)
            yield RawRequest(method, f"{target}/{hidden['path']}/?{query}", good)
            yield RawRequest(method, target, {**good, "x-request-id": f"{hidden['header']} with blanks"})
            yield RawRequest(method, target, {**good, "host": f"{hidden['header']}.example"})
            yield RawRequest(method, target, {**good, "origin": f"https://{hidden['header']}.example"})
            if method != "GET":
                for content_type, body in _bodies(marks):
                    key = f"{hidden['idempotency key']}{secrets.token_hex(4)}"
                    yield RawRequest(method, target, {**good, "content-type": content_type, "idempotency-key": key}, body)
    yield RawRequest("GET", f"/{hidden['path']}", good)
    yield RawRequest(hidden["header"].upper(), "/health", named)


# ── where they were found ──


@cache
def spellings(mark: str) -> tuple[bytes, ...]:
    """How a value may look where somebody wrote it down."""
    raw = mark.encode()
    whole = base64.b64encode(raw).rstrip(b"=")
    # Within something longer it may begin in the middle of a letter, and its last letter may hold something else, too.
    parts = [base64.b64encode(b" " * n + raw).rstrip(b"=")[begin:-1] for n, begin in enumerate((0, 2, 3))]
    printed = [f"{mark[:3]}.{mark[3:6]}.{mark[6:9]}-{mark[9:]}".encode()] if is_cpf(mark) else []
    hexed = raw.hex()
    found = (raw, quote(mark, safe="").encode(), hexed.encode(), hexed.upper().encode(), whole, *parts, *printed)
    return tuple(dict.fromkeys(found))


def in_files(folder: Path, marks: Mapping[str, str]) -> list[str]:
    """Which marks stand in which file, and the line."""
    found = []
    for file in sorted(folder.rglob("*")):
        if not file.is_file():
            continue
        for number, line in enumerate(file.read_bytes().splitlines(), start=1):
            found += [f"{file.name}:{number} {name}: {line[:300]!r}" for name in in_text(line, marks)]
    return found


def in_text(text: bytes, marks: Mapping[str, str]) -> list[str]:
    return [name for name, mark in marks.items() if any(spelling in text for spelling in spellings(mark))]


async def in_database(books: "asyncpg.Connection[asyncpg.Record]", marks: Mapping[str, str]) -> dict[str, set[str]]:
    """The columns that hold each mark, as table.column."""
    found: dict[str, set[str]] = {name: set() for name in marks}
    columns = await books.fetch(
        "SELECT c.relname::text, a.attname::text FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid"
        " WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped"
        " AND c.relname !~ '_[0-9]{6,}$'"  # shards, which are read by their own names
    )
    for table, column in columns:
        for (value,) in await books.fetch(f'SELECT DISTINCT "{column}" FROM {table} WHERE "{column}" IS NOT NULL'):
            text = value if isinstance(value, bytes) else str(value).encode()
            for name in in_text(text, marks):
                found[name].add(f"{table}.{column}")
    return found
