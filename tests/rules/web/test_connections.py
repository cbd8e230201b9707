"""Of too many connections, which one ends; and a caller that hangs up in the middle of its answer."""

import asyncio
from dataclasses import dataclass
from typing import Any
from unittest.mock import Mock

import pytest

from lastro.web.connections import Connections
from lastro.web.flow_control import ended_quietly


@dataclass(eq=False)
class Wire:
    name: str
    is_quiet: bool = True


NEAR, FAR, PROXY = "10.0.0.1", "10.0.0.2", "10.0.0.9"


def test_whoever_has_the_most_connections_gives_one() -> None:
    open_ones: Connections[Wire] = Connections(4, 3, lambda address: address == PROXY)
    of_near = [Wire(f"near {n}") for n in range(3)]
    assert [open_ones.opened(w, NEAR) for w in of_near] == [None] * 3
    fourth = Wire("near 3")
    of_near[0].is_quiet = False
    assert open_ones.opened(fourth, NEAR) is of_near[1], "the oldest on which nobody waits for an answer"
    open_ones.lost(of_near[1], NEAR)
    open_ones.asked(of_near[2], NEAR)
    assert open_ones.opened(Wire("far 0"), FAR) is None
    assert open_ones.opened(Wire("far 1"), FAR) is fourth, "of the address with the most, silent for the longest"
    open_ones.lost(fourth, NEAR)
    open_ones.lost(fourth, NEAR)
    assert (open_ones.count, open_ones.closed) == (4, 2)


def test_where_all_are_busy_the_new_one_goes() -> None:
    open_ones: Connections[Wire] = Connections(2, 2, lambda address: address == PROXY)
    for name in ("one", "two"):
        assert open_ones.opened(Wire(name, is_quiet=False), PROXY) is None
    third = Wire("three")
    assert open_ones.opened(third, NEAR) is third


def test_a_proxy_of_ours_stands_for_many() -> None:
    open_ones: Connections[Wire] = Connections(100, 2, lambda address: address == PROXY)
    assert [open_ones.opened(Wire(str(n)), PROXY) for n in range(9)] == [None] * 9


def test_a_network_of_ipv6_is_counted_as_one_address() -> None:
    open_ones: Connections[Wire] = Connections(4, 3)
    of_one = [Wire(str(n)) for n in range(4)]
    assert [open_ones.opened(w, f"2001:db8::{n + 1}") for n, w in enumerate(of_one)] == [None] * 3 + [of_one[0]]
    open_ones.lost(of_one[0], "2001:db8::1")
    assert open_ones.opened(Wire("other"), "2001:db8:0:1::1") is None
    open_ones.asked(of_one[1], "2001:db8::2")
    assert open_ones.opened(Wire("near"), NEAR) is of_one[2], "of the network with the most, silent for the longest"
    assert open_ones.opened(Wire("a socket's"), "") is of_one[2], "which has not gone yet"


def test_a_proxy_of_ours_is_not_counted_with_its_network() -> None:
    open_ones: Connections[Wire] = Connections(100, 2, lambda address: address == "2001:db8::1")
    assert [open_ones.opened(Wire(str(n)), "2001:db8::1") for n in range(9)] == [None] * 9
    assert [open_ones.opened(Wire(str(n)), "2001:db8::2") for n in range(2)] == [None] * 2


SCOPE: Any = {}
START: dict[str, Any] = {"type": "http.response.start", "status": 200, "headers": []}


class Cycle:
    """Of uvicorn's, what is looked at; its transport is closed, and says so by raising, as uvloop's does."""

    def __init__(self, *, closes: bool) -> None:
        self.disconnected = self.response_started = self.response_complete = False
        self.transport = Mock()
        self.transport.is_closing.return_value = closes

    async def send(self, message: Any) -> None:
        if self.disconnected:
            return
        self.response_started = True
        raise RuntimeError("unable to perform operation on <TCPTransport closed=True>; the handler is closed")


async def answers(_: Any, __: Any, send: Any) -> None:
    for _ in range(2):
        await send(START)


async def test_nothing_is_raised_for_a_caller_that_is_gone() -> None:
    cycle: Any = Cycle(closes=True)
    await ended_quietly(cycle, answers)(SCOPE, Mock(), cycle.send)
    assert cycle.disconnected


async def test_what_is_wrong_with_an_answer_is_raised() -> None:
    cycle: Any = Cycle(closes=False)
    with pytest.raises(RuntimeError):
        await ended_quietly(cycle, answers)(SCOPE, Mock(), cycle.send)


async def test_an_answer_that_is_cut_ends_the_connection_and_is_no_error() -> None:
    cycle: Any = Cycle(closes=False)

    async def cut(_: Any, __: Any, ___: Any) -> None:
        cycle.response_started = True
        await asyncio.sleep(0)

    await ended_quietly(cycle, cut)(SCOPE, Mock(), cycle.send)
    assert cycle.disconnected
    cycle.transport.close.assert_called_once_with()
