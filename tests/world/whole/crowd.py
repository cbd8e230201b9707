"""Clients who do not give up and forget nothing: each says a request again under its key until it is answered, and keeps the answer.

An operation is named by its id in the OpenAPI document, as a literal: tests/world/test_whole_storm.py reads from this source
which operations storms have in hand.
"""

import asyncio
import copy
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

import aiohttp
import asyncpg
import msgspec
from tests.http_contract import contract
from tests.journeys.play import Answer, Play
from tests.journeys.test_teds import operator
from tests.world.whole.town import Town

from lastro.core.errors import DatabaseAway, Stale
from lastro.standards.calendar import brasilia_day

T = TypeVar("T")
OPERATIONS = {said["operationId"]: (method.upper(), path) for path, method, said in contract().operations()}
# What a client hears while something is away: it asks again.
LATER = frozenset({429, 503})
PATIENCE_SECONDS = 20.0
AWAY = (
    aiohttp.ClientError, OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError,
    DatabaseAway, Stale,
)  # fmt: skip


@dataclass(frozen=True)
class Request:
    """What a client sends. who: ana, dora or signer; None: nobody in particular."""

    operation: str
    target: str
    body: bytes | None
    headers: Mapping[str, str]
    who: str | None

    @property
    def method(self) -> str:
        return OPERATIONS[self.operation][0]


@dataclass
class Crowd:
    """Everybody of a storm. kept: each write that was acknowledged. unanswered: each of which nobody knows what it did.

    wrong: what no client should ever see. found: what others may go on with, by its kind. aside: what nobody waits for. waits: how many seconds
    each request took until it was answered.
    """

    play: Play
    chance: random.Random
    kept: list[tuple[Request, Answer]] = field(default_factory=list)
    unanswered: list[Request] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    done: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    found: dict[str, list[Any]] = field(default_factory=dict)
    aside: list["asyncio.Task[Any]"] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    over: asyncio.Event = field(default_factory=asyncio.Event)
    name: str = "storm"
    _names: int = 0

    def person(self, name: str, chance: random.Random) -> "Crowd":
        """One of them, whose choices are his own: they do not depend on what others do meanwhile."""
        one = copy.copy(self)
        one.name, one.chance = name, chance
        return one

    # ── asking ──

    async def write(
        self, operation: str, body: Any = None, *, who: str = "ana", path: Mapping[str, str] | None = None, media: str | None = None,
    ) -> Any:  # fmt: skip
        """What the request is answered, as JSON; None where it is refused, or nobody answers as long as anybody waits."""
        sent = body if isinstance(body, bytes) or body is None else msgspec.json.encode(body)
        headers = {"idempotency-key": self.uuid()}
        if sent is not None:
            headers["content-type"] = media or "application/json"
        request = Request(operation, _target(operation, path, None), sent, headers, who)
        answer = await self.insist(request)
        if answer is None:
            self.unanswered.append(request)
        return self.heard(request, answer)

    async def read(
        self, operation: str, *, who: str | None = "ana", path: Mapping[str, str] | None = None, **query: str
    ) -> Any:
        """What is shown: as JSON, or as it comes; None where it is not."""
        answer = await self.insist(Request(operation, _target(operation, path, query), None, {}, who))
        self.done[operation] += 1
        if answer is None or answer.status >= 300:
            return None
        return answer.json if answer.headers.get("content-type", "").startswith("application/json") else answer.body

    def heard(self, request: Request, answer: Answer | None) -> Any:
        """Keeps what was acknowledged."""
        self.done[request.operation] += 1
        if answer is None or answer.status >= 300:
            said = "nothing" if answer is None else f"{answer.status} {_why(answer)}"
            self.refused[f"{request.operation} {said}"] += 1
            if answer is not None and is_lost(answer):
                self.wrong.append(
                    f"{request.method} {request.target} {said}: no code is used twice, so its own act is in its way"
                )
            return None
        self.kept.append((request, answer))
        return answer.json if answer.body else {}

    async def insist(self, request: Request, seconds: float = PATIENCE_SECONDS) -> Answer | None:
        """The first answer that is one, within so many seconds."""
        clock = asyncio.get_running_loop().time
        begun = clock()
        while clock() < begun + seconds and not self.over.is_set():
            try:
                answer = await self.once(request)
            except AWAY:
                answer = None
            if answer is not None and answer.status in LATER:
                self.refused[f"{answer.status} for now"] += 1
            elif answer is not None:
                if answer.status >= 500:
                    self.wrong.append(f"{request.method} {request.target} {answer.status}")
                    return None
                self.waits.append(clock() - begun)
                return answer
            await asyncio.sleep(0.05)
        return None

    async def once(self, request: Request) -> Answer:
        """One try, held against the document whatever it is answered."""
        headers = dict(request.headers)
        if request.who is not None:
            headers["authorization"] = f"Bearer {await self.token(request.who)}"
        url = self.play.stage.base_url + request.target
        answer = await self.play.ask(request.method, url, request.body, headers)
        if answer.status == 401 and request.who is not None:
            self.play.tokens.clear()
        return answer

    async def token(self, who: str) -> str:
        """Of whoever asks, for as long as it is taken. One of AWAY where it cannot be had now."""
        client = self.town.people["signer"] if who == "signer" else self.town.client(dora=who == "dora")
        if client["clientId"] not in self.play.tokens:
            answer = await self.once(_login(client, by_form=self.chance.random() < 0.3))
            if answer.status != 200:
                raise aiohttp.ClientError(f"no token: {answer.status}")
            self.done["create_token" if "token" in answer.json else "create_oauth_token"] += 1
            self.play.tokens[client["clientId"]] = answer.json.get("token") or answer.json["access_token"]
        return self.play.tokens[client["clientId"]]

    # ── the world outside ──

    async def act(self, path: str, body: Any = None, method: str = "POST") -> Any:
        """An act of a person at the network, who does it again when the line breaks; None where it is refused."""
        for _ in range(40):
            if self.over.is_set():
                return None
            try:
                answer = await self.play.ask(method, self.play.stage.simulator_url + path, body)
            except AWAY:
                await asyncio.sleep(0.1)
                continue
            return answer.json if answer.status == 200 else None
        return None

    async def operator(self, *words: str) -> Any:
        """A command that somebody types until the database has heard it; None where it is refused."""
        for _ in range(40):
            if self.over.is_set():
                return None
            try:
                return await operator(self.play, *words)
            except (*AWAY, SystemExit):
                await asyncio.sleep(0.1)
            except Exception as no:  # noqa: BLE001 its sentence is all that a command says
                self.refused[f"{' '.join(words[:2])} {type(no).__name__}"] += 1
                return None
        return None

    async def soon(self, look: Callable[[], Awaitable[T]], seconds: float = 2.0) -> T | None:
        """What is to be seen, if it is to be seen within so many seconds."""
        clock = asyncio.get_running_loop().time
        deadline = clock() + seconds
        while clock() < deadline and not self.over.is_set():
            seen = await look()
            if seen:
                return seen
            await asyncio.sleep(0.05)
        return None

    def meanwhile(self, act: Coroutine[Any, Any, Any]) -> None:
        """Begins something that may take as long as it likes."""
        self.aside.append(asyncio.create_task(act))

    async def part(self) -> None:
        """Nobody waits for anything any more."""
        self.over.set()
        for task in self.aside:
            task.cancel()
        await asyncio.gather(*self.aside, return_exceptions=True)
        self.over.clear()

    # ── who, what, when ──

    @property
    def town(self) -> Town:
        assert isinstance(self.play.stage, Town)
        return self.play.stage

    @property
    def accounts(self) -> list[dict[str, str]]:
        """Ana's two, which stay open."""
        found: list[dict[str, str]] = self.town.sandbox["accounts"]
        return found

    def keep(self, kind: str, thing: Any) -> None:
        """Remembers something that others may go on with."""
        self.found.setdefault(kind, []).append(thing)

    def some(self, kind: str) -> Any:
        """One of those; None: there is none yet."""
        return self.chance.choice(self.found[kind]) if self.found.get(kind) else None

    def uuid(self) -> str:
        """From the seed, so that keys and codes are the same when it is played again."""
        number = self.chance.getrandbits(128)
        text = f"{number:032x}"
        return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-8{text[17:20]}-{text[20:]}"

    def code(self) -> str:
        self._names += 1
        return f"{self.name}-{self._names}-{self.chance.getrandbits(32):08x}"

    def hook(self, code: str) -> str:
        """Where events of this go: mostly where they are taken."""
        bases = [f"{self.play.stage.simulator_url}/merchant/webhooks", "http://127.0.0.1:1"]
        return f"{self.chance.choices(bases, (12, 1))[0]}/{code}"

    def cents(self, *magic: str) -> str:
        """An amount, now and then one of these with a meaning of its own."""
        if magic and self.chance.random() < 0.3:
            return self.chance.choice(magic)
        return f"{self.chance.randint(1, 300)}.{self.chance.randint(0, 99):02}"

    async def today(self) -> date:
        """By business time; of the machine where nobody says."""
        now = await self.read("read_clock", who=None)
        return brasilia_day(datetime.fromisoformat(now["now"]) if now else datetime.now(UTC))

    async def day(self, ahead: int) -> str:
        return (await self.today() + timedelta(days=ahead)).isoformat()


