"""Any web page can reach this machine's own address: what the servers make of names and origins that are not theirs.

Byte for byte over sockets, since a client library would put right what a stranger would not.
"""

import asyncio
from dataclasses import dataclass

from tests.in_one import in_one_test

from .play import Play

SERVED, NOT_HERE, NOT_YOURS, NOWHERE = {200}, {400}, {403}, {404}
NOT_HERE_SIM = {400, 403}  # the simulator says no to a name as to an origin


@dataclass(frozen=True)
class Place:
    """A server and a path of it that needs no token. strangers: how a foreign name is refused."""

    port: int
    path: str
    strangers: frozenset[int]


def places(play: Play) -> list[Place]:
    api, sim = (int(url.rpartition(":")[2]) for url in (play.stage.base_url, play.stage.simulator_url))
    ours = [Place(api, path, frozenset(NOT_HERE)) for path in ("/health", "/live", "/", "/sandbox/clock")]
    return [*ours, *(Place(sim, path, frozenset(NOT_HERE_SIM)) for path in ("/health", "/phone", "/clock"))]


async def status(place: Place, lines: str, target: str | None = None, method: str = "GET", version: str = "1.1") -> int:
    """The answer to a request with just these header lines."""
    reader, writer = await asyncio.open_connection("127.0.0.1", place.port)
    head = f"{method} {place.path if target is None else target} HTTP/{version}\r\n{lines}connection: close\r\n\r\n"
    writer.write(head.encode("latin-1"))
    try:
        async with asyncio.timeout(10):
            first = await reader.readline()
    finally:
        writer.close()
    return int(first.split(b" ")[1])


async def answered(play: Play, table: dict[str, set[int] | None], line: str) -> list[str]:
    """What was answered otherwise than it should. table: text, in which {port} is the server's → status, None: a stranger's."""
    wrong = []
    for place in places(play):
        for text, expected in table.items():
            own = f"host: 127.0.0.1:{place.port}\r\n"
            lines = line.format(own=own, value=text.format(port=place.port))
            found = await status(place, lines)
            if found not in (expected or place.strangers):
                wrong.append(f"{place.path} at {place.port}: {lines!r} → {found}")
    return wrong


HOSTS: dict[str, set[int] | None] = {
    "127.0.0.1:{port}": SERVED, "localhost:{port}": SERVED, "[::1]:{port}": SERVED, "LocalHost:{port}": SERVED,
    "\t127.0.0.1:{port}": SERVED,  # RFC 9112 §5: blanks around a value are none of it
    "evil.example": None, "evil.example:{port}": None, "127.0.0.1.evil.example:{port}": None,
    "localhost.evil.example:{port}": None, "evil-localhost:{port}": None, "127.0.0.1:{port}.evil.example": None,
    "127.0.0.1": None, "127.0.0.1:": None, "127.0.0.1:1": None, "127.0.0.1:0{port}": None, "127.0.0.1:{port}1": None,
    "localhost.:{port}": None, "127.0.0.1.:{port}": None, "127.0.0.1:{port}.": None,
    "127.1:{port}": None, "2130706433:{port}": None, "0x7f.1:{port}": None, "0177.0.0.1:{port}": None, "0.0.0.0:{port}": None,
    "[0:0:0:0:0:0:0:1]:{port}": None, "[::ffff:127.0.0.1]:{port}": None, "[::1%25lo]:{port}": None, "::1:{port}": None,
    "[::]:{port}": None, "[::1]": None,
    "user@127.0.0.1:{port}": None, "127.0.0.1:{port}@evil.example": None, "evil.example@127.0.0.1:{port}": None,
    "127.0.0.1:{port}/": None, "127.0.0.1:{port}, evil.example": None, "127.0.0.1:{port} evil.example": None,
    "http://127.0.0.1:{port}": None, "127.0.0.1:{port}#": None, "%3127.0.0.1:{port}": None, "": None, "\xff": None,
}  # fmt: skip

