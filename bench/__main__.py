"""`make bench`: everything that docs/performance.md speaks of, in one run. ARGS="--quick" for a minute's worth."""

from __future__ import annotations

import argparse
import random
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import uvloop
from bench import journey, ledger, orders, qr, shares
from bench.figures import Figure, Report, Rounds, machine, neighbours
from bench.house import house

from lastro.standards.brcode import encode
from lastro.standards.qrcode import png

if TYPE_CHECKING:
    from collections.abc import Iterator

PARTS = ("qr", "orders", "pace", "ledger", "shares", "journey")


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


async def measure(*, quick: bool, parts: list[str]) -> Report:
    """The figures of one run."""
    report = Report("quick" if quick else "full", neighbours())
    rounds, seconds = (2, 2.0) if quick else (3, 3.0)
    if "qr" in parts:
        with _timed("qr"):
            report.figures.append(picture())
    async with house() as laid:
        if "orders" in parts:
            with _timed("orders"):
                report.figures += await orders.throughput(laid, rounds, seconds)
        if "pace" in parts:
            with _timed("pace"):
                report.figures += await orders.paced(laid, 1 if quick else 3)
        if "shares" in parts:
            with _timed("shares"):
                report.shares = await shares.of_one_request(laid, seconds)
        if "journey" in parts:
            with _timed("journey"):
                report.figures += await journey.paid(laid, 150 if quick else 600)
        if "ledger" in parts:
            with _timed("ledger"):
                report.figures += await ledger.hot_accounts(laid, rounds + 2, seconds)
    return report


def main() -> None:
    """Measures, prints, keeps."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measures lastro against this machine's floor.")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds")
    parser.add_argument("parts", nargs="*", metavar="part", help=f"only these of {', '.join(PARTS)}")
    given = parser.parse_args()
    if unknown := set(given.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    print(machine())
    report = uvloop.run(measure(quick=given.quick, parts=given.parts or list(PARTS)))
    print(f"before the run other programs used {report.neighbours:.2f} cores")
    print(report.table())
    for name, share in sorted(report.shares.items(), key=lambda item: -item[1]):
        print(f"{share:7.1%}  {name}")
    print(f"kept in {report.save()}")


if __name__ == "__main__":
    main()
