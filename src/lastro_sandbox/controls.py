"""The sandbox's controls in the console: its clock, faults, magic values, and snapshots of all of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import aiohttp

from lastro.api_kit.catalogue import read_texts
from lastro.api_kit.paging import read_timestamp
from lastro.api_kit.routes import stamp
from lastro.app.networks import statement_rails
from lastro.console import Plugin, company_page, shell
from lastro.console.form_problems import placed
from lastro.console.shell import Act, Page
from lastro.core.declined import CommandFailed
from lastro.people import Role
from lastro.standards.calendar import BRASILIA
from lastro_sandbox import clock, jobs, snapshots
from lastro_sandbox.paths import ClockPath

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lastro.api_kit.http import Response
    from lastro.app.wiring import AppContext
    from lastro.config.settings import Settings
    from lastro.console.shell import PageRequest, User
    from lastro.core.db import Database

HERE: Final = "/console/sandbox"
_MAGIC: Final = f"{HERE}/magic"
_STEPS: Final = ("PT1M", "PT1H", "P1D", "P1M")
_MORNING_HOUR: Final = 6  # of Brasilia's day: before the first windows open
_MOST_RAN: Final = 50
# Of the company that is looked at, in the time that a step has walked through.
_RAN: Final = """
SELECT type, count(*) AS times FROM events WHERE company_id = $1 AND created_at > $2 AND created_at <= $3
 GROUP BY type ORDER BY type LIMIT $4
"""
_TEXTS: Final = read_texts(Path(__file__).parent / "texts" / "controls.toml")
_AWAY: Final = _TEXTS["sandbox.sim-away"]
_INPUTS: Final = {
    "to": "to", "operation": "kind", "behaviour": "kind", "times": "times", "code": "code", "match": "value", "name": "name",
}  # fmt: skip
_MATCHES: Final = ("endToEndId", "amount", "payerDocument", "key", "txId", "reference")


@dataclass(frozen=True)
class Simulator:
    """The simulated network's acts that need no token. url: without a slash at its end."""

    url: str

    async def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> tuple[int, Any]:
        """Calls the simulator, and returns status and answer; 503 and nothing where it is away."""
        try:
            async with (
                aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=5), trust_env=False) as client,
                client.request(method, f"{self.url}{path}", json=body) as answer,
            ):
                return answer.status, await answer.json()
        except (aiohttp.ClientError, TimeoutError, ValueError):
            return 503, {}


