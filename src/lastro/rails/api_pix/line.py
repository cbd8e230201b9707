"""The line to a bank that speaks API Pix: its token, its certificate, its pace, and no retry."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple

from lastro.core import trace
from lastro.core.concurrency_slot import without_slot
from lastro.rails.api_pix.errors import is_denial
from lastro.rails.api_pix.exchange import LONGEST_SECONDS, Exchanges, SetUpWrongly, retry_after
from lastro.rails.api_pix.oauth import Tokens
from lastro.rails.api_pix.pacing import AdaptivePace
from lastro.rails.api_pix.tls import CertificateUnfit, ClientTls
from lastro.rails.api_pix.trouble import Troubles
from lastro.rails.port import Transient

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from lastro.core.secrets import Secret
    from lastro.rails.api_pix.connection_config import Connection
    from lastro.rails.api_pix.exchange import Cause
    from lastro.rails.api_pix.oauth import TokenRequest
    from lastro.rails.network_client import NetworkAnswer


class Ambient(NamedTuple):
    """Time and ids, which come from outside. clock: seconds that only go forward; now: the instant; new_id: of a request."""

    clock: Callable[[], float]
    now: Callable[[], datetime]
    new_id: Callable[[], str]


class BankLine:
    """A line to one connection's bank. Mistakes of the set-up are logged, unless it is quiet."""

    def __init__(self, connection: Connection, ambient: Ambient, *, is_quiet: bool = False) -> None:
        self.connection = connection
        self._ambient = ambient
        tls = ClientTls(connection.name, connection.certificate, connection.ca_file, ambient.now)
        self._exchanges = Exchanges(tls)
        self._troubles = Troubles(connection.name, ambient.clock, is_quiet=is_quiet)
        self._pace = AdaptivePace(connection.requests_per_minute)
        self.tokens = Tokens(connection, self._token, self._troubles.tell, ambient.clock, ambient.now)

    def look_at_certificate(self) -> None:
        """Tells the operator of a certificate that is not good now. The bank is asked all the same: its clock decides."""
        try:
            self._exchanges.tls.demand_in_time(self._ambient.now())
        except CertificateUnfit as unfit:
            self._troubles.tell(SetUpWrongly("certificate", f"{unfit.field} {unfit.reason}"))

    def tell(self, wrong: SetUpWrongly) -> None:
        """Tells the operator of a mistake of set-up that an answer shows."""
        self._troubles.tell(wrong)

    @property
    def troubles(self) -> frozenset[Cause]:
        """Mistakes of the set-up that were met in the last ten minutes."""
        return self._troubles.present()

    @property
    def certificate_until(self) -> datetime | None:
        """The end of our certificate; None: none is shown."""
        return self._exchanges.tls.not_after

    async def ask(
        self, method: str, path: str, body: bytes | None, seconds: float, *,
        query: Mapping[str, str] | None = None, more: Mapping[str, str] | None = None,
    ) -> NetworkAnswer:  # fmt: skip
        """Makes one whole exchange, within so many seconds and ten at most.

        path: behind the base address, such as `/cob/{txid}`; its resource's version is added. more: headers. Returned are
        answers of 2xx in JSON or without a body, and refusals of 4xx. Transient: it is not known if it took effect, or the
        set-up is wrong, which was told to the operator.
        """
        within = min(seconds, LONGEST_SECONDS)
        begun = [False]
        try:
            async with without_slot(), asyncio.timeout(within):
                answer = await self._with_token(method, path, body, query, more, begun)
        except TimeoutError:
            raise Transient(f"no answer within {within:g} s", is_on_its_way=begun[0]) from None
        except SetUpWrongly as wrong:
            self._troubles.tell(wrong)
            raise
        if answer.status == 429:
            self._pace.halve(self._ambient.clock())
        try:
            demand_answer(method, answer, self._ambient.now())
        except SetUpWrongly as wrong:
            self._troubles.tell(wrong)
            raise
        return answer

    async def _with_token(
        self, method: str, path: str, body: bytes | None, query: Mapping[str, str] | None,
        more: Mapping[str, str] | None, begun: list[bool],
    ) -> NetworkAnswer:  # fmt: skip
        """Asks with a token, and after a 401 once more with another. begun: set once it is out."""
        token = await self.tokens.token()
        await self._turn()
        begun[0] = True
        answer = await self._traced(method, path, body, query, self._headers(token, body, more))
        if answer.status == 401:
            self.tokens.forget(token)
            begun[0] = False
            token = await self.tokens.token()
            await self._turn()
            begun[0] = True
            answer = await self._traced(method, path, body, query, self._headers(token, body, more))
        return answer

    async def _traced(
        self, method: str, path: str, body: bytes | None, query: Mapping[str, str] | None, headers: dict[str, str]
    ) -> NetworkAnswer:
        dialect = self.connection.dialect
        url = self.connection.base_url + dialect.path(path)
        given = {name: self._given(what) for name, what in dialect.query} | dict(query or {})
        if self.connection.is_traced and (whose := trace.present()) is not None:
            headers["x-request-id"] = whose.request_id
        if (trail := trace.trail()) is None:
            return await self._exchanges.make(method, url, headers, body, given or None)
        # The path may hold a key or a document: what is asked for is not told, the task's own span says why it was.
        with trail.step(f"{method} bank", "client", {"http.request.method": method}) as step:
            if self.connection.is_traced:
                headers[trace.TRACEPARENT] = step.traceparent
            answer = await self._exchanges.make(method, url, headers, body, given or None)
            step.add("http.response.status_code", answer.status)
            return answer

    def _headers(self, token: Secret, body: bytes | None, more: Mapping[str, str] | None) -> dict[str, str]:
        """Returns the headers of a request: no more than a bank needs, for some refuse those that they do not know."""
        headers = {"Authorization": f"Bearer {token.reveal()}", "Accept": "application/json", "User-Agent": "lastro"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        return headers | {name: self._given(what) for name, what in self.connection.dialect.headers} | dict(more or {})

    def _given(self, what: str) -> str:
        if what == "app_key":
            return "" if self.connection.app_key is None else self.connection.app_key.reveal()
        if what == "request_id":
            return self._ambient.new_id()
        return self.connection.client_id if what == "client_id" else self.connection.bank_account or ""

    async def _turn(self) -> None:
        """Waits until the bank may be asked again."""
        wait = self._pace.take(self._ambient.clock())
        if wait <= 0:
            return
        try:
            await asyncio.sleep(wait)
        except asyncio.CancelledError:
            self._pace.give_back()
            raise

    async def _token(self, wanted: TokenRequest) -> NetworkAnswer:
        headers = dict(wanted.headers) | {"User-Agent": "lastro"}
        return await self._exchanges.make("POST", wanted.url, headers, wanted.body, dict(wanted.query) or None)

    async def close(self) -> None:
        """Ends its connections."""
        await self.tokens.close()
        await self._exchanges.close()


def demand_answer(method: str, answer: NetworkAnswer, now: datetime) -> None:
    """Raises for an answer that is not about the object; `errors.judge` reads the others.

    SetUpWrongly: it tells of a mistake of set-up. Transient: it is no answer, or asks for time.
    """
    status = answer.status
    if status == 401:
        raise SetUpWrongly("token", "HTTP status 401 for a new token")
    if status == 403 or (400 <= status < 500 and is_denial(answer.body)):
        raise SetUpWrongly("access", f"HTTP status {status}")
    if 300 <= status < 400:
        raise SetUpWrongly("address", f"HTTP status {status}")
    if status == 429:
        raise Transient("asked too often", retry_after(answer, now), is_on_its_way=False)
    if status == 408 or status >= 500:
        raise Transient(f"answered with HTTP status {status}", retry_after(answer, now))
    if status < 300 and not _is_json(answer.body, may_be_empty=method != "GET"):
        raise Transient("the answer is no JSON")


def _is_json(body: bytes, *, may_be_empty: bool) -> bool:
    """Tells whether a body begins as JSON does; an object or a list is all that a bank answers."""
    begins = body.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    return may_be_empty if not begins else begins in (b"{", b"[")