def is_lost(answer: Answer) -> bool:
    """Whether it is what a request hears that is said again and not known again: that somebody has its code."""
    details = (answer.json.get("details") or []) if answer.status == 409 else []
    return any(one["issue"] == "DUPLICATE" and one["field"].split(".")[-1] == "externalId" for one in details)


def _why(answer: Answer) -> str:
    """The first detail of a refusal."""
    details = answer.json.get("details") or [{"field": "", "issue": ""}]
    return f"{details[0]['field']} {details[0]['issue']}"


def _login(client: Mapping[str, str], *, by_form: bool) -> Request:
    """A request for a token, in one of two forms."""
    if not by_form:
        headers = {"content-type": "application/json"}
        return Request("create_token", _target("create_token", None, None), msgspec.json.encode(client), headers, None)
    form = {"grant_type": "client_credentials", "client_id": client["clientId"], "client_secret": client["clientSecret"]}
    headers = {"content-type": "application/x-www-form-urlencoded"}
    target = _target("create_oauth_token", None, None)
    return Request("create_oauth_token", target, urlencode(form).encode(), headers, None)


def _target(operation: str, path: Mapping[str, str] | None, query: Mapping[str, str] | None) -> str:
    target = OPERATIONS[operation][1]
    for name, value in (path or {}).items():
        target = target.replace(f"{{{name}}}", quote(value, safe=""))
    assert "{" not in target, f"{operation} lacks a part of its path: {target}"
    return target + (f"?{urlencode(query)}" if query else "")