@dataclass(frozen=True)
class Controls:
    """The pages. home: the sandbox's folder. work: the role that sees due times across companies."""

    home: Path
    work: Database
    clock: ClockPath
    simulator: Simulator

    async def show(self, user: User, asked: PageRequest) -> Response:
        """GET /console/sandbox. ?from&until: the times between which a step has walked, whose events are listed."""
        return await self._page(user, asked)

    async def step(self, user: User, asked: PageRequest) -> Response:
        """POST /console/sandbox/clock: `step`, a duration or one of `due`, `morning`, `typed`; typed: `to`."""
        before = (await self.clock.pending.shown())["now"]
        body = await self._target(asked)
        refused = await self.clock.walk(body) if body else None
        if refused is not None:
            found = json.loads(refused.body).get("details", ())
            return await self._page(user, asked, status=400, problems=_said(found, "to"))
        after = (await self.clock.pending.shown())["now"]
        return shell.go(f"{HERE}?from={before}&until={after}")

    async def fault(self, user: User, asked: PageRequest) -> Response:
        """POST /console/sandbox/faults: adds a fault, which waits to strike."""
        operation, _, behaviour = asked.form.get("kind", "").partition(":")
        body: dict[str, Any] = {"operation": operation, "behaviour": behaviour}
        times, code = asked.form.get("times", "").strip(), asked.form.get("code", "").strip()
        if times:
            body["times"] = int(times) if times.isascii() and times.isdigit() and len(times) < 10 else times
        if code:
            body["code"] = code
        field, value = asked.form.get("field", ""), asked.form.get("value", "").strip()
        if field and value:
            body["match"] = {field: value}
        status, said = await self.simulator.ask("POST", "/faults", body)
        if status != 200:
            found = _said(said.get("details", ()))
            return await self._page(user, asked, status=min(status, 503), problems=found or [_away(user)])
        return shell.go(f"{HERE}#faults")

    async def calm(self, user: User, asked: PageRequest) -> Response:
        """POST /console/sandbox/faults/off: removes all faults."""
        status, _ = await self.simulator.ask("DELETE", "/faults")
        if status != 200:
            return await self._page(user, asked, status=503, problems=[_away(user)])
        return shell.go(f"{HERE}#faults")

    async def magic(self, user: User, asked: PageRequest) -> Response:
        """GET /console/sandbox/magic: the simulator's own list."""
        status, said = await self.simulator.ask("GET", "/scenarios")
        if status != 200:
            return shell.refused(user, 503)
        return company_page.render(user, "magic.html", _MAGIC, values=said["data"])

    async def snapshot(self, user: User, asked: PageRequest) -> Response:
        """POST /console/sandbox/snapshots: takes a snapshot of everything, under a name."""
        return await self._job(user, asked, "snapshot", asked.form.get("name", "").strip())

    async def confirm(self, user: User, asked: PageRequest) -> Response:
        """GET /console/sandbox/snapshots/{name}: the confirmation page of a restore."""
        found = self._found(asked)
        return shell.not_found(user) if found is None else company_page.render(user, "snapshot.html", HERE, one=found)

    async def restore(self, user: User, asked: PageRequest) -> Response:
        """POST /console/sandbox/snapshots/{name}/restore: restores everything as it was then."""
        if self._found(asked) is None:
            return shell.not_found(user)
        return await self._job(user, asked, "restore", asked.values["name"])

    async def forget(self, user: User, asked: PageRequest) -> Response:
        """POST /console/sandbox/snapshots/{name}/forget."""
        if not _is_institutions(user):
            return shell.forbidden(user)
        if self._found(asked) is None:
            return shell.not_found(user)
        snapshots.forget(self.home, asked.values["name"])
        return shell.go(f"{HERE}#snapshots")

    async def progress(self, user: User, asked: PageRequest) -> Response:
        """GET /console/sandbox/jobs/{id}: the state of a snapshot or restore; the page polls until it is done."""
        told, job_id = jobs.report_of(self.home), asked.values["id"]
        if told is None or told.id != job_id:
            # It has not been taken yet, or the page is of a job that others have followed.
            if not jobs.is_asked(self.home, job_id):
                return shell.not_found(user)
            told = jobs.JobReport(job_id, "", "", "DOING")
        template = "job-state.html" if asked.is_fragment else "job.html"
        return company_page.render(user, template, HERE, told=told)

    async def _job(self, user: User, asked: PageRequest, kind: jobs.JobKind, name: str) -> Response:
        if not _is_institutions(user):
            return shell.forbidden(user)
        assert user.act_id is not None, "an act has one"
        try:
            jobs.ask(self.home, kind, name, str(user.act_id))
        except CommandFailed as declined:
            return await self._page(user, asked, status=409, problems=[("name", "", str(declined))])
        return shell.go(f"{HERE}/jobs/{user.act_id}")

    def _found(self, asked: PageRequest) -> snapshots.Snapshot | None:
        return next((one for one in snapshots.everything(self.home) if one.name == asked.values["name"]), None)

    async def _target(self, asked: PageRequest) -> dict[str, str] | None:
        """Returns the body for PUT /sandbox/clock; None: nothing is due to go to."""
        step = asked.form.get("step", "")
        if step == "due":
            due = await self._next_due()
            return None if due is None else {"now": stamp(due)}
        if step == "morning":
            return {"now": stamp(_next_morning(datetime.fromisoformat(str((await self.clock.pending.shown())["now"]))))}
        if step == "typed":
            typed = asked.form.get("to", "").strip()
            return {"advance": typed} if typed.startswith("P") else {"now": typed}
        return {"advance": step}

    async def _next_due(self) -> datetime | None:
        """Returns the next due time, here or in the network. It is the time that the walking clock itself finds."""
        async with self.work.session() as session:
            row = await session.row(clock.READ)
        assert row is not None
        ours = await clock.next_due(self.work, row["now"])
        status, said = await self.simulator.ask("GET", "/clock")
        theirs = datetime.fromisoformat(said["nextDue"]) if status == 200 and said.get("nextDue") else None
        return min((one for one in (ours, theirs) if one is not None and one > row["now"]), default=None)

    async def _page(self, user: User, asked: PageRequest, *, status: int = 200, problems: Any = ()) -> Response:
        shown, due = await self.clock.pending.shown(), await self._next_due()
        _, faults = await self.simulator.ask("GET", "/faults")
        _, kinds = await self.simulator.ask("GET", "/faults/kinds")
        between = tuple(read_timestamp(asked.query.get(name, "")) for name in ("from", "until"))
        ran = await self._ran(user, between[0], between[1])
        return company_page.render(
            user, "sandbox.html", HERE, status=status, clock=shown, due=due, steps=_STEPS, ran=ran, between=between,
            faults=faults.get("data", ()), kinds=kinds.get("data", ()), matches=_MATCHES, problems=placed(problems, _INPUTS),
            given=asked.form, snapshots=snapshots.everything(self.home), most=snapshots.MOST,
            may_act=user.may(Role.OPERATE), may_keep=user.may(Role.ADMINISTER) and _is_institutions(user),
        )  # fmt: skip

    async def _ran(self, user: User, begin: datetime | None, end: datetime | None) -> Any:
        """Returns the events of a step of the clock, by type; None: nothing was stepped."""
        if begin is None or end is None:
            return None
        async with company_page.session_of(user) as session:
            return await session.fetch(_RAN, company_page.company_of(user), begin, end, _MOST_RAN)


