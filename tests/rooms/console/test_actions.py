"""Every action's form is sent, for an object that it is offered for: the object moves, and a line tells who did it."""

import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from tests.cast import Cast
from tests.conftest import lent
from tests.databases import Database
from tests.house.registering import TownDirectory
from tests.house.town_claims import KNOWN
from tests.house.town_disputes import TownRail
from tests.rooms.accounts.openings import photo
from tests.rooms.console.visiting import Building, building, hidden
from tests.rooms.laws import finding, paying_out
from tests.rooms.laws.world import World
from tests.rooms.rails.api_pix_bank import Bank, serving

from lastro import console, ledger
from lastro.app import wiring
from lastro.console.actions import ACTIONS, PageAction
from lastro.console.terms import Terms
from lastro.core.commit import commit
from lastro.core.money import Money
from lastro.core.secrets import Secret
from lastro.core.write import Transfer, Write
from lastro.med import MED_OBJECTS
from lastro.orders import KeepForeign
from lastro.people import Role
from lastro.rails.api_pix.issuing import ApiPixIssuer
from lastro.rails.port import ForeignPayment, Issuer
from lastro.rails.spi import SpiEndpoint as SpiPlace
from lastro.web.application import application

LAST_STATE = "SELECT to_state FROM history WHERE company_id = $1 AND reference_id = $2 ORDER BY version DESC LIMIT 1"
LINES = "SELECT * FROM console_acts WHERE company_id = $1 AND person_id = $2"


def named(name: str) -> Callable[[World], Awaitable[UUID]]:
    """What the world knows by this name."""

    async def find(world: World) -> UUID:
        return UUID(str(world.names[name]))

    return find


def where(table: str, condition: str) -> Callable[[World], Awaitable[UUID]]:
    """One of Ana's that is so."""

    async def find(world: World) -> UUID:
        sql = f"SELECT id FROM {table} WHERE {condition} AND company_id = '{world.ana.company_id}' ORDER BY id LIMIT 1"
        (one,) = await world.column(sql)
        return UUID(str(one))

    return find


async def account(world: World) -> UUID:
    """A fresh one, with nothing on it."""
    return UUID((await world.cast.open_account(world.ana.company_id))["id"])


async def blocked(world: World) -> UUID:
    own = await account(world)
    await world.cast.account_becomes(world.ana.company_id, "INACTIVE", own)
    return own


async def key(world: World) -> UUID:
    own = await account(world)
    await world.cast.add_key(world.ana.company_id, own)
    return await where("pix_keys", f"account_id = '{own}'")(world)


async def claim(world: World) -> UUID:
    """One of Ana's that the directory of the tests knows, too."""
    own = await named("owned")(world)
    (key,) = await world.column(f"SELECT key FROM key_claims WHERE id = '{own}'")
    at = {"Participant": "00000000", "Branch": "0001", "AccountNumber": world.ana.account_number}
    KNOWN[str(own)] = {
        "Type": "OWNERSHIP",
        "Key": key,
        "KeyType": "PHONE",
        "Claimer": {"TaxIdNumber": "11222333000181"},
        "ClaimerAccount": at,
    }
    return own


async def contested(world: World) -> UUID:
    """The case of a payout that was contested by the same form."""
    await world.cast.credit(world.ana, 2000)
    await paying_out.make(world, "contested", 1000)
    await paying_out.final(world, "contested")
    house = housed(world)
    visit, _ = await house.inside(Role.OPERATE)
    path = f"/console/payouts/{world.names['contested']}/contest"
    assert (await visit.send(path, path, situationType="SCAM")).status_code == 303
    await house.house.rail.close()
    return await where("med_objects", f"role = 'PAYER' AND end_to_end_id = '{world.names['contested_e2e']}'")(world)


