"""`make bench`: everything that docs/performance.md speaks of, in one run. ARGS="--quick" for a minute's worth."""

from __future__ import annotations

import argparse
import random
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import uvloop
from bench import (
    banks,
    console,
    day,
    deliveries,
    hour,
    journey,
    ledger,
    lists,
    methods,
    orders,
    overload,
    pages,
    pair,
    payouts,
    payouts_journey,
    plans,
    prompt,
    qr,
    reads,
    reconciliation,
    restore,
    shares,
    slips,
    spread,
    statements,
    subscriptions,
    usual,
)
from bench.figures import Figure, Report, Rounds, machine, neighbours
from bench.house import house

from lastro.standards.brcode import encode
from lastro.standards.qrcode import png

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping

    from bench.house import House


def picture() -> Figure:
    """Payload and PNG of one order, in CPU time."""
    chance = random.Random(1)
    codes = [qr.order(chance) for _ in range(qr.EACH)]
    rounds = [qr.milliseconds(lambda: [png(encode(code)) for code in codes]) / qr.EACH for _ in range(qr.ROUNDS + 1)]
    return Figure("payload and PNG", "ms", Rounds(tuple(rounds[1:])), None, 0.25, 0.12, at_most=True, digits=3)


@contextmanager
def _timed(part: str) -> Iterator[None]:
    started = time.monotonic()
    yield
    print(f"  {part}: {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)


# What is measured in a house, in this order. quick: fewer and shorter rounds.
_IN_A_HOUSE: Mapping[str, Callable[[House, bool], Awaitable[list[Figure]]]] = {
    "orders": lambda laid, quick: orders.throughput(laid, *_rounds(quick)),
    "reads": lambda laid, quick: reads.by_id(laid, *_rounds(quick)),
    "bad": lambda laid, quick: reads.of_a_bad_body(laid, *_rounds(quick)),
    "pace": lambda laid, quick: orders.paced(laid, 1 if quick else 3),
    "journey": lambda laid, quick: journey.paid(laid, 150 if quick else 600),
    "payouts-journey": lambda laid, quick: payouts_journey.paid(laid, 1 if quick else 3, 2.0),
    "payouts": lambda laid, quick: payouts.throughput(laid, *_rounds(quick)),
    "payouts-hot": lambda laid, quick: payouts.hot_account(laid, *_rounds(quick)),
    "plans": lambda laid, quick: plans.planned(laid, 1 if quick else 3),
    "subscriptions": lambda laid, quick: subscriptions.throughput(laid, *_rounds(quick)),
    "methods": lambda laid, quick: methods.throughput(laid, *_rounds(quick)),
    "memory": lambda laid, quick: reads.memory(laid, 20_000 if quick else 100_000),
    "ledger": lambda laid, quick: ledger.hot_accounts(laid, _rounds(quick)[0] + 2, _rounds(quick)[1]),
    "deliveries": lambda laid, quick: usual.compared(laid, _rounds(quick)[0], 4_000 if quick else 8_000),
    "prompt": lambda laid, quick: prompt.paced(laid, _rounds(quick)[0], 5.0 if quick else 10.0),
    "dead": lambda laid, quick: deliveries.beside_the_dead(laid, _rounds(quick)[0], 5_000 if quick else 10_000),
    "pages": lambda laid, quick: pages.beside_large_pages(laid, _rounds(quick)[0], 10.0 if quick else 20.0),
    "lists": lambda laid, quick: lists.pages(laid, *_rounds(quick), 100_000 if quick else 1_000_000),
}
# What takes many minutes and is measured only when it is asked for.
_LONG: Mapping[str, Callable[[House, bool], Awaitable[list[Figure]]]] = {
    "day": lambda laid, quick: day.planned(laid, *((40_000, 600) if quick else (100_000, 3_300))),
    "reconciliation": lambda laid, quick: _reconciled(laid, *((10_000, 1_000) if quick else (100_000, 20_000))),
    "statements": lambda laid, quick: statements.measured(laid, *_rounds(quick), 100_000 if quick else 1_000_000),
    "statements-deep": lambda laid, quick: statements.measured(laid, *_rounds(quick), 1_000_000 if quick else 10_000_000),
    "restore": lambda laid, quick: restore.drilled(laid, 60e6 if quick else 1.05e9),
    "console": lambda laid, quick: console.measured(laid, *((20, 100_000) if quick else (60, 1_000_000))),
    "overload": lambda laid, quick: overload.measured(laid, *_rounds(quick)),
    "banks": lambda laid, quick: banks.measured(laid, *((2, 2_000, 100_000) if quick else (3, 10_000, 1_000_000))),
    "deliveries-memory": lambda laid, quick: deliveries.memory(laid, 60_000 if quick else 200_000),
}
_HOUR = "hour"  # of --minutes at --rate
_SPREAD = "spread"  # on servers with Citus
_PAIR = "pair"  # and a commit: it and this tree in turns
PARTS = ("qr", "slip", *_IN_A_HOUSE, "shares")


async def _reconciled(laid: House, lines: int, orders_made: int) -> list[Figure]:
    """A whole statement, and one that has much wrong."""
    return [*await reconciliation.lines(laid, lines), *await reconciliation.mixed(laid, orders_made)]


def _rounds(quick: bool) -> tuple[int, float]:
    """How many, and of how many seconds each."""
    return (2, 2.0) if quick else (3, 3.0)


async def measure(*, quick: bool, parts: list[str], minutes: float = 60.0, rate: float = 100.0) -> Report:
    """The figures of one run. minutes, rate: of the hour, payments a second."""
    report = Report("quick" if quick else "full", neighbours())
    if "qr" in parts:
        with _timed("qr"):
            report.figures.append(picture())
    if "slip" in parts:
        with _timed("slip"):
            report.figures.append(slips.drawn())
    if {*parts} & {*_IN_A_HOUSE, *_LONG, "shares"}:
        async with house() as laid:
            for name, part in (*_IN_A_HOUSE.items(), *_LONG.items()):
                if name in parts:
                    with _timed(name):
                        report.figures += await part(laid, quick)
            if "shares" in parts:
                with _timed("shares"):
                    report.shares = await shares.of_one_request(laid, _rounds(quick)[1])
    if _SPREAD in parts:
        with _timed(_SPREAD):
            report.figures += await spread.measured(*((2, 10.0, 10.0) if quick else (4, 30.0, 40.0)))
    if _HOUR in parts:
        async with house(hour.SERVER) as laid:
            with _timed(_HOUR):
                report.figures += await hour.paid(laid, minutes, rate)
    return report


def _paired(parser: argparse.ArgumentParser, commits: list[str], *, quick: bool) -> None:
    if len(commits) != 1:
        parser.error(f"{_PAIR} takes one commit")
    print(machine())
    report = Report("quick" if quick else "full", neighbours(), commits[0])
    report.figures, line = uvloop.run(pair.compared(commits[0], quick=quick))
    print(report.table())
    print(f"kept in {report.save()}")
    print(line)


def main() -> None:
    """Measures, prints, keeps."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measures lastro against this machine's floor.")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds")
    parser.add_argument(
        "parts",
        nargs="*",
        metavar="part",
        help=f"only these of {', '.join((*PARTS, *_LONG, _SPREAD, _HOUR))}; or {_PAIR} and a commit",
    )
    parser.add_argument("--minutes", type=float, default=60.0, help="how long the part hour goes on")
    parser.add_argument("--rate", type=float, default=100.0, help="payments a second there")
    given = parser.parse_intermixed_args()
    if given.parts[:1] == [_PAIR]:
        _paired(parser, given.parts[1:], quick=given.quick)
        return
    if unknown := set(given.parts) - {*PARTS, *_LONG, _SPREAD, _HOUR}:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    print(machine())
    parts = given.parts or list(PARTS)
    report = uvloop.run(measure(quick=given.quick, parts=parts, minutes=given.minutes, rate=given.rate))
    print(f"before the run other programs used {report.neighbours:.2f} cores")
    print(report.table())
    for name, share in sorted(report.shares.items(), key=lambda item: -item[1]):
        print(f"{share:7.1%}  {name}")
    print(f"kept in {report.save()}")


if __name__ == "__main__":
    main()
