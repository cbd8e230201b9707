"""Who is next when more is asked than can be done, as tables: `a1` is the first request of Ana."""

from collections import Counter
from uuid import UUID

from tests.in_one import in_one_test

from lastro.config.given import Given
from lastro.config.load import Bounds, Load, load
from lastro.web.fair_queue import FairQueue, RecentRejections, Who, turn_of

A, B, C = (UUID(int=number) for number in (1, 2, 3))
BOUNDS = Bounds(at_once=4, waiting=8, patience_seconds=0.5, hurried_seconds=0.1)


def line(*joined: tuple[Who, str, float]) -> FairQueue[str]:
    made: FairQueue[str] = FairQueue(BOUNDS)
    for who, item, at in joined:
        made.join(who, item, at)
    return made


def emptied(waiting: FairQueue[str], under_way: dict[Who, int]) -> str:
    """All of them in their order, none of which ends meanwhile."""
    counted: Counter[Who] = Counter(under_way)
    at_work: Counter[UUID | None] = Counter()
    for who, count in under_way.items():
        at_work[turn_of(who)] += count
    items = []
    while (found := waiting.next(counted, at_work)) is not None:
        counted[found[0]] += 1
        at_work[turn_of(found[0])] += 1
        items.append(found[1])
    return " ".join(items)


MANY: list[tuple[Who, str, float]] = [(A, f"a{n}", n / 1000) for n in range(1, 5)]
STRANGERS: list[tuple[Who, str, float]] = [(f"s{n}", f"s{n}", n / 1000) for n in range(1, 5)]

# What waits, who has how many under way, and in which order they are served.
ORDERS: dict[str, tuple[list[tuple[Who, str, float]], dict[Who, int], str]] = {
    "of one, as they came": (MANY, {}, "a1 a2 a3 a4"),
    "of two, in turns": ([*MANY, (B, "b1", 0.01), (B, "b2", 0.02)], {}, "a1 b1 a2 b2 a3 a4"),
    "whoever has none under way goes before all of one that has": (
        [*MANY, (B, "b1", 0.01), (B, "b2", 0.02)], {A: 2}, "b1 b2 a1 a2 a3 a4",
    ),
    "whoever has more waits until others have as many": (
        [*MANY[:2], (B, "b1", 0.01), (C, "c1", 0.02)], {A: 3, B: 1, C: 0}, "c1 b1 a1 a2",
    ),
    "of all addresses as many as of one company": ([*STRANGERS, *MANY], {}, "s1 a1 s2 a2 s3 a3 s4 a4"),
    "what addresses have under way counts together": ([*STRANGERS[:2], *MANY[:2]], {"s8": 1, "s9": 1}, "a1 a2 s1 s2"),
}  # fmt: skip


@in_one_test("what", ORDERS)
def test_places_go_to_whoever_has_the_fewest(what: str) -> None:
    joined, under_way, order = ORDERS[what]
    waiting = line(*joined)
    assert emptied(waiting, under_way) == order
    assert (waiting.length, waiting.callers(), waiting.loser(A), waiting.is_empty) == (0, frozenset(), None, True)


# When each began to wait, the time, and who has waited too long: 0.5 s in a burst, 0.1 s once there was no end of it.
STALE: dict[str, tuple[list[float], float, str]] = {
    "nobody yet": ([0.0, 0.3], 0.5, ""),
    "the hurry begins with the first that is too late": ([0.0, 0.35, 0.45], 0.501, "0.0 0.35"),
    "once it is a hurry all are given a tenth": ([0.0, 0.45, 0.95], 1.0, "0.0 0.45"),
}


@in_one_test("what", STALE)
def test_who_has_waited_too_long(what: str) -> None:
    since, now, gone = STALE[what]
    waiting = line(*((A, str(at), at) for at in since))
    assert " ".join(item for _, item in waiting.stale(now)) == gone
    assert waiting.length == len(since) - len(gone.split())


@in_one_test(("its_own", "gone"), [(1, "a0"), (2, "a0"), (3, "a0"), (4, "a0 b b b b")])
def test_who_has_far_less_there_is_not_hurried(its_own: int, gone: str) -> None:
    """A line of eight of another company is why there is a hurry; whoever has at most half as many waits out a stall."""
    many: list[tuple[Who, str, float]] = [(A, f"a{n}", 0.95) for n in range(1, 8)]
    waiting = line((A, "a0", 0.0), *many, *((B, "b", 0.7) for _ in range(its_own)))
    assert " ".join(item for _, item in waiting.stale(1.0)) == gone
    assert len(waiting.stale(1.201)) == 7 + its_own * (gone == "a0")


