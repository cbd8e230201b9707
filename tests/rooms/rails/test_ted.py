"""The rail of TEDs: what is sent to the STR and asked of it, and how its messages find their company and their rail."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from aiohttp import web

from lastro.core.money import Money
from lastro.core.secrets import Secret
from lastro.payouts import WAITING
from lastro.rails import port
from lastro.rails.inbox import Inbox
from lastro.rails.network_client import NetworkClient
from lastro.rails.port import Closed, Pending, Permanent, Transient, Unknown
from lastro.rails.sending import Sender
from lastro.rails.spi import Spi, SpiEndpoint
from lastro.rails.status_poller import StatusPoller
from lastro.rails.ted import READERS, Ted
from lastro.standards.ted_ids import control_number

from .conftest import House, Scene
from .network import ISPB, TOKEN

MONDAY = datetime(2026, 11, 23, 13, 0, tzinfo=UTC)
PAYER = port.Payer("Ana", "CNPJ", "11222333000181", ISPB, "0001", "000000019", "TRAN")
RECEIVER = port.Receiver("Fabio", "CPF", "24681357928", "99999030", "0001", "300003", "CHECKING_ACCOUNT")
CLOSED = (422, {"error": "OUTSIDE_STR_SESSION", "message": "closed"})


@dataclass
class Str:
    """A small STR. answers: to the next posts; lost: what comes after taking the TED. It keeps each TED once."""

    answers: list[Any] = field(default_factory=list)
    posts: list[dict[str, Any]] = field(default_factory=list)
    taken: dict[str, dict[str, Any]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    silent: bool = False
    now: datetime = MONDAY

    def application(self) -> web.Application:
        app = web.Application()
        app.router.add_post("/str/v1/msgs/{ispb}", self._in)
        app.router.add_get("/str/v1/transfers/{number}", self._status)
        return app

    async def time(self) -> datetime:
        return self.now

    async def _in(self, request: web.Request) -> web.Response:
        assert request.headers["Authorization"] == f"Bearer {TOKEN}"
        assert request.match_info["ispb"] == ISPB
        message = await request.json()
        self.posts.append(message)
        answer = self.answers.pop(0) if self.answers else None
        if isinstance(answer, tuple):
            return web.json_response(answer[1], status=answer[0])
        number = message["numCtrlIf"]
        self.taken.setdefault(number, {
            "numCtrlIf": number, "numCtrlStr": f"STR20261123{len(self.taken):09d}", "status": "17", "amount": message["amount"],
            "settledAt": None, "returned": None,
        })  # fmt: skip
        if answer == "lost":
            assert request.transport is not None
            request.transport.abort()
        return web.json_response({"resourceId": "r"}, status=201)

    async def _status(self, request: web.Request) -> web.Response:
        self.asked.append(request.match_info["number"])
        if self.silent:
            raise web.HTTPServiceUnavailable
        found = self.taken.get(request.match_info["number"])
        return web.json_response(found or {"error": "NOT_FOUND"}, status=200 if found else 404)


@dataclass
class Town:
    """A scene with an STR beside it, and its rail's lanes."""

    scene: Scene
    house: House
    network: Str
    rail: Ted
    sender: Sender
    status_poller: StatusPoller

    async def to_send(self, sequence: int = 1) -> str:
        """A TED of Ana's that is to be sent; its control number."""
        now = await self.scene.now()
        name = control_number(now, 7, sequence)
        order = port.TedOrder(name, Money(1050, "BRL"), PAYER, RECEIVER, now, history="Salary")
        await self.scene.put(
            self.house.ana, port.ted_message(order, self.scene.chance.uuid(now), self.scene.chance.uuid(now), now)
        )
        return name

    async def row(self, name: str) -> Any:
        (row,) = await self.scene.rows("SELECT * FROM outbox WHERE network_id = $1", name)
        return row

    async def pending(self, name: str, send_until: datetime | None = None) -> UUID:
        """Its payout, about which the STR is silent."""
        admin, ana, chance, now = self.scene.admin, self.house.ana, self.scene.chance, await self.scene.now()
        account_id, receiver_id, payout_id = (chance.uuid(now) for _ in range(3))
        await admin.execute(
            "INSERT INTO accounts (company_id, id, number, branch, status, holder_type, full_name, document_type, document_number,"
            " email, phone, created_at, updated_at) VALUES ($1, $2, $3, '0001', 'ACTIVE', 'ORGANIZATION', 'Ana', 'CNPJ',"
            " '11222333000181', 'a@example.com', '+5511987650001', $4, $4)", ana, account_id, self.house.account, now,
        )  # fmt: skip
        await admin.execute("INSERT INTO parties (company_id, id, name) VALUES ($1, $2, 'Fabio')", ana, receiver_id)
        await admin.execute(
            "INSERT INTO payouts (company_id, id, account_id, external_id, idempotency_key, payment_method, rail, initiation, status,"
            " currency, amount_minor, description, receiver_id, control_number, ask_at, send_until, created_at, updated_at)"
            " VALUES ($1, $2, $3, 'x', 'k', 'TED', 'ted', 'MANUAL', 'PENDING', 'BRL', 1050, 'd', $4, $5, $6, $7, $6, $6)",
            ana, payout_id, account_id, receiver_id, name, now, send_until or now + timedelta(days=7),
        )  # fmt: skip
        return payout_id


