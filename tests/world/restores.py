"""Restores in mid-traffic: a backup is taken while everybody acts, is put back later, and the networks remember what came between.

`python -m tests.world.restores 100 --seed 7` puts back a hundred, one after the other: a line for each seed. What was given out after
the backup (TEDs, Pix, slips, CLABEs, vouchers, accounts of deposits, companies, accounts, events) is lost; then it is paid from outside,
beside new ones of the same amounts. Nothing of it may be taken for something else, and every law holds. The exit status is 1 where
something does not. Every second seed puts the data back by hand, and says `lastro era begin` once a worker has refused to start.
"""

import argparse
import asyncio
import json
import random
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.journeys.play import CUSTOMER
from tests.journeys.test_payouts import FABIO
from tests.journeys.test_slips import ADDRESS
from tests.journeys.test_vouchers import LUCIA
from tests.laws import broken, connected
from tests.world.storms import place
from tests.world.whole import buying, paying_out
from tests.world.whole.aftermath import Aftermath, Restless
from tests.world.whole.crowd import Crowd
from tests.world.whole.town import APIS, WORKERS, Town, built, copied, removed, visiting
from tests.world.whole.weather import later

from lastro.config.settings import Settings, read
from lastro.ops import eras
from lastro.ops.backups import back_up, restore
from lastro.standards.calendar import ted_opens_at
from lastro_sandbox.embedded import EmbeddedServer
from lastro_sandbox.embedded.account import SystemAccount, programs_for

ACTS = 12
PATIENCE_SECONDS = 420.0
_LASTS = timedelta(minutes=20)  # that a drill takes, with room
_BROUGHT_AFTER = timedelta(days=6)  # behind every chain of weekend and holidays
_LIVES = {buying.buys: 4, buying.buys_at_a_partner: 4, paying_out.pays_out: 6}
_METHODS = ("PIX", "SPEI", "DEPOSIT", "BOLETO", "OXXO", "OXXOPAY", "PAYNET")
_OURS = (*APIS, *WORKERS)
_NUMBERS = """
SELECT reference AS number FROM instruments UNION ALL SELECT end_to_end_id FROM payouts WHERE end_to_end_id IS NOT NULL
UNION ALL SELECT control_number FROM payouts WHERE control_number IS NOT NULL
UNION ALL SELECT right(return_id, 11) FROM refunds WHERE return_id IS NOT NULL
UNION ALL SELECT number FROM account_numbers UNION ALL SELECT 'company ' || number FROM company_numbers
UNION ALL SELECT txid FROM orders WHERE txid IS NOT NULL
UNION ALL SELECT 'event ' || company_id || ' ' || sequence FROM event_numbers
"""


@dataclass
class Report:
    """How one went. broken: what does not hold. seen: how much was lost, paid in vain, and so on."""

    seed: int
    broken: list[str] = field(default_factory=list)
    seen: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0


@dataclass
class Wanted:
    """What was asked for on one side of the restore: orders by method with what is typed to pay them, and payouts."""

    orders: dict[str, tuple[dict[str, Any], str]] = field(default_factory=dict)
    payouts: list[dict[str, Any]] = field(default_factory=list)


async def _order(crowd: Crowd, method: str, who: str) -> tuple[dict[str, Any], str] | None:
    """An order whose partner knows it."""
    currency = "MXN" if method in ("SPEI", "OXXO", "OXXOPAY", "PAYNET") else "BRL"
    customer = {"BOLETO": {**CUSTOMER, "address": ADDRESS}, "PIX": CUSTOMER}.get(method, LUCIA)
    asked = buying.asking(crowd, "33.50", paymentMethod=method, customer=customer, currency=currency)
    made = await crowd.write("create_order", asked, who=who)
    if made is None:
        return None
    typed = made["pix"]["qrcodeData"] if method == "PIX" else await buying.typed_of(crowd, made, method)

    async def known() -> bool:
        return await crowd.act("/phone/read", {"qrcodeData": typed}) is not None

    return (made, typed) if await crowd.soon(known, 15.0) else None