ORIGINS: dict[str, set[int] | None] = {
    "http://127.0.0.1:{port}": SERVED, "https://localhost:{port}": SERVED, "http://[::1]:{port}": SERVED,
    "null": NOT_YOURS, "": NOT_YOURS, "http://evil.example": NOT_YOURS, "http://127.0.0.1": NOT_YOURS,
    "http://127.0.0.1:1": NOT_YOURS, "http://127.0.0.1:{port}.evil.example": NOT_YOURS,
    "http://evil.example:{port}": NOT_YOURS, "file://127.0.0.1:{port}": NOT_YOURS, "ws://127.0.0.1:{port}": NOT_YOURS,
    "127.0.0.1:{port}": NOT_YOURS, "http://user@127.0.0.1:{port}": NOT_YOURS,
    "http://127.0.0.1:{port} http://evil.example": NOT_YOURS, "http://127.0.0.1:{port}, null": NOT_YOURS,
    "http://localhost.:{port}": NOT_YOURS, "chrome-extension://abc": NOT_YOURS, "http://[": NOT_YOURS, "\xff": NOT_YOURS,
}  # fmt: skip


async def test_names(play: Play) -> None:
    assert not await answered(play, HOSTS, "host: {value}\r\n")


async def test_origins(play: Play) -> None:
    assert not await answered(play, ORIGINS, "{own}origin: {value}\r\n")


@in_one_test("method", ["GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD"])
async def test_no_method_passes_by(play: Play, method: str) -> None:
    for place in places(play):
        # What nobody serves has nothing to guard: there the simulator says that first.
        unserved = {404, 405} if place.strangers == NOT_HERE_SIM and method != "GET" else set()
        rebound = await status(place, f"host: evil.example:{place.port}\r\ncontent-length: 0\r\n", method=method)
        assert rebound in place.strangers | unserved, place
        foreign = f"host: 127.0.0.1:{place.port}\r\norigin: http://evil.example\r\ncontent-length: 0\r\n"
        assert await status(place, foreign, method=method) in {403} | unserved, place


async def test_acts_of_the_simulator_are_not_strangers(play: Play) -> None:
    port = next(p.port for p in places(play) if p.path == "/phone")
    for method, path in (("POST", "/phone/pay"), ("POST", "/faults"), ("DELETE", "/faults"), ("PUT", "/clock")):
        act = Place(port, path, frozenset(NOT_HERE_SIM))
        for lines in ("host: evil.example\r\n", f"host: 127.0.0.1:{port}\r\norigin: null\r\n"):
            assert await status(act, lines + "content-length: 0\r\n", method=method) == 403, (method, path, lines)


async def test_no_name_and_two_names(play: Play) -> None:
    for place in places(play):
        own, foreign = f"host: 127.0.0.1:{place.port}\r\n", "host: evil.example\r\n"
        origin = f"origin: http://127.0.0.1:{place.port}\r\n"
        for lines in ("", own + foreign, foreign + own, own + own):
            assert await status(place, lines) in place.strangers, lines
        assert await status(place, "", version="1.0") in place.strangers
        for lines in (own + origin + "origin: null\r\n", own + "origin: null\r\n" + origin):
            assert await status(place, lines) in {400, 403}, lines


async def test_a_request_line_that_names_a_host(play: Play) -> None:
    """Absolute-form is for proxies; here it leads nowhere, whatever name stands in it (docs/decisions/http-edge.md)."""
    for place in (p for p in places(play) if p.strangers == NOT_HERE):
        own = f"127.0.0.1:{place.port}"
        cases = [
            (f"http://{own}{place.path}", own, NOWHERE),
            (f"http://evil.example{place.path}", own, NOWHERE),
            (f"http://{own}{place.path}", "evil.example", NOT_HERE),
            (f"http://evil.example{place.path}", "evil.example", NOT_HERE),
            (f"http://user@{own}{place.path}", own, NOWHERE),
            (f"//evil.example{place.path}", own, NOWHERE),
            (f"/http://{own}{place.path}", own, NOWHERE),
        ]
        for target, host, expected in cases:
            found = await status(place, f"host: {host}\r\n", target)
            assert found in expected, (target, host, found)


async def test_what_a_page_of_elsewhere_asks_the_simulator(play: Play) -> None:
    """Acts of the simulator have no token: a browser that says where a form came from is believed."""
    sim = next(p for p in places(play) if p.path == "/phone")
    for site, expected in (("cross-site", 403), ("same-site", 403), ("same-origin", 400), ("none", 400)):
        lines = f"host: 127.0.0.1:{sim.port}\r\nsec-fetch-site: {site}\r\ncontent-length: 0\r\n"
        assert await status(sim, lines, "/phone/pay", "POST") == expected, site
        assert await status(sim, lines, "/phone") == 200, "a link to it may be followed"