@dataclass(frozen=True)
class Sent:
    """An action done. find: the object. form: what is filled in. ends: what `sql` says of the company and the object then."""

    find: Callable[[World], Awaitable[UUID]]
    ends: Any
    form: dict[str, str] = field(default_factory=dict)
    sql: str = LAST_STATE
    files: dict[str, Any] | None = None


async def reimbursable(world: World) -> UUID:
    """A refund request of Pix Automático that people decide about: 1.00 of Ana's is blocked for it."""
    await world.cast.credit(world.ana, 1000)
    now, own, ana = datetime.now(UTC), world.cast.id(), world.ana
    sql = (
        "SELECT p.end_to_end_id FROM pix_payments p JOIN orders o ON o.company_id = $1 AND o.id = p.order_id AND o.id <> $2"
        " WHERE p.company_id = $1 AND p.state = 'SETTLED' AND o.status = 'PAID' AND o.account_id = $3 AND o.amount_minor >= 100"
        " AND p.rail = 'pix' ORDER BY o.id LIMIT 1"
    )
    values = {
        "id": own, "object_type": "REFUND_REQUEST", "role": "RECEIVER", "account_id": ana.account_id, "requester": "99999020",
        "end_to_end_id": await value(world, sql, UUID(str(world.names["paid"])), ana.account_id), "reason": "PIX_AUTOMATICO",
        "amount_minor": 100, "blocked_minor": 100, "deadline": now, "due_at": now + timedelta(days=1), "occurred_at": now,
        "created_at": now, "updated_at": now,
    }  # fmt: skip
    blocked = ledger.blocked(ana.company_id, ana.account_id, "BRL")
    moved = Transfer(world.cast.id(), "moved", ana.customer, blocked, Money(100, "BRL"), "MED_BLOCK", own, now)
    rows = MED_OBJECTS.born(values, now, ("request open",))
    await commit(world.cast.database, Write(ana.company_id, rows=rows, transfers=(moved,)))
    return own


async def claimable(world: World) -> UUID:
    """The Pix that no order asked for, and an order of its amount at the same bank."""
    await finding.asked(world, ASKED_AT_BANK, 700)
    (payment_id,) = await world.column("SELECT payment_id FROM foreign_payments WHERE amount_minor = 700")
    BANKS[world.ana.number].shows(ForeignPayment(finding.rail(world), payment_id, Money(700, "BRL"), world.now()))
    return await named("foreign")(world)


async def closable(world: World) -> UUID:
    """A Pix of its own that no order asked for."""
    found = ForeignPayment(finding.rail(world), f"E123456782026013112{secrets.token_hex(6)}0", Money(1, "BRL"), world.now())
    await world.cast.runner.act(world.ana.company_id, KeepForeign([found]))
    return await where("foreign_payments", f"payment_id = '{found.payment_id}'")(world)


