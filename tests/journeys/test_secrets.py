"""A webhook secret that is rotated twice: the simulated merchant, the file that it reads and the demo know what signs."""

import json
import re
from collections.abc import Awaitable, Callable, Mapping

import httpx
from tests.in_one import in_one_test
from tests.rooms.console.visiting import Visit

from lastro_sandbox.demo import demo

from .play import Play
from .test_rights import Operator

ANOTHER = "/console/developers/webhooks/secret"
SECRET = re.compile(r"whsec_[A-Za-z0-9+/=_-]+")


async def by_api(play: Play) -> str:
    for _ in range(2):
        rotated = await play.call("POST", "/order/v1/webhook/rotate-secret")
    return str(rotated.json["secret"])


async def by_command(play: Play) -> str:
    for _ in range(2):
        rotated = await Operator(play).types("company", "rotate-webhook-secret", play.stage.sandbox["companyId"])
    return str(rotated["webhookSecret"])


async def by_console(play: Play) -> str:
    """By the link that the sandbox prints, as a browser goes."""
    site = play.stage.base_url
    async with httpx.AsyncClient(base_url=site) as http:
        visit = Visit(http, site)
        assert (await visit.post(play.stage.sandbox["consoleUrl"].removeprefix(site))).status_code == 303
        await visit.send("/console/company", "/console/company", company=play.stage.sandbox["companyId"])
        for _ in range(2):
            page = await visit.send(ANOTHER, ANOTHER)
            assert page.status_code == 200, page.text
        (secret,) = set(SECRET.findall(page.text))
    return str(secret)


WAYS: Mapping[str, Callable[[Play], Awaitable[str]]] = {"api": by_api, "command": by_command, "console": by_console}


@in_one_test("way", WAYS)
async def test_after_two_rotations_demo_merchant_and_file_agree(play: Play, way: str) -> None:
    """The demo is the first that hears of the new secret: it finds every signature good."""
    file, said = play.stage.home / "sandbox.json", list[str]()
    before = json.loads(file.read_text())
    secret = await WAYS[way](play)
    status = await demo(play.stage.sandbox, play.stage.dsn("lastro_audit"), lambda line: said.append(str(line)), ["order"])
    assert (status, "WRONG" in "".join(said)) == (0, False), said
    order = await play.order()
    await play.pay(order)
    await play.told(order, "ORDER-PAYIN.PAID")
    assert [one["signatureValid"] for one in await play.webhooks(order)] == [True]
    assert json.loads(file.read_text()) == before | {"webhookSecret": secret}
    assert file.stat().st_mode & 0o777 == 0o600
    play.stage.sandbox["webhookSecret"] = secret  # for the tests that this sandbox plays next
