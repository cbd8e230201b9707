"""`lastro events` from a terminal beside a running sandbox, and from a developer's own machine through a line that fails."""

import asyncio
import json
import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import DEVNULL
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from tests import forked
from tests.http_contract import contract

from lastro.webhooks.signatures import verify, verify_short
from lastro_tools.events import asking, perform

from .conftest import playing
from .play import Play
from .stage import Stage, until
from .terminal import Receiver, Terminal, asks, says, served, types

CANCELED = "ORDER-PAYIN.CANCELED"
_LAST = re.compile(r"The last was number (\d+)")


async def happens(play: Play, **order_of: Any) -> dict[str, Any]:
    """An order that is canceled, and of which one event tells."""
    order = await play.order(**order_of)
    assert (await play.tool(order, "CANCELED")).status == 200
    return order


async def numbers(play: Play, after: int) -> list[dict[str, Any]]:
    """What the feed has behind a number."""
    found: list[dict[str, Any]] = (await play.call("GET", f"/order/v1/events?after={after}&limit=5000")).json["data"]
    return found


async def begun(terminal: Terminal) -> int:
    """The number behind which it begins."""
    note = re.search(r"From number (\d+) on", await terminal.notes("From number"))
    assert note is not None
    return int(note[1]) - 1


# ── tail ──


async def test_a_second_terminal_shows_what_happens(play: Play) -> None:
    async with types(play.stage, "tail") as people, types(play.stage, "tail", "--json") as machine:
        after = await begun(people)
        assert await begun(machine) == after
        order = await happens(play)
        shown, told = await people.line(), json.loads(await machine.line())
        (event,) = await numbers(play, after)
        assert told == event
        assert (event["referenceId"], event["sequence"]) == (order["id"], after + 1)
        assert [word for word in (str(after + 1), CANCELED, order["id"], event["id"]) if word not in shown.split()] == []
        for terminal in (people, machine):
            status, rest, notes = await terminal.interrupt()
            assert (status, rest) == (0, "")
            assert _LAST.findall(notes) == [str(after + 1)]


async def test_what_is_not_wanted_is_not_shown(play: Play) -> None:
    one, other = await play.order(), await play.order()
    words = ("--json", "--event", CANCELED, "--event", "ORDER-PAYIN.PAID", "--reference", other["id"].upper())
    async with types(play.stage, "tail", *words) as wanted, types(play.stage, "tail", "--event", "ORDER-PAYIN.PAID") as paid:
        after = await begun(wanted)
        await begun(paid)
        for order in (one, other):
            await play.tool(order, "CANCELED")
        assert json.loads(await wanted.line())["referenceId"] == other["id"]
        await until(lambda: _told(play, after, 2), "both")
        assert (await wanted.interrupt())[1] == (await paid.interrupt())[1] == ""


async def _told(play: Play, after: int, count: int) -> bool:
    return len(await numbers(play, after)) >= count


async def test_it_goes_on_where_it_was_ended(play: Play, tmp_path: Path) -> None:
    state = str(tmp_path / "last")
    await happens(play)
    await play.rest()
    everything = await numbers(play, 0)
    first, _ = await says(play.stage, "tail", "--json", "--after", "0", "--no-follow", "--state", state)
    assert [json.loads(line) for line in first.splitlines()] == everything
    nothing, _ = await says(play.stage, "tail", "--json", "--no-follow", "--state", state)
    assert nothing == ""
    await happens(play)
    new = await until(lambda: numbers(play, len(everything)), "the next")
    again, _ = await says(play.stage, "tail", "--json", "--no-follow", "--after", "0", "--state", state)
    assert [json.loads(line) for line in again.splitlines()] == new
    assert (tmp_path / "last").read_text() == f"{len(everything) + 1}\n"
    (tmp_path / "last").write_text("many\n")
    _, why = await says(play.stage, "tail", "--state", state, status=1)
    assert "does not hold the number of an event" in why


async def test_a_cut_connection_and_a_revoked_token_lose_and_double_nothing(fragile: Stage, tmp_path: Path) -> None:
    async with playing(fragile) as play, types(fragile, "tail", "--json", "--state", str(tmp_path / "last")) as terminal:
        after = await begun(terminal)
        await happens(play)
        seen = [await terminal.line()]
        await fragile.restart("api")
        await happens(play)
        seen.append(await terminal.line())
        await revoke_tokens(fragile)
        play.tokens.clear()
        await happens(play)
        seen.append(await terminal.line())
        fragile.kill("api")
        await terminal.notes("The API is away")
        await fragile.start("api")
        await terminal.notes("The API answers again")
        await happens(play)
        seen.append(await terminal.line())
        await until(lambda: _keeps(tmp_path / "last", after + 4), "the number in the file")
        await terminal.kill()  # not even Ctrl-C
        await happens(play)
        await until(lambda: _told(play, after, 5), "five events")
        async with types(fragile, "tail", "--json", "--no-follow", "--state", str(tmp_path / "last")) as next_one:
            status, out, _ = await next_one.ended()
        assert status == 0
        assert [json.loads(line) for line in [*seen, *out.splitlines()]] == await numbers(play, after)


