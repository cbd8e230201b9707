# ruff: noqa: RUF001 - letters that only look like others are what is tested here
"""Names whose owner means harm, asked of a name server that really answers so: nothing is connected to, whatever it says.

What a URL's form alone gives away stands in tests/rules/http_client/urls.py; here such a URL is not even looked up.
"""

from typing import Any

import pytest
from tests.rules.http_client.urls import HOSTILE, LOCAL

from lastro.http_client import Failure, Outcome, OutgoingClient

from .loopback import CLOSE, JSON, answers, http, receiver
from .name_server import Asking, Records, name_server
from .sockets import connects


@pytest.fixture(scope="module")
def anyio_backend() -> tuple[str, dict[str, Any]]:
    """Python's own loop, on which no connection is begun unseen."""
    return "asyncio", {"use_uvloop": False}


NAME = "receiver.example.com"
# Never connected to in a test: it stands for what an honest name has.
PUBLIC, PUBLIC_V6 = "A 93.184.215.14", "AAAA 2606:2800:21f:cb07:6820:80da:af6b:8b2c"

# Each refused for the address it comes to. The name asked for has the first records, the names beside it the others.
REFUSED: dict[str, list[Records]] = {
    "loopback": [["A 127.0.0.1"], ["A 127.1.2.3"], ["AAAA ::1"], ["A 127.255.255.255"]],
    "this host": [["A 0.0.0.0"], ["AAAA ::"], ["A 0.1.2.3"]],
    "private": [
        ["A 10.0.0.1"], ["A 172.16.0.1"], ["A 172.31.255.255"], ["A 192.168.1.1"], ["AAAA fc00::1"],
        ["AAAA fd12::1"],
    ],
    "link-local": [["A 169.254.0.1"], ["AAAA fe80::1"], ["AAAA febf::1"], ["AAAA fec0::1"]],
    "metadata": [
        ["A 169.254.169.254"],  # AWS, Azure, Google and most others
        ["A 169.254.170.2"],  # AWS containers
        ["A 169.254.0.23"],  # Tencent
        ["A 100.100.100.200"],  # Alibaba
        ["A 168.63.129.16"],  # Azure
        ["A 192.0.0.192"],  # Oracle
        ["AAAA fd00:ec2::254"],  # AWS
        ["AAAA fd20:ce::254"],  # Google
        ["AAAA fe80::a9fe:a9fe"],  # OpenStack
    ],
    "carrier's": [["A 100.64.0.1"], ["A 100.127.255.254"]],
    "to many": [["A 224.0.0.1"], ["A 239.255.255.255"], ["AAAA ff02::1"], ["AAAA ff0e::1"], ["A 255.255.255.255"]],
    "reserved": [["A 240.0.0.1"], ["A 198.18.0.1"], ["A 192.88.99.1"], ["AAAA 100::1"], ["AAAA 4000::1"]],
    "in books": [["A 192.0.2.1"], ["A 198.51.100.7"], ["A 203.0.113.9"], ["AAAA 2001:db8::1"], ["AAAA 3fff::1"]],
    "IPv4 in IPv6": [
        ["AAAA ::ffff:127.0.0.1"], ["AAAA ::ffff:169.254.169.254"], ["AAAA ::127.0.0.1"],
        ["AAAA ::ffff:0:127.0.0.1"], ["AAAA 64:ff9b::127.0.0.1"], ["AAAA 64:ff9b::169.254.169.254"],
        ["AAAA 64:ff9b:1::8.8.8.8"], ["AAAA 2002:7f00:1::1"], ["AAAA 2001:0:7f00:1::1"],
    ],
    "a good address beside": [
        [PUBLIC, "A 10.0.0.1"], ["A 10.0.0.1", PUBLIC], [PUBLIC, "A 93.184.215.15", "A 127.0.0.1"],
        [PUBLIC, "AAAA ::1"], ["A 127.0.0.1", PUBLIC_V6], [PUBLIC, PUBLIC_V6, "AAAA ::ffff:10.0.0.1"],
    ],
    "another name": [
        ["CNAME inside.example.net"], ["CNAME chain.example.net"], ["CNAME metadata.google.internal"],
        ["CNAME localhost"], ["0 CNAME inside.example.net"],
    ],
    "gone at once": [["0 A 127.0.0.1"], ["0 AAAA ::1"], ["0 A 93.184.215.14", "0 A 169.254.169.254"]],
}  # fmt: skip
OTHERS: dict[str, list[Records]] = {
    "inside.example.net": [["A 10.20.30.40", "AAAA fd00::1"]],
    "chain.example.net": [["CNAME link.example.org"]],
    "link.example.org": [["0 CNAME inside.example.net"]],
    "metadata.google.internal": [["A 169.254.169.254"]],
    "localhost": [["A 127.0.0.1", "AAAA ::1"]],
}
ROWS = [(why, records) for why, rows in REFUSED.items() for records in rows]


