"""Before a person decides, the page says who, how much and at what cost; afterwards the audit says what was decided."""

import secrets
from collections.abc import AsyncIterator, Iterator
from typing import Any
from uuid import UUID

import msgspec
import pytest
from playwright.async_api import Browser
from tests.browser.conftest import SIZES, Street, Window, served
from tests.cast import Cast
from tests.conftest import lent
from tests.databases import Database
from tests.rooms.laws import disputing, paying_out, planning
from tests.rooms.laws.world import World

from lastro.companies import ReviewAbove
from lastro.core.money import Money
from lastro.people import Role
from lastro.plans.actions.decide import Approve

FABIO = ("Fabio de Fora", "246.813.579-28", "ISPB 99999030", "conta 300003")
# Each page by what is picked from the world; and what a person must read on it.
PAGES = {
    "/console/payouts": FABIO,
    "/console/payouts/{out_review}": FABIO,
    "/console/payouts/{out_review}/approve": (*FABIO, "Aprovar: R$", "Tarifa", "Saldo depois", "Primeiro pagamento"),
    "/console/plans/{plan_ready}": (*FABIO[2:], "R$"),
    "/console/plans/{plan_ready}/approve": ("Aprovar o plano: R$", "Fabio de Fora"),
    "/console/plans/{plan_approved}/apply": ("Aplicar o plano: R$", "Fabio de Fora"),
    "/console/events": ("Pendente",),
    "/console/developers/webhooks/secret": ("só no feed",),
    "/console/orders/{blocked}": ("Em contestação: R$",),
}
REASON = "O titular não explica o dinheiro"


@pytest.fixture(scope="module")
def apart(request: pytest.FixtureRequest) -> Iterator[Database]:
    """A database of their own: what a world holds is no other test's."""
    yield from lent(request, "clone", secrets.token_hex(4))


async def waiting(cast: Cast) -> World:
    """A payout, two plans and a dispute wait for a person."""
    world = World(cast, await cast.ana(), await cast.dora())
    await cast.set_fees(world.ana.company_id, 5, direction="OUT")
    await cast.credit(world.ana, 1_000_000)
    await disputing.play(world)
    await cast.runner.act(world.ana.company_id, ReviewAbove(Money(1, "BRL")))
    await paying_out.make(world, "out_review", 900)
    for name in ("ready", "approved"):
        lines = [planning.line(world, f"{name}-{n}", n) for n in (1, 2)]
        made = await world.ask("create_payout_plan", None, {"payouts": lines}, key=f"plan {name}")
        world.names[f"plan_{name}"] = UUID(msgspec.json.decode(made.body)["id"])
        await planning.work(world)
    (digest,) = await world.column(f"SELECT hash FROM payout_plans WHERE id = '{world.names['plan_approved']}'")
    call: dict[str, Any] = {"operation": "approve_payout_plan", "permission": "payouts:write", "status": 201}
    signer = await cast.add_client(world.ana.company_id, "signer")
    await cast.run(signer, Approve(world.names["plan_approved"], digest), key="sign", **call)
    return world


@pytest.fixture(scope="module")
async def town(apart: Database, chromium: Browser) -> AsyncIterator[tuple[World, Street]]:
    """What waits, and its console on a port that was free."""
    cast = Cast.of(apart.app, size=4)
    world = await waiting(cast)
    async with served(cast, world.ana, chromium) as street:
        yield world, street
    await cast.close()


async def says(window: Window, name: str, *words: str) -> str:
    """Reads the open page at a desk: its words, its rules; and on a phone, which it is no wider than."""
    text = await window.page.inner_text("main")
    for word in words:
        assert word in text, f"{name} does not say {word}: {text}"
    await window.is_clean()
    await window.picture(f"deciding-desktop-{name}")
    await window.page.set_viewport_size(SIZES["phone"])
    assert await window.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{name} is too wide"
    await window.picture(f"deciding-phone-{name}")
    await window.page.set_viewport_size(SIZES["desktop"])
    return text


async def test_nobody_decides_blind(town: tuple[World, Street]) -> None:
    world, street = town
    person = await street.person(Role.OPERATE, Role.APPROVE, Role.ADMINISTER)
    async with street.window(locale="pt-BR", java_script_enabled=True) as window:
        page = window.page
        await window.sign_in(person)
        await window.choose(street.house.ana)
        for path, words in PAGES.items():
            await window.go(path.format(**world.names))
            await says(
                window, path.removeprefix("/console/").replace("/", "-").translate({ord("{"): "", ord("}"): ""}), *words
            )
        await page.click("p.disputed a")
        await page.wait_for_url(f"**/console/disputes/{world.names['blocked_notice']}")
        await says(window, "dispute", "Notificação de infração", "Golpe", "Titular", "Bento Braga", "Cliente")
        assert await page.locator(f"a[href='/console/orders/{world.names['blocked']}']").count() == 1
        await page.click("nav.actions a[href$='/answer']")
        text = await says(
            window, "dispute-answer", "Procedente", "Improcedente", "liberados agora", "Custa R$", "contestação: R$"
        )
        assert text.index("Motivo") < text.index("contestação: R$")
        assert await page.locator("input[type=radio]:checked").count() == 0, "no verdict is presumed"
        await page.check("input[value=AGREED]")
        await page.select_option("select[name=fraud]", "MULE_ACCOUNT")
        await page.locator("main form button.main").click()
        assert "/answer" in page.url, "a browser asks for the reason"
        await page.fill("input[name=reason]", REASON)
        await page.click("main form button.main")
        await page.wait_for_url("**/console/disputes/*done*")
        await window.go("/console/audit")
        text = await says(window, "audit", "Responder à contestação", "Conclusão: Procedente", "R$\N{NO-BREAK SPACE}5,00")
        assert REASON not in text, "the history has it, and can be read with its object"
        assert await page.locator(f"main a[href='/console/disputes/{world.names['blocked_notice']}']").count() == 1
