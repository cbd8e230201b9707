"""The API as tools may call it: listed operations alone, refusals as sentences with field, issue, cure and request id."""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from lastro.core.declined import CommandFailed
from lastro_tools.events.service import ApiRefused, Away
from lastro_tools.mcp.operations import OPERATIONS
from lastro_tools.mcp.refusals import Known, cure, known
from lastro_tools.mcp.results import decoded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lastro_tools.events.service import Heard, Service

NO_MONEY_OUT = (
    "This server sends no money: payouts leave only by a plan that people approve in the console (plan_payouts),"
    " refunds only by a person there (propose_refund)."
)
_REMEMBERED = 200
_ID = re.compile(r"\{\w+\}")
_CODES = "refusals"


class Refused(CommandFailed):
    """A refusal of the API as a sentence. status: of the answer."""

    def __init__(self, sentence: str, status: int) -> None:
        super().__init__(sentence)
        self.status = status


@dataclass(frozen=True, slots=True)
class Remembered:
    """A refusal that this server was given. problems: field, issue and description of each."""

    operation: str
    status: int
    problems: tuple[tuple[str, str, str], ...]


class _Detail(msgspec.Struct, frozen=True):
    field: str = ""
    issue: str = ""
    description: str = ""


class _Error(msgspec.Struct, frozen=True):
    message: str = ""
    details: tuple[_Detail, ...] = ()


class Api:
    """An API, asked by one client, and its refusals so far. url: where people find its console."""

    def __init__(self, service: Service, url: str) -> None:
        self._service = service
        self._known: tuple[Known, ...] | None = None
        self._refused: OrderedDict[str, Remembered] = OrderedDict()
        self.url = url

    async def call(
        self,
        operation: str,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        key: str | None = None,
        *,
        own: str | None = None,
        is_once: bool = False,
    ) -> tuple[dict[str, Any], str]:
        """Returns the answer, decoded, and its request id. own: the id of the path; is_once: of what is not tried twice.

        Declined: no tool may call the operation, the API refuses it, or it is away.
        """
        if operation not in OPERATIONS:
            raise CommandFailed(NO_MONEY_OUT)
        called = OPERATIONS[operation]
        path = called.path if own is None else _ID.sub(_as_id(own), called.path)
        try:
            heard = await self._service.heard(called.method, path, query, body, key, **({"tries": 1} if is_once else {}))
        except ApiRefused as refused:
            raise await self._refusal(operation, refused.heard) from None
        except CommandFailed as declined:
            if called.method == "GET" or not isinstance(declined.__cause__, Away):
                raise
            again = "read what it is about before you call again" if is_once else "an equal call does it once"
            raise CommandFailed(f"{declined} It may have been done all the same: {again}.") from declined
        answer: dict[str, Any] = decoded(heard.body)
        return answer, heard.request_id

    async def is_sandbox(self) -> bool:
        """Tells whether the server says that it is a sandbox. Declined: it is away."""
        try:
            return await self._service.is_sandbox()
        except Away as away:
            raise CommandFailed(f"{self.url} cannot be asked: {away}.") from away

    async def known(self) -> tuple[Known, ...]:
        """Returns every refusal that the server's own document names; none where it cannot be read now."""
        if self._known is None:
            try:
                self._known = known(await self._service.public("/openapi.json") or b"")
            except (Away, ValueError):
                return ()
        return self._known

    async def network_page(self) -> str:
        """Returns the guide's page of networks' codes; empty where it cannot be read now."""
        try:
            return (await self._service.public(f"/docs/guide/{_CODES}.md") or b"").decode("utf-8", "replace")
        except Away:
            return ""

    def remembered(self, request_id: str) -> Remembered | None:
        """Returns the refusal that this server got under the request id."""
        return self._refused.get(request_id)

    async def _refusal(self, operation: str, heard: Heard) -> Refused:
        try:
            error = msgspec.json.decode(heard.body, type=_Error)
        except msgspec.DecodeError:
            error = _Error()
        problems = tuple((d.field, d.issue, d.description) for d in error.details)
        if heard.request_id:
            self._refused[heard.request_id] = Remembered(operation, heard.status, problems)
            while len(self._refused) > _REMEMBERED:
                self._refused.popitem(last=False)
        why = await self._why(operation, heard.status, problems) or f"{error.message or 'no reason is given'}."
        number = f" Request id: {heard.request_id}." if heard.request_id else ""
        return Refused(f"{operation} was refused ({heard.status}): {why}{number}", heard.status)

    async def _why(self, operation: str, status: int, problems: tuple[tuple[str, str, str], ...]) -> str:
        if status == 403:
            return (
                f"this client lacks the permission {OPERATIONS[operation].permission}, or calls from a network that is not"
                " on its list. Have whoever runs this lastro give it the permission."
            )
        if status == 404:
            return "this client's company has no such object. Compare the id, letter by letter."
        every = await self.known() if problems else ()
        said = []
        for field, issue, description in problems:
            mending = cure(every, operation, status, field, issue)
            said.append(f"{field} {issue}, {description.rstrip('.')}." + (f" Cure: {mending}" if mending else ""))
        return " ".join(said)


def _as_id(text: str) -> str:
    """Checks an id as part of a path. Declined: it would lead elsewhere."""
    if not text or len(text) > 64 or not text.isascii() or not all(c.isalnum() or c == "-" for c in text):
        raise CommandFailed(f"{text[:60]!r} is no id.")
    return text.lower()