def test_the_table_is_long_enough() -> None:
    assert len({tuple(records) for _, records in ROWS}) == len(ROWS) >= 60


@pytest.mark.parametrize(("why", "records"), ROWS, ids=[f"{why}: {', '.join(records)}" for why, records in ROWS])
async def test_a_name_that_comes_to_a_bad_address(why: str, records: Records) -> None:
    async with (
        receiver(answers(http())) as inside,
        name_server({NAME: [records], **OTHERS}) as names,
        OutgoingClient(sandbox=False, resolver=Asking(names)) as client,
    ):
        with connects() as begun:
            answer = await client.post(f"https://{NAME}:{inside.port}/", b"{}", JSON)
        assert (answer.status, answer.failure) == (0, Failure.ADDRESS_REFUSED)
        assert (begun, inside.connections) == ([], 0)
        assert names.questions == [(f"{NAME}.", "A"), (f"{NAME}.", "AAAA")]


@pytest.mark.parametrize(
    "host",
    [
        "RECEIVER.EXAMPLE.COM", "receiver.example.com.", "ｒｅｃｅｉｖｅｒ.example.com", "receiver。example．com",
        "ReCeIvEr.ⓔⓧⓐⓜⓟⓛⓔ.com",
    ],
)  # fmt: skip
async def test_one_name_however_it_is_written(host: str) -> None:
    async with (
        receiver(answers(http())) as inside,
        name_server({NAME: [["A 127.0.0.1"]]}) as names,
        OutgoingClient(sandbox=False, resolver=Asking(names)) as client,
    ):
        with connects() as begun:
            answer = await client.post(f"https://{host}:{inside.port}/", b"{}", JSON)
        assert (answer.status, answer.failure) == (0, Failure.ADDRESS_REFUSED)
        assert (begun, inside.connections) == ([], 0)
        assert {name for name, _ in names.questions} == {f"{NAME}."}


@pytest.mark.parametrize(
    "records",
    [["NXDOMAIN"], ["SERVFAIL"], ["REFUSED"], ["MX 10"], [f"CNAME {NAME}"], ["CNAME nobody.example.net"], ["SILENT"]],
)
async def test_a_name_that_comes_to_nothing(records: Records) -> None:
    async with (
        name_server({NAME: [records]}) as names,
        OutgoingClient(sandbox=False, resolver=Asking(names, patience_seconds=0.3)) as client,
    ):
        with connects() as begun:
            answer = await client.post(f"https://{NAME}/", b"{}", JSON)
        assert (answer.status, answer.failure, begun) == (0, Failure.DNS_FAILURE, [])
        assert names.questions


async def test_a_name_server_that_is_silent_takes_no_longer_than_a_request_may() -> None:
    async with (
        name_server({NAME: [["SILENT"]]}) as names,
        OutgoingClient(sandbox=False, resolver=Asking(names), timeout_seconds=0.3) as client,
    ):
        answer = await client.post(f"https://{NAME}/", b"{}", JSON)
    assert answer.failure == Failure.TIMEOUT
    assert 250 <= answer.duration_ms < 3000


