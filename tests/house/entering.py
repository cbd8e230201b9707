"""A person is let into the console and comes in, and a client gets a new secret: what each of these is told once is kept apart."""

import asyncio
import re
import sys
from asyncio.subprocess import PIPE
from collections.abc import MutableMapping
from datetime import UTC, datetime

import httpx
from tests.journeys.stage import Stage
from tests.rooms.console.visiting import Visit, hidden

from lastro.standards import totp

_EMAIL = "canary.person@ana.example"


async def commanded(stage: Stage, *words: str) -> str:
    """What a command prints for whoever has asked; what it logs is among the logs."""
    log = stage.home / "logs" / "commands.log"
    with log.open("ab") as complaints:
        run = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "lastro.cli.main", *words, env=dict(stage.environment), stdout=PIPE, stderr=complaints
        )
        said, _ = await run.communicate()
    assert run.returncode == 0, (words, log.read_bytes()[-2000:])
    return said.decode()


async def enter(stage: Stage, secrets: MutableMapping[str, str]) -> None:
    """By an invitation, a password and a second factor; then once more, with each wrong first. secrets: takes what is told."""
    said = await commanded(stage, "admin", "invite", _EMAIL)
    found = re.search(r"/console/link/([\w-]+)", said)
    assert found is not None, "an invitation has a link"
    secrets["link of an invitation"] = found[1]
    secrets["password of a person"] = f"four unlike {found[1][-8:]} horses"
    url = stage.base_url
    async with (
        httpx.AsyncClient(base_url=url, trust_env=False) as one, httpx.AsyncClient(base_url=url, trust_env=False) as other,
    ):  # fmt: skip
        first, second = Visit(one, url), Visit(other, url)
        chosen = await first.post(f"/console/link/{found[1]}", {"password": secrets["password of a person"]})
        assert chosen.status_code == 303, chosen.text
        await _with_factor(first, secrets)
        for password in (secrets["wrong secret"], secrets["password of a person"]):
            entered = await second.post("/console/sign-in", {"email": _EMAIL, "password": password})
        assert entered.status_code == 303, entered.text
        assert (await second.post("/console/code", {"code": secrets["wrong token"]})).status_code in {400, 401}
        assert (await second.post("/console/code", {"code": secrets["recovery code"]})).status_code == 303
        for name, visit in (("first", first), ("second", second)):
            (secrets[f"cookie of the {name} session"],) = visit.cookies.values()
            assert (await visit.get("/console/me")).status_code == 200, name
    rotated = await commanded(stage, "client", "rotate-secret", stage.client(dora=True)["clientId"])
    (secrets["rotated client secret"],) = re.findall(r"lsk_[\w-]+", rotated)


async def _with_factor(visit: Visit, secrets: MutableMapping[str, str]) -> None:
    kept = hidden((await visit.get("/console/me/factor")).text)
    secrets["second factor"] = kept["secret"]
    code = totp.code_at(totp.secret_of(kept["secret"]), totp.step_of(datetime.now(UTC).timestamp()))
    form = {**kept, "password": secrets["password of a person"], "code": code}
    done = await visit.post("/console/me/factor", form)
    assert done.status_code == 200, done.text
    secrets["recovery code"] = next(
        line.split("<code>")[1].split("</code>")[0] for line in done.text.splitlines() if "<li><code>" in line
    )