@pytest.fixture
async def town(scene: Scene, house: House) -> AsyncIterator[Town]:
    str_ = Str()
    runner = web.AppRunner(str_.application(), shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    line = NetworkClient(f"http://127.0.0.1:{runner.addresses[0][1]}/", Secret(TOKEN))
    rail = Ted(line, ISPB, str_.time)
    inbox = Inbox(scene.database, scene.work, scene.chance, ISPB, port.TED)
    sender = Sender(scene.database, scene.work, scene.runner, scene.chance, port.TED, rail)
    status_poller = StatusPoller(scene.database, scene.work, inbox, port.TED, rail, WAITING[port.TED])
    yield Town(scene, house, str_, rail, sender, status_poller)
    await rail.close()
    await runner.cleanup()


async def test_a_ted_is_sent_by_its_own_rails_lane(town: Town) -> None:
    name = await town.to_send()
    await town.scene.sender.queue.drain()
    assert (town.scene.network.received, town.network.posts) == ([], [])
    await town.sender.queue.drain()
    (sent,) = town.network.posts
    assert (sent["type"], sent["numCtrlIf"], sent["amount"]) == ("STR0008", name, "10.50")
    assert (await town.row(name))["outcome"] == "sent"
    assert town.network.asked == [], "the first send needs no question"


async def test_a_lost_answer_is_asked_about_and_never_sent_again(town: Town) -> None:
    name = await town.to_send()
    town.network.answers = ["lost"]
    await town.sender.queue.drain()
    assert (await town.row(name))["outcome"] is None
    await town.scene.pass_time(1)
    await town.sender.queue.drain()
    assert (await town.row(name))["outcome"] == "sent"
    assert (town.network.asked, len(town.network.posts)) == ([name], 1)


async def test_what_never_arrived_is_sent_again_with_the_same_bytes(town: Town) -> None:
    name = await town.to_send()
    town.network.answers = [(503, {})]
    await town.sender.queue.drain()
    await town.scene.pass_time(1)
    await town.sender.queue.drain()
    assert town.network.asked == [name]
    assert town.network.posts[0] == town.network.posts[1]
    assert (await town.row(name))["outcome"] == "sent"


@pytest.mark.parametrize(
    ("now", "wait", "posts"),
    [
        (
            datetime(2026, 11, 27, 20, 5, tzinfo=UTC),
            timedelta(days=2, hours=13, minutes=25),
            0,
        ),  # Friday 17:05: the STR is open
        (datetime(2026, 11, 23, 9, 29, 59, 1, tzinfo=UTC), timedelta(seconds=1), 0),
        (MONDAY, timedelta(minutes=1), 1),  # open by our clock
    ],
)
async def test_while_the_str_is_closed_a_ted_waits_and_counts_as_not_sent(
    town: Town, now: datetime, wait: timedelta, posts: int
) -> None:
    name = await town.to_send()
    town.network.now, town.network.answers = now, [CLOSED]
    await town.sender.queue.drain()
    row = await town.row(name)
    assert (row["sends"], row["outcome"], row["lease_token"]) == (0, None, None)
    assert timedelta(0) <= wait - (row["due_at"] - await town.scene.now()) < timedelta(seconds=10)
    assert len(town.network.posts) == posts
    assert not await town.sender.queue.round()
    await town.scene.admin.execute("UPDATE outbox SET due_at = business_now()")  # it opens
    town.network.now, town.network.answers = MONDAY, []
    await town.sender.queue.drain()
    row = await town.row(name)
    assert (row["sends"], row["outcome"], town.network.asked) == (1, "sent", [])
    assert len(town.network.taken) == 1


async def test_what_may_have_arrived_before_the_str_closed_stays_counted(town: Town) -> None:
    name = await town.to_send()
    town.network.answers = [(503, {}), CLOSED]
    await town.sender.queue.drain()
    await town.scene.pass_time(1)
    await town.sender.queue.drain()
    assert (await town.row(name))["sends"] == 1


@pytest.mark.parametrize("status", [400, 413, 422])
async def test_a_ted_refused_for_good_becomes_news(town: Town, status: int) -> None:
    name = await town.to_send()
    town.network.answers = [(status, {"error": "INVALID_REQUEST", "message": "no"})]
    await town.sender.queue.drain()
    assert (await town.row(name))["outcome"] == "refused"
    (row,) = await town.scene.inbox_rows()
    assert (row["company_id"], row["rail"], row["kind"], row["subject"]) == (
        town.house.ana, port.TED, port.PAYMENT_FINAL, name,
    )  # fmt: skip
    assert port.payment_final(bytes(row["body"])) == port.PaymentFinal(name, settled=False, code="INVALID_REQUEST")


@pytest.mark.parametrize("status", [401, 403, 404, 408, 409, 429, 500, 502, 503])
async def test_what_may_be_a_fault_of_the_way_there_decides_nothing(town: Town, status: int) -> None:
    name = await town.to_send()
    town.network.answers = [(status, {"error": "X"})]
    await town.sender.queue.drain()
    assert (await town.row(name))["outcome"] is None
    assert await town.scene.inbox_rows() == []


@pytest.mark.parametrize("status", [400, 409, 413, 422])
async def test_a_refused_copy_of_a_ted_decides_nothing(town: Town, status: int) -> None:
    """The first was answered by nobody, and is not known yet: it may arrive."""
    name = await town.to_send()
    town.network.answers = [(503, {}), (status, {"error": "INVALID_REQUEST", "message": "no"})]
    for _ in range(2):
        await town.sender.queue.drain()
        await town.scene.pass_time(61)
    row = await town.row(name)
    assert (row["sends"], row["outcome"], await town.scene.inbox_rows()) == (2, None, [])


async def test_the_adapters_words(town: Town) -> None:
    name = await town.to_send()
    row = await town.row(name)
    sent = (row["kind"], row["network_id"], bytes(row["body"]), town.house.ana)
    assert await town.rail.status_of(port.TED_SEND, name) == Unknown()
    town.network.answers = [CLOSED, (422, {"error": "OTHER"}), (500, {})]
    for raised in (Closed, Permanent, Transient):
        with pytest.raises(raised):
            await town.rail.send(*sent)
    await town.rail.send(*sent)
    assert await town.rail.status_of(port.TED_SEND, name) == Pending()
    town.network.taken[name]["status"] = "99"
    with pytest.raises(Transient, match="cannot be read"):
        await town.rail.status_of(port.TED_SEND, name)


@pytest.mark.parametrize(("status", "code"), [("1", None), ("24", "24")])
async def test_an_end_that_is_asked_for_becomes_news(town: Town, status: str, code: str | None) -> None:
    name = await town.to_send()
    await town.pending(name)
    await town.sender.queue.drain()
    await town.status_poller.round()
    assert await town.scene.inbox_rows() == [], "17 is no end"
    settled_at = None if code else "2026-11-23T13:00:01.000000Z"
    town.network.taken[name] |= {"status": status, "settledAt": settled_at}
    await town.scene.pass_time(30)
    await town.status_poller.round()
    (row,) = await town.scene.inbox_rows()
    assert (row["rail"], row["kind"], row["network_id"]) == (
        port.TED,
        port.PAYMENT_FINAL,
        f"asked:{name}:2:{port.PAYMENT_FINAL}",
    )
    final = port.payment_final(bytes(row["body"]))
    assert (final.settled, final.code, final.number) == (code is None, code, town.network.taken[name]["numCtrlStr"])


async def test_what_the_str_does_not_know_is_sent_again_until_its_time_is_over(town: Town) -> None:
    name = await town.to_send()
    await town.pending(name, await town.scene.now() + timedelta(seconds=60))
    await town.sender.queue.drain()
    town.network.taken.clear()  # it said 201 and lost it
    await town.status_poller.round()
    assert (await town.row(name))["due_at"] is not None
    await town.sender.queue.drain()
    assert len(town.network.posts) == 2
    town.network.taken.clear()
    town.network.silent = True
    await town.scene.pass_time(90)
    await town.status_poller.round()
    assert await town.scene.inbox_rows() == [], "a silent STR proves nothing"
    town.network.silent = False
    await town.scene.pass_time(900)
    await town.status_poller.round()
    (row,) = await town.scene.inbox_rows()
    assert (row["kind"], row["subject"]) == (port.PAYMENT_NEVER, name)
    assert (await town.row(name))["due_at"] is None


async def test_a_ted_on_its_way_is_left_alone(town: Town) -> None:
    name = await town.to_send()
    await town.pending(name)
    await town.status_poller.round()
    row = await town.row(name)
    assert (row["sends"], row["outcome"], row["due_at"] is None) == (0, None, False)


async def test_the_stream_of_the_spi_brings_what_the_str_tells(town: Town) -> None:
    """Each to its company and rail; a second copy is dropped, a number of nobody's is the institution's to look at."""
    scene, ours, nobodys = town.scene, control_number(MONDAY, 7, 1), control_number(MONDAY, 8, 1)
    result = {
        "type": "STR0008R1", "createdAt": "2026-11-23T13:00:01Z", "numCtrlStr": "STR20261123000000001", "status": "1",
        "settledAt": "2026-11-23T13:00:01Z",
    }  # fmt: skip
    back = {
        "type": "STR0010R2", "originalNumCtrlIf": ours, "numCtrlStr": "STR20261123000000002", "amount": "10.50", "code": "2",
        "settledAt": "2026-11-23T13:05:01Z",
    }  # fmt: skip
    scene.network.tell(
        {"msgId": "M1", "numCtrlIf": ours, **result}, {"msgId": "M1", "numCtrlIf": ours, **result},
        {"msgId": "M2", "numCtrlIf": ours, **result, "status": "17"}, {"msgId": "M3", **back},
        {"msgId": "M4", "numCtrlIf": nobodys, **result}, {"msgId": "M5", "numCtrlIf": "theirs", **result},
    )  # fmt: skip
    await scene.rail.close()
    scene.rail = Spi(SpiEndpoint(scene.network.url, ISPB, Secret(TOKEN)), READERS)

    async def stored() -> bool:
        return scene.network.confirmed == 6

    await scene.listen_until(stored)
    rows = {r["network_id"]: (r["company_id"], r["rail"], r["kind"], r["subject"]) for r in await scene.inbox_rows()}
    ana, institution = town.house.ana, town.house.institution
    assert rows == {
        "M1": (ana, port.TED, port.PAYMENT_FINAL, ours), "M2": (ana, port.TED, port.PAYMENT_PENDING, ours),
        "M3": (ana, port.TED, port.PAYMENT_RETURNED, ours), "M4": (institution, port.TED, port.PAYMENT_FINAL, nobodys),
        "M5": (institution, port.PIX, port.UNKNOWN, "M5"),
    }  # fmt: skip
    assert json.loads((await scene.rows("SELECT body FROM inbox WHERE network_id = 'M2'"))[0]["body"])["status"] == "17"
