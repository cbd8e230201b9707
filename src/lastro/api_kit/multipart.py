"""Bodies of multipart/form-data (RFC 7578): their parts by name, each whole, with none of what a browser says beside it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from email.message import Message

from multipart import MultipartError, MultipartSegment, PushMultipartParser

FORM_DATA = "multipart/form-data"
MOST_PARTS = 16
LONGEST_BOUNDARY = 70  # RFC 2046 §5.1.1
_LONGEST_TYPE = 256  # characters: the parameters of a content-type are read in the square of its length

_BOUNDARY = re.compile(r"[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]")


class NotAForm(ValueError):  # noqa: N818 it says what the body is
    """The body is no multipart form: cut off, of another boundary, with a part twice, or with too many parts."""


@dataclass(frozen=True, slots=True)
class Part:
    """One field of a form. is_file: it came with a file's name, which is not looked at: it is the sender's to invent."""

    content: bytes
    is_file: bool


def boundary_of(content_type: str) -> str | None:
    """Returns the boundary of a multipart content type; None if it is unusable."""
    if len(content_type) > _LONGEST_TYPE:
        return None
    message = Message()
    message["content-type"] = content_type
    found = message.get_param("boundary")
    return found if isinstance(found, str) and _BOUNDARY.fullmatch(found) is not None else None


def compared(raw: bytes, boundary: str | None) -> bytes:
    """Returns the body without its boundary, for comparison. A client draws a new boundary each time it sends the parts."""
    return raw if boundary is None else raw.replace(b"--" + boundary.encode(), b"--")


def one_file(content: bytes, name: str, content_type: str, boundary: str) -> bytes:
    """Writes a form of one part, `file`. name: of the file. boundary: random, so that no content has it by chance."""
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
        f"Content-Type: {content_type}\r\n\r\n"
    )
    return head.encode() + content + f"\r\n--{boundary}--\r\n".encode()


def read_parts(raw: bytes, boundary: str | None) -> dict[str, Part]:
    """Reads the parts of a form by their names. NotAForm: it is none. Large bodies take a while: not for the event loop."""
    if boundary is None:
        raise NotAForm("the content-type names no boundary")
    found: dict[str, Part] = {}
    head: MultipartSegment | None = None
    content: list[bytes] = []
    parser = PushMultipartParser(boundary, content_length=len(raw), max_segment_count=MOST_PARTS, strict=True)
    try:
        with parser:
            for event in parser.parse(raw):
                if isinstance(event, MultipartSegment):
                    head, content = event, []
                elif event is not None:
                    content.append(bytes(event))
                elif head is not None:
                    if head.name in found:
                        raise NotAForm("a part is there twice")
                    found[head.name] = Part(b"".join(content), head.filename is not None)
    except (MultipartError, UnicodeDecodeError) as broken:
        raise NotAForm("it is cut off, or its parts are not divided as it says") from broken
    return found