BANKS: dict[int, Bank] = {}  # by the number of Ana's company
ASKED_AT_BANK = UUID("0196a4f0-8b20-7c11-9e02-5b0e4c7f9a44")
BANK = {"document": "99.999.020/0002-66", "branch": "0001", "account": "1", "accountType": "CHECKING_ACCOUNT"}
REFUND = "SELECT amount_minor FROM refunds WHERE company_id = $1 AND order_id = $2 AND external_id LIKE 'console-%'"
CONTESTED = (
    "SELECT m.situation FROM med_objects m JOIN payouts p USING (company_id, end_to_end_id)"
    " WHERE company_id = $1 AND p.id = $2 AND role = 'PAYER'"
)
STATUS = "SELECT status FROM {} WHERE company_id = $1 AND id = $2"
ROWS = {
    "orders.cancel": Sent(named("waiting"), "CANCELED"),
    "orders.refund": Sent(named("paid"), 123, {"amount": "1,23", "refundCode": "MD06", "sure": "yes"}, REFUND),
    "payouts.cancel": Sent(named("out_scheduled"), "CANCELED"),
    "payouts.approve": Sent(named("out_review"), "PENDING"),
    "payouts.refuse": Sent(named("batch_review"), "CANCELED", {"reason": "unlike her"}),
    "payouts.contest": Sent(named("out_paid"), "SCAM", {"situationType": "SCAM"}, CONTESTED),
    "plans.approve": Sent(named("plan_ready"), "APPROVED"),
    "plans.apply": Sent(named("plan_approved"), "APPLYING"),
    "plans.cancel": Sent(named("plan_validating"), "CANCELED"),
    "subscriptions.cancel": Sent(where("subscriptions", "status = 'ACCEPTED'"), 1, {"reason": "OTHER"},
        "SELECT count(*)::int FROM subscription_cancellations WHERE company_id = $1 AND subscription_id = $2"),
    "foreign.close": Sent(closable, "CLOSED", {"reason": "of the shop's other system"}),
    "foreign.claim": Sent(claimable, "CLAIMED", {"orderId": f" {ASKED_AT_BANK}"}),
    "disputes.cancel": Sent(contested, "CANCELLED"),
    "disputes.defend": Sent(where("med_objects", "role = 'RECEIVER' AND status = 'RECEIVED'"), "It was delivered",
                             {"text": "It was delivered"}, "SELECT defense FROM med_objects WHERE company_id = $1 AND id = $2"),
    "disputes.attach": Sent(where("med_objects", "role = 'RECEIVER' AND status = 'RECEIVED'"), 1, {},
        "SELECT count(*)::int FROM med_documents WHERE company_id = $1 AND object_id = $2",
        {"file": ("Ana's own name.png", photo(), "image/png")}),
    "disputes.answer": Sent(where("med_objects", "role = 'RECEIVER' AND status = 'RECEIVED'"), "ANALYSED", {"verdict": "DISAGREED", "reason": "no fraud"}),
    "disputes.reimburse": Sent(reimbursable, "REFU", {"amount": "0,40", **BANK, "reason": "owed", "sure": "yes"},
        "SELECT reason_code FROM refunds WHERE company_id = $1 AND med_id = $2"),
    "disputes.refuse": Sent(reimbursable, "ANALYSED", {"rejection": "OTHER", "reason": "not owed"}),
    "accounts.block": Sent(account, "INACTIVE", {"code": "OPERATOR_DECISION"}),
    "accounts.unblock": Sent(blocked, "ACTIVE", {"code": "OPERATOR_DECISION"}),
    "accounts.close": Sent(account, "CLOSED", {"closeRequestReason": "moves on"}, STATUS.format("accounts")),
    "keys.delete": Sent(key, "DELETED"),
    "claims.cancel": Sent(claim, "CANCELLED"),
    "events.resend": Sent(named("paid_event"), "PENDING", {}, STATUS.format("deliveries")),
}  # fmt: skip


@pytest.fixture(scope="module")
def apart(request: pytest.FixtureRequest) -> Iterator[Database]:
    """A database of their own: what a world holds is no other test's."""
    yield from lent(request, "clone", secrets.token_hex(4))


@pytest.fixture(scope="module")
async def world(apart: Database) -> AsyncIterator[World]:
    cast = Cast.of(apart.app, size=4)
    yield await World.make(cast)
    await cast.close()


def housed(world: World, issuers: Mapping[str, Issuer] | None = None) -> Building:
    """The console over the world, beside a directory that does what it is asked for."""
    made = building(world.cast, world.ana)
    rail = TownRail(SpiPlace("http://127.0.0.1:9", made.house.place.institution.ispb, Secret("none")))
    house = replace(made.house, rail=rail, registry=TownDirectory(), issuers=issuers or {})
    routes, operations = wiring.routes(house), wiring.operations(house)
    paths = wiring.public(house) | console.paths(house, routes)
    return replace(made, house=house, asgi=application(wiring.gate(house, operations), operations, routes, paths))


@pytest.fixture(scope="module")
async def house(world: World) -> AsyncIterator[Building]:
    BANKS[world.ana.number] = Bank()
    async with serving(BANKS[world.ana.number]) as line:
        made = housed(world, {finding.rail(world): ApiPixIssuer(finding.rail(world), line, "utc")})
        yield made
    await made.house.rail.close()


