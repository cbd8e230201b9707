"""Reads the parts of an upload, and lists all problems at once."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from lastro.accounts.opening import problems as refusals
from lastro.accounts.opening.files import kind_of
from lastro.accounts.opening.model import ALL_SLOTS, LARGEST_FILE
from lastro.api_kit.multipart import NotAForm, read_parts
from lastro.api_kit.routes import as_id
from lastro.core.errors import Problem, one_of

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.api_kit.multipart import Part

_FLAGS = {"true": True, "false": False}
_LONGEST_TEXT = 256


@dataclass(frozen=True, slots=True)
class UploadAsked:
    """An upload. request_id None: the text is no id, answered as an unknown one. digest: its SHA-256."""

    request_id: UUID | None
    slot: str
    content: bytes
    digest: bytes
    append: bool


def read_upload(raw: bytes, boundary: str | None) -> UploadAsked | list[Problem]:
    """Returns the upload, or the problems that need no look-up. Runs in a thread."""
    try:
        parts = read_parts(raw, boundary)
    except NotAForm as broken:
        return [refusals.BODY_INVALID.problem(broken=broken)]
    problems: list[Problem] = []
    content = _file(parts.get("file"), problems)
    slot = _text(parts, "documentType", problems)
    if slot and slot not in ALL_SLOTS:
        problems.append(refusals.DOCUMENT_TYPE_INVALID.problem(why=one_of(ALL_SLOTS)))
    named = parts.get("accountRequestId")
    if named is None or not named.content:
        problems.append(refusals.ACCOUNT_REQUEST_ID_REQUIRED.problem())
    append = _text(parts, "append", problems, otherwise="true")
    if append and append not in _FLAGS:
        problems.append(refusals.APPEND_INVALID.problem())
    if problems:
        return problems
    # Any text that is no id is answered as an unknown id.
    request_id = None if named is None else as_id(named.content.decode("ascii", "replace"))
    return UploadAsked(request_id, slot, content, sha256(content).digest(), _FLAGS[append])


def read_file(raw: bytes, boundary: str | None) -> bytes | list[Problem]:
    """Returns a form's only file, or the form's problems. Runs in a thread."""
    try:
        parts = read_parts(raw, boundary)
    except NotAForm as broken:
        return [refusals.BODY_INVALID.problem(broken=broken)]
    problems: list[Problem] = []
    content = _file(parts.get("file"), problems)
    problems += [refusals.PART_NOT_ALLOWED.problem(name) for name in parts if name != "file"]
    return problems or content


def _file(part: Part | None, problems: list[Problem]) -> bytes:
    if part is None or not part.content:
        problems.append(refusals.FILE_REQUIRED.problem())
    elif not part.is_file:
        problems.append(refusals.FILE_INVALID.problem(why="must be a file: a part with a filename, whatever that says"))
    elif len(part.content) > LARGEST_FILE:
        problems.append(refusals.FILE_TOO_LONG.problem(why=f"must have at most {LARGEST_FILE} bytes"))
    elif kind_of(part.content) is None:
        problems.append(refusals.FILE_NOT_SUPPORTED.problem())
    return b"" if part is None else part.content


def _text(parts: dict[str, Part], name: str, problems: list[Problem], otherwise: str = "") -> str:
    part = parts.get(name)
    if part is None or not part.content:
        if not otherwise:
            problems.append(refusals.DOCUMENT_TYPE_REQUIRED.problem(name))
        return otherwise
    try:
        text = part.content.decode() if len(part.content) <= _LONGEST_TEXT else ""
    except UnicodeDecodeError:
        text = ""
    if not text:
        problems.append(refusals.DOCUMENT_TYPE_INVALID.problem(name, why="must be a short text in UTF-8"))
    return text