async def wish(crowd: Crowd, who: str, account_id: str) -> Wanted:
    """One order of each method, TEDs and Pix payouts to one receiver; all of the same amounts on both sides."""
    wanted = Wanted()
    for method in _METHODS:
        found = await _order(crowd, method, who)
        if found is not None:
            wanted.orders[method] = found
    place = {"ispb": "99999030", "branchNumber": "1", "accountNumber": "300003", "accountType": "CHECKING_ACCOUNT"}
    for method in ("TED", "TED", "TED", "PIX", "PIX"):
        asked = {
            "externalId": crowd.code(), "accountId": account_id, "paymentMethod": method, "receiver": FABIO,
            "amount": {"currency": "BRL", "value": "41.00"}, "description": "Salary", "allowDuplicate": True,
            "paymentData": {"bankAccount": place},
        }  # fmt: skip
        made = await crowd.write("create_payout", asked, who=who)
        if made is not None:
            wanted.payouts.append(made)
    return wanted


async def _ended(crowd: Crowd, who: str, payouts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Payouts as they are shown, once none of them is on its way or some time is over."""
    shown: list[dict[str, Any]] = []

    async def all_ended() -> bool:
        shown[:] = [await crowd.read("read_payout", who=who, path={"id": one["id"]}) or one for one in payouts]
        return all(one["status"] not in ("PENDING", "ANALYSIS", "INITIAL") for one in shown)

    await crowd.soon(all_ended, 20.0)
    return shown


class Drill:
    """One restore in a town that a storm has to itself."""

    def __init__(self, town: Town, crowd: Crowd, folder: Path, report: Report, *, by_hand: bool) -> None:
        self.town, self.crowd, self.folder, self.report, self.by_hand = town, crowd, folder, report, by_hand
        self.said: list[str] = []

    def _settings(self) -> Settings:
        return read({"LASTRO_HOME": str(self.town.home), "LASTRO_DATABASE_URL": self.town.server.dsn()})

    def _brought(self) -> Path:
        return programs_for(SystemAccount.for_data(Path("/nonexistent"))).folder

    def demand(self, holds: object, what: str) -> None:
        if not holds:
            self.report.broken.append(what)

    async def run(self, acts: int) -> None:
        """Traffic, a backup in it, more traffic, the restore, and what the outside does with what was lost."""
        await self._opened()
        chance = self.crowd.chance
        lives = [chance.choices(list(_LIVES), list(_LIVES.values()))[0] for _ in range(acts)]
        people = [self.crowd.person(f"s{n}", random.Random(chance.random())) for n in range(acts)]
        living = asyncio.gather(*(self._live(act, one) for act, one in zip(lives, people, strict=True)))
        await asyncio.sleep(chance.random() * 2)
        status = await asyncio.to_thread(
            back_up, [str(self.folder / "backup")], self._settings, self._brought, self.said.append
        )
        self.demand(status == 0, f"no backup: {self.said}")
        await living
        lost = await wish(self.crowd, "ana", self.crowd.accounts[0]["id"])
        company = await self.crowd.operator("company", "add", "Lost Ltda")
        await _ended(self.crowd, "ana", lost.payouts)
        before, feed = await self._numbers(), await self._last()
        await self.crowd.part()
        await self._put_back()
        known = await self._numbers()
        gone = before - known
        self.demand(feed >= 1, "no event was told")
        self.report.seen |= {"lost numbers": len(gone), "lost orders": len(lost.orders), "lost company": company is not None}
        await self._go_on(lost, gone, feed)

    async def _opened(self) -> None:
        """At whatever hour it is played, TEDs leave: where the STR closes before the end, the drill begins when it opens."""
        now = await self.crowd.play.books.fetchval("SELECT business_now()")
        closed = next((at for at in (now, now + _LASTS) if ted_opens_at(at) > at), None)
        if closed is not None:
            await later(self.crowd, ted_opens_at(closed) - now)

    async def _live(self, act: Callable[[Crowd], Any], person: Crowd) -> None:
        try:
            await act(person)
        except Exception as error:  # noqa: BLE001 the others live on
            self.report.broken.append(f"{act.__name__}: {type(error).__name__}: {error}"[:500])

    async def _numbers(self) -> set[str]:
        books = await connected(self.town.dsn("lastro_audit"))
        try:
            return {str(row["number"]) for row in await books.fetch(_NUMBERS)}
        finally:
            await books.close()

    async def _last(self) -> int:
        part = await self.crowd.read("read_feed", limit="1")
        return int(part["lastSequence"]) if part else 0

    async def _put_back(self) -> None:
        """The server ends, and its data is the backup's."""
        for name in _OURS:
            self.town.kill(name)
        assert isinstance(self.town.server, EmbeddedServer)  # each node of a cluster is backed up by itself
        await asyncio.to_thread(self.town.server.pause)
        data = self.town.server.data
        await asyncio.to_thread(shutil.rmtree, data)
        if not self.by_hand:
            words = [str(self.folder / "backup"), str(data)]
            status = await asyncio.to_thread(restore, words, self._settings, self._brought, self.said.append)
            self.demand(status == 0, f"restore said {status}: {self.said}")
            await asyncio.to_thread(self.town.server.revive)
        else:
            await asyncio.to_thread(
                subprocess.run, ["cp", "-a", str(self.folder / "backup" / "data"), str(data)], check=True
            )
            await asyncio.to_thread(self.town.server.revive)
            await self._refused()
            await asyncio.to_thread(eras.perform, ["begin"], self._settings, self.said.append)
        await asyncio.gather(*(self.town.start(name) for name in _OURS))
        self.crowd.play.books.terminate()
        self.crowd.play.books = await connected(self.town.dsn("lastro_audit"))

    async def _refused(self) -> None:
        """Without an era no process starts on the older copy."""
        for name in (APIS[0], WORKERS[0]):
            child = self.town.launch(name)
            for _ in range(300):
                if not child.is_running():
                    break
                await asyncio.sleep(0.1)
            self.demand(not child.is_running(), f"{name} works with a copy that was put back by hand")
            self.demand("lastro era begin" in self.town.said(name), f"{name} does not say what to do")
            with suppress(ProcessLookupError):
                self.town.kill(name)

    async def _go_on(self, lost: Wanted, gone: set[str], feed: int) -> None:
        crowd = self.crowd
        crowd.play.tokens.clear()
        crowd.kept.clear()
        crowd.unanswered.clear()
        dora = crowd.town.people["dora"]["id"]
        fresh = await wish(crowd, "dora", dora)
        also = await wish(crowd, "ana", crowd.accounts[0]["id"])
        self.demand(
            len(fresh.orders) == len(also.orders) == len(_METHODS), f"orders: {sorted(fresh.orders)} {sorted(also.orders)}"
        )
        # The payers of what was lost pay it, each twice.
        paid = 0
        for typed in [typed for _, typed in lost.orders.values()] * 2:
            paid += await crowd.act("/phone/pay", {"qrcodeData": typed}) is not None
        self.report.seen["lost ones paid"] = paid
        await crowd.operator("company", "add", "New Ltda")
        shown = [*await _ended(crowd, "dora", fresh.payouts), *await _ended(crowd, "ana", also.payouts)]
        try:
            await Aftermath(crowd)._quiet()
        except Restless as restless:
            self.report.broken.append(f"no rest: {restless}")
        for one in shown:
            numbers = {one.get("endToEndId"), one.get("controlNumber")} - {None}
            self.demand(not numbers & gone, f"a payout has a number of before: {numbers}")
        twice = gone & await self._numbers()
        self.demand(not twice, f"given out twice: {sorted(twice)[:5]}")
        for wanted, who in ((fresh, "dora"), (also, "ana")):
            await self._unpaid(wanted, who)
        await self._days_pass()
        for wanted, who in ((fresh, "dora"), (also, "ana")):
            await self._paid(wanted, who)
        shown = [*await _ended(crowd, "dora", fresh.payouts), *await _ended(crowd, "ana", also.payouts)]
        await self._feed(feed)
        await self._sent(shown)
        for law, rows in (await broken(crowd.play.books.fetch, at_rest=False)).items():
            self.report.broken.append(f"{law}: {rows[:2]}")
        self.report.broken += crowd.wrong
        self.report.seen["complaints"] = dict(self.town.complaints())

    async def _unpaid(self, wanted: Wanted, who: str) -> None:
        """Nothing of the lost time has paid an order of now. Then each is paid by its own payer."""
        for method, (made, typed) in wanted.orders.items():
            shown = await self._order(made["id"], who)
            self.demand(shown in ("INITIAL", "PENDING"), f"{method} of {who} is {shown} before anybody has paid it")
            said = await self.crowd.act("/phone/pay", {"qrcodeData": typed})
            self.demand(
                said and said["status"] in ("SETTLED", "PENDING"),
                f"{method} of {who} cannot be paid by its own payer: {said}",
            )

    async def _days_pass(self) -> None:
        """OXXO and the bank of slips bring their money on the next business day; what was lost is brought as well."""
        await Aftermath(self.crowd)._quiet()
        await later(self.crowd, _BROUGHT_AFTER)
        await Aftermath(self.crowd)._quiet()

    async def _paid(self, wanted: Wanted, who: str) -> None:
        """Each has its own payer's money."""
        for method, (made, _) in wanted.orders.items():

            async def is_paid(order_id: str = made["id"]) -> bool:
                return await self._order(order_id, who) == "PAID"

            if not await self.crowd.soon(is_paid, 60.0):
                self.report.broken.append(
                    f"{method} of {who} is not paid by its own payer: {await self._order(made['id'], who)}"
                )

    async def _order(self, order_id: str, who: str) -> str | None:
        """How an order is shown."""
        shown = await self.crowd.read("read_order", who=who, path={"id": order_id})
        return None if shown is None else str(shown["status"])

    async def _feed(self, feed: int) -> None:
        """Who has read further than the backup is told; who has not goes on."""
        url = f"{self.town.base_url}/order/v1/events?after={feed}"
        headers = {"authorization": f"Bearer {await self.crowd.token('ana')}"}
        answer = await self.crowd.play.ask("GET", url, None, headers)
        last = await self.crowd.play.books.fetchval("SELECT max(last_before) FROM event_eras WHERE company_id = $1::text::uuid",
                                                    self._company())  # fmt: skip
        expected = 200 if feed <= last else 400
        self.demand(answer.status == expected, f"a cursor of the lost time is answered {answer.status}")
        events = (await self.crowd.read("read_feed", after=str(last), limit="5000"))["data"]
        self.demand(any(one["event"] == "FEED.ERA_BEGAN" for one in events), "nobody was told of the era")
        self.report.seen["events lost"] = feed - last

    def _company(self) -> str:
        return str(self.town.sandbox["companyId"])

    async def _sent(self, payouts: list[dict[str, Any]]) -> None:
        """Each payout of now ended by its own message: as many as there are, none by a number of another."""
        numbers = [one.get("endToEndId") or one.get("controlNumber") for one in payouts if one["status"] == "PAID"]
        self.demand(len(set(numbers)) == len(numbers), "two payouts have one number")
        self.demand(len(numbers) >= len(payouts) // 2, f"of {len(payouts)} payouts {len(numbers)} were paid")
        self.report.seen["payouts paid"] = len(numbers)


async def drilled(model: Path, folder: Path, seed: int, acts: int) -> Report:
    """One restore in a copy of the model town."""
    report, begun = Report(seed), time.monotonic()
    kept = folder.with_name(f"{folder.name}-backup")
    kept.mkdir(mode=0o711)
    try:
        async with asyncio.timeout(PATIENCE_SECONDS), copied(model, folder) as town, visiting(town) as play:
            drill = Drill(town, Crowd(play, random.Random(seed)), kept, report, by_hand=seed % 2 == 1)
            await drill.run(acts)
    except Exception as error:  # noqa: BLE001 the others are put back all the same
        report.broken.append(f"{type(error).__name__}: {error}"[:2000])
        removed(folder)
    finally:
        shutil.rmtree(kept, ignore_errors=True)
    report.seconds = round(time.monotonic() - begun, 1)
    return report


async def _all(seeds: list[int], acts: int, say: Callable[[str], object], out: Path | None) -> int:
    bad = 0
    with place() as folder:
        (folder / "model").mkdir(mode=0o711)
        async with built(folder / "model"):
            pass
        for seed in seeds:
            report = await drilled(folder / "model", folder / f"town-{seed}", seed, acts)
            bad += bool(report.broken)
            say(f"{seed:>10}  {'broken' if report.broken else 'holds':<6}  {report.seen}, {report.seconds} s")
            for what in report.broken:
                say(f"{'':>12}{what}")
            if out is not None:
                with out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(vars(report)) + "\n")
    say(f"{len(seeds) - bad} of {len(seeds)} restores hold.")
    return bad


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.world.restores", description="Restores in mid-traffic.")
    parser.add_argument("number", type=int, nargs="?", default=1)
    parser.add_argument("--seed", type=int, help="of the first; the others follow it")
    parser.add_argument("--acts", type=int, default=ACTS, help="what people do around the backup")
    parser.add_argument("--out", type=Path, help="each report as a line of JSON")
    given = parser.parse_args()
    first: int = secrets.randbelow(2**31) if given.seed is None else given.seed

    def say(line: str) -> None:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()

    return 1 if asyncio.run(_all([first + n for n in range(given.number)], given.acts, say, given.out)) else 0


if __name__ == "__main__":
    sys.exit(main())
