"""What must be true of events after a storm, whatever the weather was: as receivers, readers of the feed and the books saw it."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING
from uuid import UUID

import msgspec
from tests.world.street import BY_NAME, Request, Street
from tests.world.webhook_storm import Company, Told, WebhookStorm

from lastro.webhooks.signatures import verify, verify_short

if TYPE_CHECKING:
    import asyncpg

PLAN = 5  # attempts of one
# How an attempt may end anywhere when its worker, its receiver or the machine had no time.
_BY_CHANCE = (0, "TIMEOUT")
_UNREAD = {"TIMEOUT", "CONNECTION_REFUSED", "CONNECTION_CLOSED"}
_DELIVERIES = """
SELECT d.*, coalesce(a.ends, '{}') AS ends FROM deliveries d LEFT JOIN LATERAL (
  SELECT array_agg(status_code || ' ' || message ORDER BY number) AS ends FROM delivery_attempts t
   WHERE t.company_id = d.company_id AND t.event_id = d.id) a ON true
 WHERE d.id <> ALL ($1)
"""


@dataclass(frozen=True)
class Delivery:
    """A row of deliveries with its attempts: status and message of each, the first first. kind: of the receiver."""

    id: UUID
    company_id: UUID
    reference_id: UUID
    url: str
    kind: str
    status: str
    sequence: int
    sends: int
    attempts: int
    ends: tuple[tuple[int, str], ...]


class Aftermath:
    """What is left of a storm that has come to rest."""

    def __init__(self, storm: WebhookStorm, deliveries: Iterable[Delivery]) -> None:
        self.storm, self.street = storm, storm.street
        self.deliveries = {d.id: d for d in deliveries}
        self.requests: defaultdict[UUID, list[Request]] = defaultdict(list)
        for request in self.street.requests:
            self.requests[UUID(request.event_id)].append(request)

    @classmethod
    async def of(cls, storm: WebhookStorm, books: "asyncpg.Connection[asyncpg.Record]") -> "Aftermath":
        older = [UUID(event_id) for company in storm.companies for event_id in company.older]
        return cls(storm, [_read(row, storm.street) for row in await books.fetch(_DELIVERIES, older)])

    def hold(self) -> None:
        """AssertionError: the first law that is broken."""
        assert self.street.trapped == 0, "an address that the guard refuses was reached"
        self.nothing_is_lost()
        for company in self.storm.companies:
            self.the_feed_is_whole(company)
        for delivery in self.deliveries.values():
            self.it_ended(delivery)
            self.attempts_are_what_receivers_saw(delivery)
            self.every_try_says_the_same(delivery)
        self.most_are_delivered()
        self.objects_are_in_order()

    def most_are_delivered(self) -> None:
        """A receiver that acknowledges has nearly everything: five time-outs in a row are a machine's, not a plan's."""
        well = [d.status for d in self.deliveries.values() if BY_NAME[d.kind].is_delivered]
        assert well.count("DELIVERED") >= 0.9 * len(well)

    def nothing_is_lost(self) -> None:
        """What has a URL has its delivery; what has none of its own goes to the company's."""
        assert set(self.deliveries) == set(self.storm.told)
        assert set(self.requests) <= set(self.deliveries)
        for told in self.storm.told.values():
            assert told.url in {None, self.deliveries[told.id].url}

    def the_feed_is_whole(self, company: Company) -> None:
        """Who read it while everything died has seen everything, in order, dense, once, and nothing else."""
        mine = {str(t.id): t for t in self.storm.told.values() if t.company_id == company.id}
        assert [e["sequence"] for e in company.seen] == list(range(1, len(company.older) + len(mine) + 1))
        assert {e["id"] for e in company.seen} == company.older | set(mine)
        places: defaultdict[UUID, list[int]] = defaultdict(list)
        for event in company.seen:
            if event["id"] in company.older:
                continue
            told = mine[event["id"]]
            assert (event["event"], event["payload"]) == (told.type, msgspec.json.decode(told.body))
            assert self.deliveries[told.id].sequence == event["sequence"]
            places[told.reference_id].append(told.place)
        assert all(a < b for order in places.values() for a, b in pairwise(order)), "an object's events in their order"

    def it_ended(self, one: Delivery) -> None:
        """It was acknowledged, or given up after exactly five attempts of each plan; each attempt as its receiver is."""
        kind, plans = BY_NAME[one.kind], 1 + self.storm.resent[one.id]
        assert len(one.ends) == one.attempts
        said_yes = [request for request in self.requests[one.id] if request.said_yes]
        if one.status == "DELIVERED":
            assert kind.is_delivered, one
            assert said_yes, one
            assert one.ends[-1] == (200, '{"returnCode":"SUCCESS"}'), one
            assert plans <= one.attempts <= PLAN * plans, one
        else:
            assert one.status == "FAILED", one
            assert one.attempts <= PLAN * plans, one
            assert kind.is_delivered or one.attempts == PLAN * plans, one
            assert all(end[0] != 200 or not kind.is_delivered for end in one.ends[-PLAN:]), one
        # An event without a URL of its own is sent again to the company's present one, which may be of another kind.
        is_moved = self.storm.resent[one.id] > 0 and self.storm.told[one.id].url is None
        if kind.ends is not None and not is_moved:
            assert set(one.ends) <= {kind.ends, _BY_CHANCE}, one

    def attempts_are_what_receivers_saw(self, one: Delivery) -> None:
        """One row for each number that was seen; more requests than rows only where a worker died between."""
        seen = [request.attempt for request in self.requests[one.id]]
        assert set(seen) <= set(range(1, one.attempts + 1)), one
        assert seen == sorted(seen), one
        if not BY_NAME[one.kind].sees:
            assert not seen, one
            return
        unseen = set(range(1, one.attempts + 1)) - set(seen)
        assert all(one.ends[number - 1][1] in _UNREAD for number in unseen), one
        if one.kind != "breaks":  # a kept connection that breaks is tried once more
            assert len(seen) <= one.sends, one
            assert len(seen) - len(set(seen)) <= one.sends - one.attempts, one

    def every_try_says_the_same(self, one: Delivery) -> None:
        told = self.storm.told[one.id]
        company = next(c for c in self.storm.companies if c.id == told.company_id)
        for request in self.requests[one.id]:
            assert request.body == told.body
            assert request.headers["x-event-id"] == request.headers["webhook-id"] == str(told.id)
            assert request.headers["x-event-type"] == told.type
            assert request.headers["x-event-sequence"] == str(one.sequence)
            assert verify(company.secrets, request.headers, request.body, now_seconds=int(request.seconds))
            assert verify_short(company.secrets, request.headers, request.body)

    def objects_are_in_order(self) -> None:
        """No event of an object was tried at a URL before the one in front was acknowledged or given up there."""
        lines: defaultdict[tuple[UUID, UUID, str], list[Delivery]] = defaultdict(list)
        for delivery in sorted(self.deliveries.values(), key=lambda d: d.sequence):
            lines[delivery.company_id, delivery.reference_id, delivery.url].append(delivery)
        pairs = [pair for line in lines.values() for pair in pairwise(line)]
        assert pairs
        for earlier, later in pairs:
            tries = [request.at for request in self._first_plan(later)]
            if tries:
                self._is_settled(earlier, min(tries))

    def _is_settled(self, one: Delivery, at: int) -> None:
        """The first plan of this delivery has ended by then, as far as its receiver can tell."""
        before = self._first_plan(one)
        yes = [request.said_yes for request in before if request.said_yes]
        if yes and min(yes) < at:
            return
        assert one.attempts >= PLAN, (one, at)
        assert all(end[0] != 200 or not BY_NAME[one.kind].is_delivered for end in one.ends[:PLAN]), (one, at)
        assert all(request.at < at for request in before), (one, at)

    def _first_plan(self, one: Delivery) -> list[Request]:
        return [request for request in self.requests[one.id] if request.at < self.storm.resent_at]


def _read(row: "asyncpg.Record", street: Street) -> Delivery:
    kind = next(name for name, base in street.bases.items() if row["url"].startswith(f"{base}/"))
    ends = tuple((int(code), message) for code, _, message in (end.partition(" ") for end in row["ends"]))
    return Delivery(
        row["id"], row["company_id"], row["reference_id"], row["url"], kind, row["status"], row["sequence"], row["sends"],
        row["attempts"], ends,
    )  # fmt: skip


def summary(storm: WebhookStorm) -> str:
    """What happened, in a line."""
    deaths = ", ".join(f"{count} {where}" for where, count in sorted(storm.deaths.items()))
    told: list[Told] = list(storm.told.values())
    return f"{len(told)} events, {len(storm.street.requests)} requests, deaths: {deaths}, {storm.outages} outages"
