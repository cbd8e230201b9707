"""A lastro with banks alone: what needs an institution's network is refused before anything is written, the rest is there."""

import asyncio
from dataclasses import replace
from typing import Any
from unittest.mock import Mock
from uuid import uuid4

import pytest
from tests.in_one import in_one_test

from lastro.app import wiring
from lastro.app.networks import offered
from lastro.config.settings import read
from lastro.core.db import Database
from lastro.core.declined import StartRefused
from lastro.ops.start_checks import admit
from lastro.orders import Installation
from lastro.web.application import application

from .bad_input import line
from .examples import EXAMPLES
from .office import Office
from .strangers import ISSUER, Town, writes_nothing

ALONE = Installation(Mock(), ISSUER, sandbox=True, has_network=False)
ROUTES = {r.operation: r for r in wiring.routes(Mock(place=replace(ALONE, has_network=True)))}
NEEDY = sorted(name for name, route in ROUTES.items() if route.needs_network)
# What writes and stays. Of a new operation somebody has to say which it is.
STAYS = {
    "apart from networks": {
        "cancel_payout", "cancel_payout_plan",  # of what was made while there was a network
        "set_webhook", "rotate_webhook_secret", "test_webhook", "resend_webhook_event",
        "resend_webhook_events", "request_account_close", "list_account_closes", "upload_account_document",
    },
    "by a bank or a partner": {
        "create_order", "cancel_order", "create_refund", "create_card_token", "create_subscription", "cancel_subscription",
        "create_subscription_payment", "retry_subscription_payment", "cancel_subscription_payment",
    },
}  # fmt: skip


def test_of_each_operation_somebody_has_said_whether_it_needs_a_network() -> None:
    writing = {name for name, route in ROUTES.items() if route.method != "GET" and not route.needs_network}
    assert writing == STAYS["apart from networks"] | STAYS["by a bank or a partner"]
    assert [name for name in NEEDY if ROUTES[name].method == "GET"] == ["look_up_key"], "the directory is asked"


@pytest.fixture(scope="module")
def alone(town: Town) -> Any:
    """The town's API without a network."""
    house = replace(town.house, place=replace(town.house.place, has_network=False))
    gate = wiring.gate(house)
    gate.note = house.metrics.request
    return application(gate, wiring.operations(house), wiring.routes(house), wiring.public(house))


@in_one_test("operation", NEEDY, str)
@writes_nothing
async def test_what_needs_a_network_is_refused_in_a_sentence(town: Town, alone: Any, operation: str) -> None:
    route, example = ROUTES[operation], EXAMPLES[operation]
    ask = example.ask(town.objects.get(example.kind or "", ""))
    headers = [("authorization", f"Bearer {town.token(town.ana)}")]
    headers += [("content-type", ask.media)] if ask.content else []
    headers += [] if route.key == "none" else [("idempotency-key", str(uuid4()))]
    answer = await town.send_raw(route.method, line(route, ask), headers, ask.content or b"", asgi=alone)
    assert (answer.status, answer.problems) == (400, [("path", "NOT_SUPPORTED")]), answer.body
    assert "bank" in answer.json["details"][0]["description"]


@pytest.mark.parametrize("is_there", [True, False])
def test_a_network_changes_nothing_else(is_there: bool) -> None:
    served = offered(tuple(ROUTES.values()), replace(ALONE, has_network=is_there))
    changed = {one.operation for one in served if one.parse is not ROUTES[one.operation].parse}
    assert changed == (set() if is_there else set(NEEDY))


async def begun(database: Any, **changed: Any) -> None:
    """Does what each process does before it works, and refuses as it does."""
    app, work = Database(database.app), Database(database.work)
    try:
        await admit(app, work, replace(read({}), **changed), None, asyncio.Event())
    finally:
        await app.close()
        await work.close()


LEFT = {
    "INSERT INTO own_keys (key, company_id, account_id) VALUES ('a@b.example', $1, $1)": "Pix keys of an institution",
    "INSERT INTO outbox (company_id, id, rail, kind, network_id, reference_id, body, created_at, due_at)"
    " VALUES ($1, $1, 'ted', 'ted.send', 'x', $1, '', now(), now())": "messages here wait",
}  # fmt: skip


@pytest.mark.parametrize("left", LEFT, ids=LEFT.get)
async def test_an_institution_that_forgets_its_network_does_not_start(own_database: Any, left: str) -> None:
    if own_database.is_external:
        pytest.skip("its admin may not write what is written here")
    await begun(own_database, network_url="")
    admin = await own_database.connect()
    await admin.execute("SET session_replication_role = replica")  # only what is looked for is needed
    await admin.execute(left, uuid4())
    await admin.close()
    await begun(own_database)
    with pytest.raises(StartRefused, match=LEFT[left]):
        await begun(own_database, network_url="")


def test_an_operator_is_told_that_a_key_is_at_the_bank(office: Office) -> None:
    office.settings = replace(office.settings, network_url="")
    assert "its key is at your bank" in office.declined("account", "add-key", "112233445")