def test_who_has_far_less_is_judged_by_the_line_as_it_was() -> None:
    """The first look behind a stall takes all of the other company out; who is left then has made no hurry."""
    waiting = line(*((A, f"a{n}", n / 1000) for n in range(8)), (B, "b", 0.7))
    assert [item for _, item in waiting.stale(1.0)] == [f"a{n}" for n in range(8)]
    assert waiting.stale(1.1) == []
    assert [item for _, item in waiting.stale(1.201)] == ["b"]


# How long each takes, how many are served while the line stands, and for how many there is room then.
ROOMS: dict[str, tuple[float, int, int]] = {
    "nobody was served yet": (0.001, 1, 8),
    "fast enough for all": (0.001, 1000, 8),
    "a burst, whose patience is longer": (0.03, 11, 8),
    "too slow for so many": (0.02, 1000, 2),
    "too slow for anybody": (0.5, 1000, 1),
}


@in_one_test("what", ROOMS)
def test_there_is_room_for_those_who_are_served_in_time(what: str) -> None:
    pace, served, room = ROOMS[what]
    now, waiting = 0.0, line((A, "a0", 0.0), (A, "a1", 0.0))
    for number in range(served):
        now += pace
        waiting.join(A, f"a{number + 2}", now)
        waiting.next({}, {})
        waiting.stale(now)
    assert waiting.room(now) == room
    waiting.next({}, {})
    waiting.next({}, {})
    assert (waiting.is_empty, waiting.stale(now + 9.0), waiting.room(now)) == (True, [], 8), (
        "whoever comes next meets no line"
    )


# How many of A, of B and of six others wait, one served in 10 ms, nobody longer than 100; whether one more of A is late.
LATE: dict[str, tuple[int, int, int, bool]] = {
    "as many as have their turns in time": (3, 3, 0, False),
    "one more than that": (4, 3, 0, True),
    "those of one company alone": (7, 0, 0, False),
    "the first of its own beside many": (0, 4, 4, False),
    "the second of its own beside many": (1, 4, 1, True),
}


@in_one_test("what", LATE)
def test_who_would_wait_in_vain_is_told_at_the_door(what: str) -> None:
    """Companies are served in turns, however many of each wait; that counts only while there is a hurry."""
    of_a, of_b, of_others, is_late = LATE[what]
    others = [UUID(int=200 + n) for n in range(6)]
    waiting = line(("s", "s", 0.0))  # whose standing makes the hurry, and the pace is taken by
    now = 0.0
    while now < 0.6:
        now += 0.01
        waiting.join("s", "s", now)
        waiting.next({}, {})
        waiting.stale(now)
    for who, count in ((A, of_a), (B, of_b), *((other, of_others) for other in others)):
        for _ in range(count):
            waiting.join(who, "", now)
    waiting.next({}, {})  # the stranger's last
    assert waiting.is_late(A, now) is is_late
    for number in range(3):
        waiting.join(f"s{number}", "", now)
    assert not waiting.is_late(None, now), "of addresses each is by itself"


def test_nobody_is_late_where_nobody_is_hurried() -> None:
    waiting = line(*((A, "a", 0.0) for _ in range(8)))
    waiting.stale(0.3)
    assert not waiting.is_late(A, 0.3)


# How often each was turned away lately, and whether the first has less in the line because it asks less.
CROWDS = {
    "both often": (20, 30, False),
    "one rarely": (7, 8, True),
    "one half as often": (20, 40, True),
    "it alone": (9, 0, False),
}


@in_one_test("what", CROWDS)
def test_who_asks_as_much_as_the_crowd_belongs_to_it(what: str) -> None:
    mine, its, is_beside = CROWDS[what]
    crowd = RecentRejections()
    crowd.look(1.0)
    for who, count in ((A, mine), (B, its)):
        crowd.turned_away[who] += count
    assert (crowd.is_beside(A, B), crowd.is_beside(A, A)) == (is_beside, True)
    crowd.look(1.5)
    assert crowd.is_beside(A, B) is is_beside, "not so long ago"
    crowd.look(2.0)
    assert crowd.is_beside(A, B), "that is forgotten"
    crowd.turned_away[A] += 9
    crowd.look(9.0)
    assert crowd.is_beside(A, B), "nobody has looked for so long that it is forgotten, too"


def test_a_line_that_was_empty_once_is_in_no_hurry() -> None:
    waiting = line((A, "a1", 0.0))
    assert waiting.is_hurried(0.6)
    waiting.next({}, {})
    waiting.join(A, "a2", 0.7)
    assert not waiting.is_hurried(0.8)
    assert waiting.stale(0.9) == []