@pytest.mark.parametrize("sandbox", [False, True])
async def test_a_url_of_bad_form_is_neither_looked_up_nor_asked(sandbox: bool) -> None:
    async with name_server({}) as names, OutgoingClient(sandbox=sandbox, resolver=Asking(names)) as client:
        with connects() as begun:
            for url in HOSTILE if sandbox else HOSTILE + LOCAL:
                assert await client.post(url, b"{}", JSON) == Outcome(0, b"", Failure.ADDRESS_REFUSED, 0), url
        assert (begun, names.questions) == ([], [])


async def test_an_honest_name_is_connected_to_where_it_says() -> None:
    # The same watch, to see that it sees; only the sandbox's loopback may be reached from a test.
    async with (
        receiver(answers(http())) as at,
        name_server({NAME: [["CNAME there.example.net"]], "there.example.net": [["0 A 127.0.0.1"]]}) as names,
        OutgoingClient(sandbox=True, resolver=Asking(names)) as client,
    ):
        with connects() as begun:
            answer = await client.post(f"http://{NAME}:{at.port}/", b"{}", JSON)
        assert (answer.status, begun, at.connections) == (200, [("127.0.0.1", at.port)], 1)


async def test_our_own_ports_are_closed_whatever_name_leads_there() -> None:
    async with (
        receiver(answers(http())) as own,
        name_server(
            {NAME: [["A 127.0.0.1"]], "six.example.com": [["AAAA ::1"]], "far.example.com": [["A 127.9.9.9"]]}
        ) as names,
        OutgoingClient(sandbox=True, own_ports=frozenset({own.port}), resolver=Asking(names)) as client,
    ):
        with connects() as begun:
            for name in (NAME, "six.example.com", "far.example.com"):
                assert (await client.post(f"http://{name}:{own.port}/", b"{}", JSON)).failure == Failure.ADDRESS_REFUSED
        assert (begun, own.connections) == ([], 0)


SECOND = [
    ["A 169.254.169.254"], ["A 10.0.0.1"], ["AAAA fd00::1"], ["0 A 127.0.0.1", "A 0.0.0.0"],
    ["CNAME inside.example.net"],
]  # fmt: skip


@pytest.mark.parametrize("second", SECOND)
async def test_an_answer_that_is_another_one_the_second_time(second: Records) -> None:
    # Whoever checks with one question and connects by another one is sent inside by the second answer.
    zone = {NAME: [["0 A 127.0.0.1"], second], **OTHERS}
    async with (
        receiver(answers(http(more=CLOSE), then_close=True)) as at,
        name_server(zone) as names,
        OutgoingClient(sandbox=True, resolver=Asking(names), pin_seconds=0) as client,
    ):
        url = f"http://{NAME}:{at.port}/"
        with connects() as begun:
            first = await client.post(url, b"{}", JSON)
            assert (first.status, names.questions) == (200, [(f"{NAME}.", "A"), (f"{NAME}.", "AAAA")])
            again = await client.post(url, b"{}", JSON)
        assert (again.status, again.failure) == (0, Failure.ADDRESS_REFUSED)
        assert (begun, at.connections) == ([("127.0.0.1", at.port)], 1)


async def test_a_time_to_live_of_nothing_does_not_shorten_what_was_checked() -> None:
    async with (
        receiver(answers(http(more=CLOSE), then_close=True)) as at,
        name_server({NAME: [["0 A 127.0.0.1"], ["0 A 127.0.0.2"]]}) as names,
        OutgoingClient(sandbox=True, resolver=Asking(names)) as client,
    ):
        with connects() as begun:
            for _ in range(3):
                assert (await client.post(f"http://{NAME}:{at.port}/", b"{}", JSON)).status == 200
        assert begun == [("127.0.0.1", at.port)] * 3
        assert names.questions == [(f"{NAME}.", "A"), (f"{NAME}.", "AAAA")]
