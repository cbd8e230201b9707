"""Real calls of this API over loopback, for pages that show them. Each shows the call, the same as curl, and the answer."""

from __future__ import annotations

import shlex
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

import aiohttp
from yarl import URL

from lastro.console import company_page
from lastro.console.company_page import MASK
from lastro.console.company_page import told as readable

if TYPE_CHECKING:
    from collections.abc import Mapping

_HERE: Final = Path(__file__).parent
COPY: Final = Path(company_page.__file__).parent / "static" / "copy.js"  # the console has it at `/console/static/copy.js`
TEXTS: Final = _HERE / "texts" / "call.toml"  # the texts of such a page, for `say`
_PATIENCE: Final = aiohttp.ClientTimeout(total=30)
# Of an answer's headers, those that somebody who learns the interface looks for.
_OF_INTEREST: Final = (
    "content-type", "x-request-id", "idempotent-replayed", "location", "retry-after", "www-authenticate", "allow",
    "ratelimit-limit", "ratelimit-remaining",
)  # fmt: skip
_LONGEST_LINE: Final = 160
_LONGEST_ANSWER: Final = 100_000  # characters; a list may be megabytes
_OF_BINARY: Final = 256  # bytes that are shown of a picture or a PDF


@dataclass(frozen=True)
class Call:
    """A request. path: from its first slash on, with its query, escaped already. headers: by name in small letters."""

    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None


@dataclass(frozen=True)
class CallAnswer:
    """The answer to a call. headers: by name in small letters. took_ms: until the last byte was there."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    took_ms: float


@dataclass(frozen=True)
class CallShown:
    """A call and its answer as a page shows them; nothing of it opens or pays anything.

    answer: for reading. raw: as it came, where that differs; where something had to be masked, masked all the same.
    """

    curl: str
    status: int | None = None
    took_ms: int = 0
    headers: tuple[tuple[str, str], ...] = ()
    answer: str = ""
    raw: str = ""

    @property
    def is_masked(self) -> bool:
        """True where something of the answer is not shown."""
        return MASK in self.answer


async def make(call: Call, base_url: str) -> CallAnswer:
    """Makes the call, and follows no redirect. base_url: scheme and authority; the call cannot leave it.

    ValueError: the path does not begin with one slash. aiohttp.ClientError, TimeoutError: nobody answered in 30 seconds.
    """
    if not call.path.startswith("/") or call.path.startswith("//"):
        raise ValueError(f"{call.path!r} is no path of this server")
    begun = time.perf_counter()
    async with (
        aiohttp.ClientSession(timeout=_PATIENCE, trust_env=False) as client,
        client.request(
            call.method, URL(base_url + call.path, encoded=True), headers=dict(call.headers), data=call.body,
            allow_redirects=False,
        ) as answer,
    ):  # fmt: skip
        body = await answer.read()
        headers = {name.lower(): value for name, value in answer.headers.items()}
        return CallAnswer(answer.status, headers, body, (time.perf_counter() - begun) * 1000)


def as_curl(call: Call, base_url: str, token: str = "$TOKEN") -> str:  # noqa: S107 a variable of the shell
    """Formats the call as curl for a POSIX shell, to be pasted.

    token: what stands for the bearer's, between double quotes. A body that no text can hold (bytes that are no UTF-8, or
    NUL) comes from printf (POSIX, octal escapes).
    """
    words = ["curl -s"]
    if any(one in call.path for one in "[]{}"):
        words.append("-g")  # curl would take these for a pattern of several addresses
    if call.method != "GET" or call.body is not None:
        words.append(f"-X {shlex.quote(call.method)}")
    lines = [" ".join([*words, shlex.quote(base_url + call.path)])]
    for name, value in call.headers.items():
        if name.lower() == "authorization":
            lines.append(f'-H "authorization: Bearer {token}"')
        else:
            lines.append("-H " + shlex.quote(f"{name}: {value}" if value else f"{name};"))
    if call.body is None:
        return " \\\n  ".join(lines)
    text = _text(call.body)
    if text is not None:
        return " \\\n  ".join([*lines, f"--data-raw {shlex.quote(text)}"])
    octal = "".join(f"\\{byte:03o}" for byte in call.body)
    return f"printf '{octal}' | " + " \\\n  ".join([*lines, "--data-binary @-"])


def shown(call: Call, told: CallAnswer | None, base_url: str) -> CallShown:
    """Returns a call and its answer for a page. told: None where it was not made now."""
    curl = as_curl(call, base_url)
    if told is None:
        return CallShown(curl)
    headers = tuple((name, told.headers[name]) for name in _OF_INTEREST if name in told.headers)
    exact = _text(told.body)
    text = _binary(told.body) if exact is None else readable(told.body)
    text = text if len(text) <= _LONGEST_ANSWER else f"{text[:_LONGEST_ANSWER]}…"
    short = "\n".join(line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}…" for line in text.split("\n"))
    raw = text if exact is None or MASK in text else exact[:_LONGEST_ANSWER]
    return CallShown(curl, told.status, round(told.took_ms), headers, short, raw if short != raw else "")


def _binary(body: bytes) -> str:
    more = f"\n… ({len(body)} bytes)" if len(body) > _OF_BINARY else ""
    return body[:_OF_BINARY].hex(" ", 4) + more


def _text(body: bytes) -> str | None:
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text
