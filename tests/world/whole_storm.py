"""A storm of the whole world: everybody does everything, everything dies, and in the end everything adds up.

A seed plays the choices of a storm again: who does what, with which amounts, and what befalls whom after how many requests.
How they meet in time it does not.
"""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.world.whole import buying, holding, listening, outages, paying_out, recurring, sending_ahead
from tests.world.whole.aftermath import Aftermath, Restless
from tests.world.whole.crowd import Crowd
from tests.world.whole.town import Manner, Town, copied, visiting
from tests.world.whole.weather import Fault, at_server, forecast, later

AT_ONCE = 8
REQUESTS_OF_A_LIFE = 6  # about so many: by it the faults are spread over a storm
OUTAGES = 1 / 2  # of storms: no worker lives while customers pay
# What people do, and how often. Every operation of the API is in the hand of one of them.
LIVES: Mapping[Callable[[Crowd], Awaitable[None]], int] = {
    buying.buys: 8, buying.buys_by_fewer_words: 2, buying.pays_a_printed_code: 2, buying.pays_nobody: 2, buying.sends_a_ted: 2,
    buying.buys_at_a_partner: 5, buying.buys_by_card: 3, paying_out.pays_out: 9, paying_out.plans: 3,
    paying_out.contests: 2, paying_out.is_contested: 2, paying_out.is_called_off: 2, recurring.subscribes: 4, recurring.goes_on: 1,
    holding.makes_a_key: 3, holding.claims_a_key: 2, holding.opens_an_account: 2, holding.is_blocked: 1,
    sending_ahead.sends_ahead: 4, listening.is_told: 2, listening.looks_around: 2, listening.misbehaves: 8,
}  # fmt: skip


@dataclass(frozen=True)
class Kind:
    """What differs between kinds of storms. lives: what people do, and how often. outage: of ours, so many requests in it.

    dialects: of the bank, one by the seed. explained: alarms that its acts are a reason for.
    """

    lives: Mapping[Callable[[Crowd], Awaitable[None]], int]
    town: type[Town] = Town
    aftermath: type[Aftermath] = Aftermath
    outage: Callable[[random.Random, int], Fault] = outages.befalls
    dialects: tuple[str, ...] = ("",)
    explained: tuple[str, ...] = ()
    least_kept: float = 1 / 3  # writes of an act, or the storm proves too little; about 1.2 are usual

    def manner(self, seed: int, older: Path | None) -> Manner:
        """Of the town of one storm."""
        return Manner(is_narrow=seed % 3 == 0, older=older, dialect=self.dialects[seed % len(self.dialects)])


WORLD = Kind(LIVES)
# Alarms that no fault is a reason for. The last four wait for hours or fail again and again: a storm's faults are over sooner.
_NEVER = frozenset({
    "INBOX.CONTRADICTS", "LAW.BROKEN", "STATEMENT.TORN", "INBOX.STUCK", "INBOX.WAITS", "NETWORK.UNDECIDED", "OUTBOX.STUCK",
})  # fmt: skip
_EXPLAINED_ALARMS = (
    "INBOX.CONTRADICTS card.chargeback",  # more was charged back than a refund had left
    "INBOX.CONTRADICTS recurrence.refused",  # its payer was quicker than the network that had second thoughts
    # The clock of a storm goes on by days, and in that moment a network may be dead: by its clock it was silent for so long.
    "NETWORK.UNDECIDED payment.send", "NETWORK.UNDECIDED return.send", "NETWORK.UNDECIDED ted.send",
)  # fmt: skip
# What is for people was called so, too, before it was called `inbox.look_at_this`.
_OF_OLDER = ("INBOX.CONTRADICTS refused", "INBOX.CONTRADICTS unknown")
# The directory takes no answer to a request that was called off when its money had already left: that is for people.
_ANSWER_REFUSED = "INBOX.CONTRADICTS refused"
_RETURNED_TOO_LATE = "SELECT 1 FROM refunds WHERE called_off_at IS NOT NULL AND state = 'PAID' LIMIT 1"
# By a fault, too: what the simulated directory says when it was told to refuse a word of ours.
_DIRECTORY_REFUSES = "outbox.refused The directory refuses it"
# While a bank is away or refuses access, what is sent there fails at each step of the clock, and an operator is told both.
_BANK_REFUSES_ACCESS, _BANK_IS_AWAY = "BANK.SET_UP_WRONGLY", "outage at the bank"
# A worker's task came to an end that nobody foresaw, unless the database was away. Tried again it may go well, and the books
# add up: the mistake is there all the same.
_UNFORESEEN = frozenset({
    "due.failed", "inbox.not_handled", "keys.unreadable", "lane.broke", "lane.task_broke", "law.unread",
    "network.messages_not_stored", "webhooks.delivery_broke", "webhooks.round_failed",
})  # fmt: skip


@dataclass
class Report:
    """How a storm went. broken: what does not hold, each in a sentence; empty where all does.

    done: requests by operation, and deaths by gap. ends: rows by table and state. complaints: errors that processes logged,
    which are for people to look at: a database that dies is one. kept: writes that were acknowledged. slowest: the longest
    that a client asked until it was answered, in seconds.
    """

    seed: int
    acts: int
    faults: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    done: dict[str, int] = field(default_factory=dict)
    refused: dict[str, int] = field(default_factory=dict)
    ends: dict[str, int] = field(default_factory=dict)
    complaints: dict[str, int] = field(default_factory=dict)
    kept: int = 0
    slowest: float = 0.0

    @property
    def as_row(self) -> dict[str, Any]:
        return asdict(self)