async def _keeps(file: Path, number: int) -> bool:
    return file.read_text() == f"{number}\n"  # noqa: ASYNC240 a few bytes


async def revoke_tokens(stage: Stage) -> None:
    words = ("client", "revoke-tokens", stage.client()["clientId"])
    process = await forked.begin(("-m", "lastro.cli.main", *words), env=stage.environment, stdout=DEVNULL)
    assert await process.wait() == 0


# ── from elsewhere ──


@dataclass
class Line:
    """What stands between a developer's machine and the API: it fails as often as it is told, and else passes on."""

    to: str
    http: aiohttp.ClientSession
    fails: list[int] = field(default_factory=list)  # statuses; 0: the connection is cut
    asked: list[str] = field(default_factory=list)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(request.path)
        if self.fails:
            status = self.fails.pop(0)
            if not status:
                assert request.transport is not None
                request.transport.abort()
            return web.Response(status=status or 500, headers={"retry-after": "0"})
        headers = {n: v for n, v in request.headers.items() if n.lower() in ("authorization", "content-type")}
        async with self.http.request(
            request.method, self.to + request.path_qs, data=await request.read(), headers=headers
        ) as answer:
            return web.Response(status=answer.status, body=await answer.read(), content_type="application/json")


async def test_a_developers_own_machine_bears_a_line_that_fails(play: Play, tmp_path: Path) -> None:
    own, line = play.stage.client(), Line(play.stage.base_url, play.http)
    (tmp_path / "secret").write_text(own["clientSecret"] + "\n")
    async with served(line.handle) as url:
        # Nothing of a running sandbox is there.
        known = {"LASTRO_API_URL": url, "LASTRO_CLIENT_ID": own["clientId"], "LASTRO_HOME": str(tmp_path)}
        file = {"LASTRO_CLIENT_SECRET_FILE": str(tmp_path / "secret")}
        line.fails = [503, 0]
        async with types(play.stage, "tail", "--json", **known, **file) as terminal:
            after = await begun(terminal)
            line.fails += [429, 0, 502]  # of the questions behind the one that waits now
            await happens(play)
            first = json.loads(await terminal.line())
            await terminal.notes("The API is away")
            await happens(play)
            second = json.loads(await terminal.line())
            assert not line.fails
            assert [first, second] == await numbers(play, after)
            assert (await terminal.interrupt())[0] == 0
        line.fails = [503] * 3
        async with types(play.stage, "list", **known, LASTRO_CLIENT_SECRET=own["clientSecret"]) as terminal:
            status, _, why = await terminal.ended()
        assert (status, why) == (1, f"{url} cannot be asked: it answers 503.\n")
        async with types(play.stage, "list", **known, LASTRO_CLIENT_SECRET="lsk_wrong") as terminal:
            status, _, why = await terminal.ended()
        assert (status, "does not know the client" in why) == (1, True)


# ── list, show, resend ──


async def test_what_failed_is_listed_shown_and_sent_again(play: Play) -> None:
    receiver = Receiver(statuses=[500] * 5)  # as often as a plan asks: on a slow machine a retry may fall due meanwhile
    async with served(receiver.handle) as url:
        await fails_and_is_mended(play, receiver, await happens(play, notificationUrl=f"{url}/hooks"))


async def fails_and_is_mended(play: Play, receiver: Receiver, order: dict[str, Any]) -> None:
    reference = ("--reference", order["id"])

    async def retrying() -> Any:
        return await asks(play.stage, "list", *reference, "--event", CANCELED, "--limit", "5")

    (listed,) = await until(retrying, "RETRYING")
    (same,) = (await play.call("GET", f"/order/v1/webhook/events?referenceId={order['id']}")).json["data"]
    assert {**listed, "history": listed["history"][:1], "updatedAt": ""} == {
        **same, "history": same["history"][:1], "updatedAt": "",
    }  # fmt: skip
    table, _ = await says(play.stage, "list", *reference)
    assert "\x1b" not in table
    head, row = table.splitlines()
    assert head.index("status") == row.index("RETRYING")
    assert [word for word in (order["id"], listed["id"], "500 out\ufffd[2Jof order") if word not in row] == []
    shown = await asks(play.stage, "show", listed["id"].upper())
    assert shown["payload"] == (await play.call("GET", f"/order/v1/webhook/events/{listed['id']}")).json["payload"]
    assert (shown["status"], shown["history"][0]["statusCode"]) == ("RETRYING", 500)
    text, _ = await says(play.stage, "show", listed["id"])
    assert f'"code": "{order["externalId"]}"' in text
    # Without a yes it is counted alone.
    text, _ = await says(play.stage, "resend", *reference)
    assert text.startswith("1 event fits")
    assert "Nothing was sent" in text
    assert await asks(play.stage, "resend", *reference) == {"count": 1, "hasMore": False}
    assert (await asks(play.stage, "show", listed["id"]))["status"] == "RETRYING"
    receiver.statuses.clear()
    text, _ = await says(play.stage, "resend", *reference, "--yes", "--per-minute", "10")
    assert text.endswith("1 queued.\n")
    await until(lambda: _is(play, listed["id"], "DELIVERED"), "DELIVERED")
    assert await asks(play.stage, "list", *reference) == []
    before = len(receiver.came)
    out, why = await says(play.stage, "resend", listed["id"], "0196a4f0-9b1c-7c55-8a01-5d1e8f3a7b20", "--json", status=1)
    assert [one["status"] for one in json.loads(out)] == ["PENDING", "REFUSED"]
    assert why.count("\n") == 1
    assert "404" in why
    await until(lambda: _came(receiver, before + 1), "the resend by id")
    await until(lambda: _is(play, listed["id"], "DELIVERED"), "DELIVERED")