ALIKE: list[Who] = [UUID(int=100 + n) for n in range(6) for _ in range(4)]
# Of whom each one waits in a full line, who comes, and whose oldest goes; None: who comes is turned away.
LOSERS: dict[str, tuple[list[Who], Who, Who | None]] = {
    "of the company with the most": ([A, A, B], C, A),
    "nobody has more": ([A, B], A, None),
    "one alone": ([A, A], A, None),
    "one more is not far more": ([A, A, A, B], B, None),
    "twice as many with it is": ([A, A, A, A, B], B, A),
    "of many addresses, for a company that has nothing there": (["s1", "s2", "s3"], A, "s1"),
    "of many addresses, for a company that has far fewer than they together": (["s1", "s2", "s3", "s4", A], A, "s1"),
    "of the addresses where they have as many as a company": ([A, A, "s1", "s1"], B, "s1"),
    "addresses together have their part": (["s1", "s1", "s1", "s1", "s2", A], "s2", "s1"),
    "and no more than that": (["s1", "s2", A, A, A], "s3", None),
    "where a company has far more": (["s1", *[A] * 4], "s3", A),
    "of the address with the most": (["s1", "s2", "s2", "s2", "s2"], "s1", "s2"),
    "an address beside others of which none has more": (["s1", "s2"], "s1", None),
    "of many who ask alike one has four by chance": (ALIKE, B, None),
    "but not five": ([*ALIKE, ALIKE[0]], B, ALIKE[0]),
}


@in_one_test("what", LOSERS)
def test_who_makes_room_in_a_full_line(what: str) -> None:
    there, who, expected = LOSERS[what]
    assert line(*((each, str(n), n / 1000) for n, each in enumerate(there))).loser(who) == expected


def test_who_comes_back_is_before_others_of_its_own_alone_and_may_wait_for_ever() -> None:
    """Of Ana come back: as they came, before what is new of hers."""
    waiting = line(*MANY[:2], (B, "b1", 0.01), (B, "b2", 0.02))
    for item in ("back1", "back2", "back3"):
        waiting.come_back(A, item)
    waiting.drop(A, "back2")
    assert (waiting.length, waiting.of(A)) == (4, 2)
    assert emptied(waiting, {A: 1}) == "b1 back1 b2 back3 a1 a2"
    waiting.come_back(A, "back")
    assert waiting.stale(1e9) == []
    assert (waiting.loser(B), waiting.is_empty) == (None, False)
    waiting.join(B, "b", 0.0)
    waiting.come_back(C, "c back")
    assert emptied(waiting, {}) == "c back back b", "first among equals"


def test_the_oldest_is_dropped() -> None:
    waiting = line(*MANY, (B, "b1", 0.5))
    assert waiting.drop_oldest(A) == "a1"
    assert (waiting.of(A), waiting.of(B), waiting.of(C), waiting.length) == (3, 1, 0, 4)


def test_who_hangs_up_waits_no_longer() -> None:
    waiting = line(*MANY)
    waiting.drop(A, "a3")
    waiting.drop(A, "a3")
    waiting.drop(B, "b1")
    assert emptied(waiting, {}) == "a1 a2 a4"


SETTINGS: list[tuple[dict[str, str], Load | str]] = [
    ({}, Load()),
    ({"LASTRO_REQUESTS_AT_ONCE": "8", "LASTRO_REQUESTS_WAITING": "9"}, Load(Bounds(8, 9))),
    ({"LASTRO_REQUESTS_WAIT_MS": "900", "LASTRO_REQUESTS_HURRIED_WAIT_MS": "50"}, Load(Bounds(32, 64, 0.9, 0.05))),
    ({"LASTRO_CONNECTIONS": "10"}, Load(Bounds(), 10)),
    ({"LASTRO_REQUESTS_AT_ONCE": "0"}, "LASTRO_REQUESTS_AT_ONCE must be a whole number from 1 to 999999, not '0'."),
    ({"LASTRO_CONNECTIONS": "many"}, "LASTRO_CONNECTIONS must be a whole number from 1 to 999999, not 'many'."),
    (
        {"LASTRO_REQUESTS_WAIT_MS": "50"},
        "LASTRO_REQUESTS_HURRIED_WAIT_MS must not be above LASTRO_REQUESTS_WAIT_MS.",
    ),
]


@in_one_test(("given", "expected"), SETTINGS)
def test_settings_of_the_load(given: dict[str, str], expected: Load | str) -> None:
    read = Given(given)
    found = load(read)
    assert read.problems == ([expected] if isinstance(expected, str) else [])
    if isinstance(expected, Load):
        assert found == expected
