"""The bytes of a request."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# A compressed body could unfold to any size; with none asked for, the limit counts what was sent.
_HEADERS = "Accept-Encoding: identity\r\n"


def request_bytes(method: str, target: str, host: str, body: bytes | None, headers: Mapping[str, str]) -> bytes:
    """Returns the bytes of a request. Raises ValueError if a header, or the target, would be more than one.

    host: of the header, with the port where it is not the usual one.
    """
    given = "".join([f"{name}: {value}\r\n" for name, value in headers.items()])
    if not given.count("\r") == given.count("\n") == len(headers) or "\0" in given:
        raise ValueError("a header holds no line ends")
    if not (target.isascii() and target.isprintable()) or " " in target:
        raise ValueError("a target is printable ASCII without blanks")
    length = "" if body is None else f"Content-Length: {len(body)}\r\n"
    head = f"{method} {target} HTTP/1.1\r\nHost: {host}\r\n{_HEADERS}{given}{length}\r\n"
    return head.encode() + (body or b"")