async def _came(receiver: Receiver, count: int) -> bool:
    return len(receiver.came) >= count


async def _is(play: Play, event_id: str, status: str) -> bool:
    return bool((await play.call("GET", f"/order/v1/webhook/events/{event_id}")).json["status"] == status)


async def test_a_list_goes_over_pages(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(3):
        await happens(play)
    await play.rest()
    whole = (await play.call("GET", "/order/v1/webhook/events?status=DELIVERED&sort=asc&limit=5000")).json["data"]
    assert await asks(play.stage, "list", "--status", "delivered", "--sort", "asc", "--limit", "5000") == whole
    monkeypatch.setattr(asking, "_LARGEST_PAGE", 2)
    words = ("list", "--status", "DELIVERED", "--sort", "asc", "--limit", "5000", "--json")
    said: list[str] = []
    assert await asyncio.to_thread(perform, words, {"LASTRO_HOME": str(play.stage.home)}, said.append) == 0
    assert [json.loads(text) for text in said] == [whole]
    out, note = await says(play.stage, "list", "--status", "DELIVERED", "--limit", "2")
    assert (len(out.splitlines()), note) == (3, "There are more: --limit shows them.\n")
    _, why = await says(play.stage, "list", "--status", "LOST", status=1)
    assert "400 status INVALID" in why


# ── forward ──


def ours(headers: dict[str, str]) -> dict[str, str]:
    """What a delivery says of itself, but for what is of the moment."""
    # The last one stands there for as long as a secret that was rotated still counts.
    moment = ("webhook-timestamp", "webhook-signature", "x-signature-sha256-previous")
    return {n: v for n, v in headers.items() if n.startswith(("x-", "webhook-", "content-type")) and n not in moment}


@pytest.mark.parametrize("given", ["file", "environment", ""])
async def test_a_receiver_here_gets_what_a_delivery_would_bring(play: Play, tmp_path: Path, given: str) -> None:
    receiver = Receiver(statuses=[500])
    secret = play.stage.sandbox["webhookSecret"]
    (tmp_path / "secret").write_text(f"{secret}\n")
    words = ("--secret-file", str(tmp_path / "secret")) if given == "file" else ()
    told = {"LASTRO_HOME": str(play.stage.home), "LASTRO_WEBHOOK_SECRET": secret} if given == "environment" else {}
    async with (
        served(receiver.handle) as url,
        types(play.stage, "forward", f"{url}/hooks", *words, **told) as people,
        types(play.stage, "forward", "http://127.0.0.1:9/nobody", "--json", *words, **told) as machine,
    ):
        if not given:
            assert secret in await people.notes("Signed with")
        await people.notes("Posting to")
        await machine.notes("Posting to")
        orders = [await happens(play) for _ in range(3)]
        lines = [await people.line() for _ in orders]
        refused = [json.loads(await machine.line()) for _ in orders]
        assert sum("500 NOT ACKNOWLEDGED" in line for line in lines) == 1
        assert sum("200 acknowledged" in line for line in lines) == 2
        # One that nobody takes ends nothing.
        assert [(r["acknowledged"], r["statusCode"], r["message"]) for r in refused] == [
            (False, 0, "CONNECTION_REFUSED")
        ] * 3
        status, _, notes = await people.interrupt()
        assert (status, len(_LAST.findall(notes))) == (0, 1)
    assert {r["referenceId"] for r in refused} == {order["id"] for order in orders}
    delivered = {w["eventId"]: w for order in orders for w in await play.webhooks(order)}
    assert len(receiver.came) == len(delivered) == 3
    for headers, body in receiver.came:
        real = delivered[headers["x-event-id"]]
        assert ours(headers) == ours({n.lower(): v for n, v in real["headers"].items()})
        assert json.loads(body) == real["body"]
        contract().told(headers["x-event-type"], headers, json.loads(body))
        assert verify([secret], headers, body, now_seconds=int(time.time()))
        assert verify_short([secret], headers, body)


async def test_a_url_that_is_none_of_this_machine_is_refused(play: Play) -> None:
    for url in ("http://10.0.0.1/hooks", "ftp://localhost/x", "localhost:3000"):
        _, why = await says(play.stage, "forward", url, status=1)
        assert why.count("\n") == 1
    (play.stage.home / "no-secret").write_text("whsec_\n")
    _, why = await says(
        play.stage, "forward", "http://localhost:3000", "--secret-file", str(play.stage.home / "no-secret"), status=1
    )
    assert why == "That is no webhook secret: one is whsec_ and base64.\n"
