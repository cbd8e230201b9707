"""Of too many connections, which one ends: by the address that has the most, and never one that waits for an answer."""

from dataclasses import dataclass

from lastro.web.connections import Connections


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