async def blown(model: Path, folder: Path, seed: int, acts: int, older: Path | None = None, kind: Kind = WORLD) -> Report:
    """One storm in a copy of the model town. folder: where the copy may be; it is gone afterwards. older: the checkout of a
    version before this one, for half of the processes.
    """
    begun = time.monotonic()
    async with copied(model, folder, kind.manner(seed, older), kind.town) as town:
        opened = round(time.monotonic() - begun, 2)
        report = await storm_over(town, seed, acts, kind)
    report.seconds = {"open": opened, **report.seconds, "all": round(time.monotonic() - begun, 2)}
    return report


async def storm_over(town: Town, seed: int, acts: int, kind: Kind = WORLD) -> Report:
    """One storm in a town in which nothing has happened yet."""
    report = Report(seed, acts)
    async with visiting(town) as play:
        crowd = Crowd(play, random.Random(seed))
        try:
            await _blow(crowd, kind, acts, report)
            after = kind.aftermath(crowd)
            try:
                await _timed(report, "rest", after.rest())
            except Restless as restless:  # what is due, the laws name
                report.broken.append(f"no rest: {restless}")
            await _timed(report, "look", after.look())
            report.broken += after.broken
            report.faults += after.faults
            report.ends = dict(after.ends)
        except Exception as error:  # noqa: BLE001 whatever it is, the storm has not come to its end
            report.broken.append(f"{type(error).__name__}: {error}"[:2000])
        report.broken += crowd.wrong
        report.kept, report.done, report.refused = len(crowd.kept), dict(crowd.done), dict(crowd.refused)
        report.complaints = dict(town.complaints())
        found = alarms(report.complaints, with_older=town.manner.older is not None, faults=report.faults)
        found = [said for said in found if not any(known in said for known in kind.explained)]
        if any(_ANSWER_REFUSED in said for said in found) and await at_server(crowd, _RETURNED_TOO_LATE):
            found = [said for said in found if _ANSWER_REFUSED not in said]
        report.broken += [f"an alarm: {said}" for said in found]
        report.slowest = max(crowd.waits, default=0.0)
        if report.kept < acts * kind.least_kept:
            report.broken.append(
                f"of {acts} things that people wanted to do hardly any was done: {report.kept} writes were kept"
            )
    return report


def alarms(complaints: Collection[str], *, with_older: bool = False, faults: Collection[str] = ()) -> list[str]:
    """Those that no fault is a reason for. complaints: each process, event, and why, as `Town.complaints` has them. with_older: of
    processes of a version before this one, too.
    """
    explained = [*_EXPLAINED_ALARMS, *(_OF_OLDER if with_older else ())]
    if any(_DIRECTORY_REFUSES in said for said in complaints):
        explained.append("INBOX.CONTRADICTS refused")
    if any(_BANK_REFUSES_ACCESS in said for said in complaints) or any(_BANK_IS_AWAY in fault for fault in faults):
        explained.append("OUTBOX.STUCK")
    return [said for said in complaints if _is_alarming(said) and not any(known in said for known in explained)]


def _is_alarming(said: str) -> bool:
    event = said.split()[1]
    return event in _NEVER or (event in _UNFORESEEN and "DatabaseAway" not in said)


async def _timed(report: Report, name: str, act: Awaitable[Any]) -> None:
    begun = time.monotonic()
    try:
        await act
    finally:
        report.seconds[name] = round(time.monotonic() - begun, 2)


async def _blow(crowd: Crowd, kind: Kind, acts: int, report: Report) -> None:
    """Everybody lives, while the faults fall."""
    chance, town = crowd.chance, crowd.town
    faults = forecast(
        chance,
        chance.randint(2, 4) * max(acts // 40, 1),
        acts * REQUESTS_OF_A_LIFE,
        small_disk=town.ballast is not None,
        is_spread=town.manner.is_spread,
    )
    if chance.random() < OUTAGES:  # in the place of another, so that all together take less than a week
        outage = kind.outage(chance, acts * REQUESTS_OF_A_LIFE)
        faults = sorted([*faults[:-1], outage], key=lambda fault: fault.after)
    report.faults = [*town.manner.told, *(f"{fault.after}: {fault.name}" for fault in faults)]
    chosen = chance.choices(list(kind.lives), list(kind.lives.values()), k=acts)
    people = [crowd.person(f"s{n}", random.Random(chance.random())) for n in range(acts)]
    await later(crowd, timedelta(hours=chance.randint(0, 7 * 24)))
    for who in ("ana", "dora"):
        await listening.settles_urls(crowd, who)
    gate = asyncio.Semaphore(AT_ONCE)

    async def live(act: Callable[[Crowd], Awaitable[None]], person: Crowd) -> None:
        async with gate:
            await act(person)

    is_over = asyncio.Event()
    falling = asyncio.create_task(_fall(crowd, faults, is_over))
    lives = asyncio.gather(*(live(act, person) for act, person in zip(chosen, people, strict=True)))
    try:
        await _timed(report, "storm", lives)
    finally:
        is_over.set()
        await falling


async def _fall(crowd: Crowd, faults: list[Fault], is_over: asyncio.Event) -> None:
    """Each fault in its turn; those whose time has not come when nobody lives any more fall then."""
    for fault in faults:
        while not is_over.is_set() and _requests(crowd.done) < fault.after:
            await asyncio.sleep(0.02)
        try:
            await fault.happen(crowd)
        except (Exception, SystemExit) as error:  # noqa: BLE001 the others fall all the same
            crowd.wrong.append(f"{fault.name}: {type(error).__name__}: {error}"[:2000])


def _requests(done: Counter[str]) -> int:
    return sum(done.values())