async def value(world: World, sql: str, *arguments: Any) -> Any:
    async with world.cast.database.session(world.ana.company_id) as session:
        return await session.value(sql, world.ana.company_id, *arguments)


def test_every_action_has_its_row() -> None:
    assert {f"{action.of}.{action.name}" for action in ACTIONS} == set(ROWS)


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: f"{action.of}.{action.name}")
async def test_an_actions_form_does_it(world: World, house: Building, action: PageAction) -> None:
    row = ROWS[f"{action.of}.{action.name}"]
    own = await row.find(world)
    assert await value(world, row.sql, own) != row.ends, "it is not so yet"
    visit, person = await house.inside(action.role)
    path = action.place.format(id=own)
    assert f'"{path}"' in (await visit.get(f"/console/{action.of}/{own}")).text, "it is offered"
    answer = await visit.send(path, path, row.files, **row.form)
    assert answer.status_code == 303, answer.text.partition("<main")[2]
    assert await value(world, row.sql, own) == row.ends
    async with world.cast.database.session(world.ana.company_id) as session:
        (line,) = await session.fetch(LINES, world.ana.company_id, person.id)
    assert line["status"] < 300
    assert line["path"] == action.path.format(id=own, accountId=line["path"].split("/accounts/")[-1].split("/")[0])
    assert (await visit.get(answer.headers["location"])).status_code == 200


async def test_a_verdict_that_is_none_moves_nothing(world: World, house: Building) -> None:
    """Whoever sends a form by hand can put any word into it; what is no AGREED must not count as the other."""
    own = await where("med_objects", "role = 'RECEIVER' AND object_type = 'INFRINGEMENT_NOTIFICATION'")(world)
    visit, _ = await house.inside(Role.APPROVE)
    path, before = f"/console/disputes/{own}/answer", await value(world, LAST_STATE, own)
    for form in ({"verdict": "x"}, {"verdict": "AGREED", "fraud": "x"}):
        answer = await visit.post(path, {**(hidden((await visit.get("/console/me")).text)), **form})
        assert answer.status_code == 400, answer.text.partition("<main")[2]
    assert await value(world, LAST_STATE, own) == before


async def test_the_audit_says_what_was_decided_about_how_much_and_of_which_object(world: World, house: Building) -> None:
    """In Brasilia's time, in the page's language, and with no word that a person wrote."""
    own = await named("paid")(world)
    visit, _ = await house.inside(Role.OPERATE, Role.ADMINISTER)
    path = f"/console/orders/{own}/refund"
    assert (
        await visit.send(path, path, amount="0,07", refundCode="MD06", refundReason="Bento's own words", sure="yes")
    ).status_code == 303
    assert (await visit.send(path, path, amount="0,07")).status_code == 400, "no code is presumed"
    page = (await visit.get("/console/audit", accept_language="pt-BR")).text
    (line,) = [one for one in page.split('<tr role="row">') if "R$\N{NO-BREAK SPACE}0,07" in one]
    assert f'href="/console/orders/{own}"' in line
    assert "MD06: a pedido do cliente" in line
    assert "Devolver" in line
    assert "words" not in page
    at = await value(world, "SELECT max(created_at) FROM console_acts WHERE company_id = $1")
    assert Terms("pt").moment(at) in line


async def test_all_events_are_all(world: World, house: Building) -> None:
    """The list without a choice shows what arrived, too; the API's own default is what did not."""
    visit, _ = await house.inside(Role.READ)
    delivered = await value(world, "SELECT count(*) FROM deliveries WHERE company_id = $1 AND status = 'DELIVERED'")
    assert delivered
    listed = await visit.get("/console/events")
    assert "Entregue" in listed.text.partition("<tbody")[2]
    assert '<option value="ALL"' not in listed.text
