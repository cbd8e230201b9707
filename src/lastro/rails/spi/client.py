"""The SPI and its directory over HTTP. It works in the manner of the SPI's ICOM: bearer token, JSON, long polling."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import quote

import msgspec
import structlog

from lastro.core.failpoints import failpoint
from lastro.rails import port
from lastro.rails.event_stream import TIMEOUT_SECONDS, order
from lastro.rails.messages import Malformed, code_or, is_its_own, problem, understood
from lastro.rails.network_client import Adapter, NetworkClient
from lastro.rails.port import CancellationFinal, NetworkMessage, Permanent, PixFinal, ReturnFinal, Transient, Unknown
from lastro.rails.pulling import WAIT_SECONDS, pull_until, unless_stopped
from lastro.rails.spi import charge_wire, recurrence_wire, wire
from lastro.rails.ttl_cache import max_age
from lastro.standards import pix_keys

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Mapping
    from uuid import UUID

    from lastro.core.secrets import Secret
    from lastro.rails.messages import Reader
    from lastro.rails.port import Keep, KeyAccount, KeyOwner, Pending

LOOK_UP_SECONDS = 3.0  # of a key, which a client waits for (contract.md §10)
_BUDGET_SECONDS = 60  # until a directory that says 429 and not until when is asked again: buckets fill by the minute
_PULL = f"wait={WAIT_SECONDS}&limit=10"
# Answers that say no to what was asked; any other refusal may be a fault of the way there, which passes. The directory
# says 403 of keys (EntryBlocked), where the message interface says it of tokens.
# 409 of a message says that the SPI has one of this id: its status has to be asked.
_FOR_GOOD = frozenset({400, 413, 422})
_FOR_GOOD_IN_DIRECTORY = _FOR_GOOD | {403, 409}
# Refusals of a look-up that are about the key or its owner (DICT API 2.12.1, "Tratamento de erros"). Any other refusal is
# about the request: BadRequest, Forbidden and ParticipantInvalid say nothing of the key.
_ABOUT_THE_KEY = frozenset(
    {
        "NotFound", "EntryBlocked", "EntryCannotBeQueriedForBookTransfer", "EntryWithFraudRelatedRestriction",
        "TaxIdNumberBlocked", "UserOrAccountWithFraudRelatedRestriction",
    }
)  # fmt: skip
_FREE_OF_US = frozenset({"NotFound", "EntryKeyInCustodyOfDifferentParticipant"})  # of a key that is to be deleted
_ACCOUNT_TYPE = "TRAN"  # ours are payment accounts
T = TypeVar("T")
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class SpiEndpoint:
    """The network's address, and our identity there.

    stream: a name for the one puller of a process; a new stream of that name ends an old one, so that the messages given
    to a killed process are given again at once. Two processes that pull at the same time need two names, or none.
    """

    base_url: str
    ispb: str
    token: Secret
    stream: str | None = None


class _Entry(msgspec.Struct):
    key: str


@dataclass(slots=True)
class _Stream:
    """The position in a stream.

    cursor: the path that confirms the stored messages and brings the next; None: not begun.
    """

    place: SpiEndpoint
    cursor: str | None = None

    @property
    def path(self) -> str:
        """The path of the next pull."""
        if self.cursor is not None:
            return f"{self.cursor}{'&' if '?' in self.cursor else '?'}{_PULL}"
        name = "" if self.place.stream is None else f"&stream={quote(self.place.stream, safe='')}"
        return f"/spi/v1/out/{self.place.ispb}/stream/start?{_PULL}{name}"


class Spi(Adapter):
    """The adapter of the instant payment system: a Rail. also: what reads messages of others that its stream carries."""

    def __init__(self, place: SpiEndpoint, also: Mapping[str, Reader] = wire.NO_OTHERS) -> None:
        super().__init__(NetworkClient(place.base_url, place.token))
        self._place = place
        self._also = also

    @property
    def line(self) -> NetworkClient:
        """The connection to the network, for its services beside the SPI."""
        return self._line

    async def send(self, kind: str, network_id: str, body: bytes, company_id: UUID) -> None:
        """Posts one message; the SPI answers 201 once it has it, and the same message again changes nothing."""
        del network_id, company_id  # the one stands in the body, the other concerns us alone
        await self._checked("POST", f"/spi/v1/in/{self._place.ispb}/msgs", wire.written(kind, body))

    async def payment(self, end_to_end_id: str) -> PixFinal | Pending | Unknown:
        """Returns the status of a Pix."""
        return await self._status("payments", end_to_end_id, wire.payment_status)

    async def returned(self, return_id: str) -> ReturnFinal | Pending | Unknown:
        """Returns the status of a return."""
        return await self._status("returns", return_id, wire.return_status)

    async def _status(self, of: str, name: str, read: Callable[[str, bytes], T]) -> T | Unknown:
        answer = await self._line.found(f"/spi/v1/{of}/{quote(name, safe='')}", TIMEOUT_SECONDS)
        return Unknown() if answer is None else understood(read, name, answer)

    async def status_of(self, kind: str, network_id: str) -> NetworkMessage | Pending | Unknown:
        """Returns the status of our order, or of an asked Pix.

        Our orders are returns, payments, cancellations and charges; a Pix is one that we were asked about. A collected
        charge's status is its money.
        """
        if kind == port.CHARGE_SEND:
            return await self._status("charges", network_id, partial(wire.charge_status, ispb=self._place.ispb))
        if kind == port.CHARGE_CANCEL_SEND:
            read = partial(charge_wire.charge_cancel_status, ispb=self._place.ispb)
            return await self._status("charge-cancellations", network_id, read)
        if kind == port.CANCELLATION_SEND:
            ended = await self._status("cancellations", network_id, recurrence_wire.cancellation_status)
            if not isinstance(ended, CancellationFinal):
                return ended
            return NetworkMessage(port.CANCELLATION_FINAL, "", ended.recurrence_id, port.encode(ended))
        if kind == port.RETURN_SEND and not network_id.startswith("E"):
            back = await self.returned(network_id)
            if not isinstance(back, ReturnFinal):
                return back
            return NetworkMessage(port.RETURN_FINAL, "", network_id, port.encode(back))
        end = await self.payment(network_id)
        if not isinstance(end, PixFinal):
            return end
        if kind == port.RETURN_SEND:  # a return that is its own payment
            back = port.as_return(end.end_to_end_id, end)
            return NetworkMessage(port.RETURN_FINAL, "", network_id, port.encode(back))
        if kind == port.PAYMENT_SEND:
            ours = port.PaymentFinal(network_id, end.settled, end.code, end.settled_at, of=end.of)
            return NetworkMessage(port.PAYMENT_FINAL, "", network_id, port.encode(ours))
        return NetworkMessage(port.PIX_FINAL, "", network_id, port.encode(end))

    async def entry(self, key: str, asking: port.Asking) -> port.KeyEntry | port.NoEntry:
        """Returns the entry of a key (DICT API, getEntry).

        BudgetSpent: the directory says so. Transient: it is silent for 3 s, or refuses the request itself.
        """
        headers = {
            "PI-RequestingParticipant": self._place.ispb, "PI-PayerId": asking.document,
            "PI-EndToEndId": asking.end_to_end_id,
        }  # fmt: skip
        answer = await self._line.ask("GET", f"/dict/v2/entries/{quote(key, safe='')}", None, LOOK_UP_SECONDS, headers)
        if answer.status == 200:
            try:
                found = wire.key_entry(answer.body)
            except Malformed as malformed:
                raise Transient(f"the directory's answer cannot be read: {malformed}") from malformed
            if pix_keys.canonical(found.key) != key:
                raise Transient("the directory's answer is about another key")
            return replace(found, seconds=max_age(answer.headers.get("Cache-Control")) or 0)
        code, reason = problem(answer.status, answer.body)
        # Without the directory's own body it may be a fault of the way there, which says nothing of the key.
        # The directory refuses with 400 (DICT API 2.12.1), but for a key that is not there.
        if answer.status in (400, 403, 404) and is_its_own(answer.body):
            if code in _ABOUT_THE_KEY:
                return port.NoEntry(code)
            _log.error("directory.refuses_us", code=code_or(code, "OTHER"))
        text = answer.headers.get("Retry-After", "")
        after = int(text) if text.isascii() and text.isdigit() else None
        if answer.status == 429:
            raise port.BudgetSpent(after or _BUDGET_SECONDS)
        raise Transient(f"{code}: {reason}", after)

    async def registered_hosts(self) -> Mapping[str, frozenset[str]]:
        """Returns hosts of locations and of their keys, with their registrants.

        The registrants are the institutions that registered the host.
        """
        answer = await self._line.ask("GET", "/participants", None, LOOK_UP_SECONDS)
        if answer.status != 200:
            raise Transient(f"the list of participants answers with HTTP status {answer.status}")
        try:
            return wire.registered_hosts(answer.body)
        except Malformed as malformed:
            raise Transient(f"the list of participants cannot be read: {malformed}") from malformed

    async def register_key(
        self, *, request_id: UUID, key_type: str, key: str | None, owner: KeyOwner, account: KeyAccount
    ) -> str:
        """Registers a key, and returns the directory's form (DICT API, createEntry)."""
        entry = {
            "requestId": str(request_id),
            "reason": "USER_REQUESTED",
            "type": "EVP" if key_type == "RANDOM" else key_type,
            "owner": {"name": owner.name, "document": owner.document},
            "account": {
                "ispb": self._place.ispb,
                "branch": account.branch,
                "account": account.number,
                "accountType": _ACCOUNT_TYPE,
                "openedAt": account.opened_at,
            },
            **({} if key is None else {"key": key}),
        }
        answer = await self._checked("POST", "/dict/v2/entries", msgspec.json.encode(entry))
        try:
            made = pix_keys.canonical(msgspec.json.decode(answer, type=_Entry).key)
        except msgspec.DecodeError as unread:
            raise Transient("the directory's answer has no key") from unread
        if key not in (None, made):
            raise Transient("the directory's answer is about another key")
        return made

    async def delete_key(self, *, key: str, reason: str) -> None:
        """Frees a key (DICT API, deleteEntry)."""
        path = f"/dict/v2/entries/{quote(key, safe='')}/delete"
        body = msgspec.json.encode({"key": key, "participant": self._place.ispb, "reason": reason})
        answer = await self._line.ask("POST", path, body, LOOK_UP_SECONDS)
        if answer.status == 200:
            return
        code, text = problem(answer.status, answer.body)
        if code in _FREE_OF_US:
            return
        if answer.status in _FOR_GOOD_IN_DIRECTORY:
            raise Permanent(code, text)
        raise Transient(f"{code}: {text}")

    async def register_participant(self, *, name: str, jku: str, host: str) -> None:
        """Makes the institution's locations trusted."""
        body = msgspec.json.encode({"name": name, "jku": jku, "host": host})
        await self._checked("PUT", f"/participants/{self._place.ispb}", body)

    async def listen(self, keep: Keep, stop: asyncio.Event) -> None:
        """Pulls until stop."""
        stream = _Stream(self._place)
        await pull_until(stop, lambda: self._pull(stream, keep, stop))
        if stream.cursor is not None:
            with suppress(Transient):
                await self._line.ask("DELETE", stream.cursor, None, 1.0)

    async def _pull(self, stream: _Stream, keep: Keep, stop: asyncio.Event) -> bool:
        """Pulls once and stores the messages; False when it is time to stop. The pull confirms the one before."""
        answer = await unless_stopped(stop, self._line.ask("GET", stream.path, None, WAIT_SECONDS + TIMEOUT_SECONDS))
        if answer is None:
            return False
        cursor = answer.headers.get("PI-Pull-Next")
        if answer.status == 200:
            await keep(wire.read_batch(answer.body, self._place.ispb, self._also))
            failpoint("inbox.stored")
        elif answer.status == 204:
            await keep([])
        else:
            if answer.status < 500:
                stream.cursor = None  # the network has forgotten the stream: begin anew
            raise Transient(f"the stream answered with HTTP status {answer.status}")
        if cursor is None or not cursor.startswith("/"):
            stream.cursor = None
            raise Transient("the stream does not say how it goes on")
        stream.cursor = cursor
        return True

    async def _checked(self, method: str, path: str, body: bytes) -> bytes:
        for_good = _FOR_GOOD_IN_DIRECTORY if path.startswith("/dict/") else _FOR_GOOD
        return await order(self._line, method, path, body, for_good)