def _said(details: Any, field: str = "") -> list[tuple[str, str, str]]:
    """Returns the problems of an answer as a form places them. field: of all of them; empty: each says its own."""
    return [(field or one.get("field", ""), one.get("issue", ""), one["description"]) for one in details]


def _away(user: User) -> tuple[str, str, str]:
    """Returns the problem of a simulator that does not answer."""
    return ("", "", _AWAY[user.language])


def plugin(settings: Settings, app_context: AppContext, work: Database) -> Plugin:
    """Returns the pages of the sandbox that this process serves."""
    path = ClockPath(clock.Pending(app_context.database, work, statement_rails(settings)))
    return pages_of(Controls(settings.home, work, path, Simulator(settings.network_url)))


def pages_of(made: Controls) -> Plugin:
    """Returns the pages, their places in the menu and their words."""
    return Plugin(
        (
            Page("GET", HERE, Role.READ, made.show),
            Act("POST", f"{HERE}/clock", Role.OPERATE, made.step),
            Act("POST", f"{HERE}/faults", Role.OPERATE, made.fault),
            Act("POST", f"{HERE}/faults/off", Role.OPERATE, made.calm),
            Page("GET", _MAGIC, Role.READ, made.magic),
            Act("POST", f"{HERE}/snapshots", Role.ADMINISTER, made.snapshot),
            Page("GET", f"{HERE}/snapshots/{{name}}", Role.ADMINISTER, made.confirm),
            Act("POST", f"{HERE}/snapshots/{{name}}/restore", Role.ADMINISTER, made.restore),
            Act("POST", f"{HERE}/snapshots/{{name}}/forget", Role.ADMINISTER, made.forget),
            Page("GET", f"{HERE}/jobs/{{id}}", Role.READ, made.progress),
        ),
        ((HERE, "nav.sandbox", Role.READ), (_MAGIC, "nav.magic", Role.READ)),
        _TEXTS,
    )


def _is_institutions(user: User) -> bool:
    """Tells whether the user is the institution's: a snapshot is of every company."""
    return user.presence.person.only_company is None


def _next_morning(now: datetime) -> datetime:
    local = now.astimezone(BRASILIA)
    morning = local.replace(hour=_MORNING_HOUR, minute=0, second=0, microsecond=0)
    return (morning if morning > local else morning + timedelta(days=1)).astimezone(UTC)
