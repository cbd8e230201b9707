"""Who may sign, how many have to, what they sign; what is applied, canceled, and what nobody applies in time."""

import asyncio
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import pytest
from tests.cast import Client
from tests.in_one import in_one_test
from tests.rooms.plans.bureau import Bureau

from lastro.companies import Revoke
from lastro.core.errors import Kind, Refused, Stale
from lastro.core.runner import Reply
from lastro.core.write import Caller
from lastro.people import Entrance, Register, Role
from lastro.plans.actions.create import MakePlan
from lastro.plans.actions.decide import Apply, Approve, CancelPlan

SIGN: dict[str, Any] = {"operation": "approve_payout_plan", "status": 201}


async def signing(bureau: Bureau, plan: dict[str, Any], client: Client, digest: str | None = None) -> Reply | Refused:
    return await bureau.call(Approve(UUID(plan["id"]), digest or plan["hash"]), client, **SIGN)


async def needs(bureau: Bureau, count: int) -> None:
    """The company asks for so many approvals."""
    sql = "UPDATE companies SET plan_approvals = $1, version = version + 1 WHERE company_id = tenant() RETURNING 1"
    assert await bureau.office.column(sql, count)


def no(found: Reply | Refused) -> tuple[Kind, str, str]:
    assert isinstance(found, Refused), found
    (problem,) = found.problems
    return found.kind, problem.field, problem.issue


# ── approvals ──


async def test_another_client_signs_and_the_plan_can_be_applied(bureau: Bureau) -> None:
    plan = await bureau.checked(bureau.differing(2))
    assert (plan["status"], plan["approvalsRequired"], plan["approvals"]) == ("READY", 1, [])
    signed = await bureau.approve(plan)
    assert (signed["status"], [a["clientId"] for a in signed["approvals"]]) == ("APPROVED", [bureau.approver.client_id])
    assert (await bureau.read(plan))["approvals"] == signed["approvals"]
    assert await bureau.events(plan) == ["PAYOUT-PLAN.READY", "PAYOUT-PLAN.APPROVED"]


async def test_who_made_it_does_not_sign_it(bureau: Bureau) -> None:
    plan = await bureau.checked(bureau.differing(1))
    assert no(await signing(bureau, plan, bureau.ana.client)) == (Kind.CONFLICT, "approver", "NOT_ALLOWED")
    assert (await bureau.read(plan))["approvals"] == []


async def test_two_are_two(bureau: Bureau) -> None:
    await needs(bureau, 2)
    plan = await bureau.checked(bureau.differing(1))
    assert (await bureau.approve(plan))["status"] == "READY"
    assert no(await signing(bureau, plan, bureau.approver)) == (Kind.CONFLICT, "approver", "DUPLICATE")
    assert no(await bureau.call(Apply(UUID(plan["id"])))) == (Kind.CONFLICT, "status", "CONFLICT")
    assert await bureau.events(plan) == ["PAYOUT-PLAN.READY"]
    second = await bureau.cast.add_client(bureau.ana.company_id, "second")
    assert isinstance(await signing(bureau, plan, second), Reply)
    found = await bureau.read(plan)
    assert (found["status"], len(found["approvals"])) == ("APPROVED", 2)


async def revoke(bureau: Bureau, client: Client) -> None:
    await bureau.cast.act(bureau.ana.company_id, Revoke(client.client_id))


async def test_the_approval_of_a_client_that_was_revoked_does_not_count(bureau: Bureau) -> None:
    await needs(bureau, 2)
    plan = await bureau.checked(bureau.differing(1))
    await bureau.approve(plan)
    await revoke(bureau, bureau.approver)
    second, third, fourth = [await bureau.cast.add_client(bureau.ana.company_id, name) for name in ("b", "c", "d")]
    assert isinstance(await signing(bureau, plan, second), Reply)
    found = await bureau.read(plan)
    assert (found["status"], [a["counts"] for a in found["approvals"]]) == ("READY", [False, True])
    assert isinstance(await signing(bureau, plan, third), Reply)
    assert (await bureau.read(plan))["status"] == "APPROVED"

    await revoke(bureau, second)
    assert no(await bureau.call(Apply(UUID(plan["id"])))) == (Kind.CONFLICT, "status", "CONFLICT")
    assert isinstance(await signing(bureau, plan, fourth), Reply)
    fifth = await bureau.cast.add_client(bureau.ana.company_id, "e")
    assert no(await signing(bureau, plan, fifth)) == (Kind.CONFLICT, "status", "CONFLICT")
    assert await bureau.events(plan) == ["PAYOUT-PLAN.READY", "PAYOUT-PLAN.APPROVED"], "it was told once"
    assert (await bureau.apply(plan))["status"] == "APPLYING"


async def test_the_approval_of_a_person_who_was_turned_away_does_not_count(bureau: Bureau) -> None:
    plan = await bureau.checked(bureau.differing(1))
    context = Entrance(bureau.cast.database, bureau.cast.key_ring, bureau.cast.chance, partial(datetime.now, UTC))
    made = await Register(context).invite(f"{uuid4().hex}@ana.example", "Rita", (Role.APPROVE,), None)
    assert isinstance(made, tuple)
    verb = Approve(UUID(plan["id"]), plan["hash"])
    await bureau.cast.runner.act(bureau.ana.company_id, verb, Caller(client_id=f"person:{made[0].id}"))
    assert [a["counts"] for a in (await bureau.read(plan))["approvals"]] == [True]
    await Register(context).end(made[0])
    found = await bureau.read(plan)
    assert (found["status"], [a["counts"] for a in found["approvals"]]) == ("APPROVED", [False])
    assert no(await bureau.call(Apply(UUID(plan["id"])))) == (Kind.CONFLICT, "status", "CONFLICT")


async def test_what_is_signed_is_what_was_checked(bureau: Bureau) -> None:
    plan, other = await bureau.checked(bureau.differing(1)), await bureau.checked([bureau.payout("7.00")])
    for digest in ("0f" * 32, other["hash"]):
        assert no(await signing(bureau, plan, bureau.approver, digest)) == (Kind.INVALID, "hash", "MISMATCH")
    assert plan["hash"] != other["hash"]


async def test_many_sign_at_once(bureau: Bureau) -> None:
    """Each counts once, and it is told once."""
    await needs(bureau, 3)
    plan = await bureau.checked(bureau.differing(1))
    clients = [await bureau.cast.add_client(bureau.ana.company_id, f"signer {n}") for n in range(6)]

    async def sign(client: Client) -> Reply | Refused:
        while True:
            with suppress(Stale):
                return await signing(bureau, plan, client)

    answers = await asyncio.gather(*(sign(client) for client in [*clients, *clients]))
    found = await bureau.read(plan)
    assert (found["status"], len(found["approvals"]), sum(isinstance(a, Reply) for a in answers)) == ("APPROVED", 3, 3)
    assert await bureau.events(plan) == ["PAYOUT-PLAN.READY", "PAYOUT-PLAN.APPROVED"]


async def test_a_company_may_ask_for_none(bureau: Bureau) -> None:
    await needs(bureau, 0)
    plan = await bureau.checked(bureau.differing(1))
    assert (plan["status"], plan["approvalsRequired"]) == ("APPROVED", 0)
    assert await bureau.events(plan) == ["PAYOUT-PLAN.APPROVED"]
    await bureau.apply(plan)
    await bureau.work()
    assert (await bureau.read(plan))["status"] == "APPLIED"


async def test_a_plan_needs_what_was_needed_when_it_was_made(bureau: Bureau) -> None:
    plan = await bureau.take(bureau.differing(1))
    await needs(bureau, 0)
    await bureau.work()
    found = await bureau.read(plan)
    assert (found["status"], found["approvalsRequired"]) == ("READY", 1)


@in_one_test("act", [Apply, CancelPlan, lambda plan_id: Approve(plan_id, "0f" * 32)], ids=["apply", "cancel", "approve"])
async def test_what_is_not_there_or_anothers_is_not_found(bureau: Bureau, act: Any) -> None:
    dora, plan = await bureau.cast.dora(), await bureau.checked(bureau.differing(1))
    for plan_id, client in ((uuid4(), bureau.approver), (None, bureau.approver), (UUID(plan["id"]), dora.client)):
        refused = await bureau.call(act(plan_id), client)
        assert isinstance(refused, Refused)
        assert refused.kind is Kind.NOT_FOUND


# ── in each state ──


async def in_state(bureau: Bureau, state: str) -> dict[str, Any]:
    """A plan in this state."""
    lines: list[Any] = [{}] if state == "INVALID" else bureau.differing(2)
    plan = await bureau.take(lines)
    if state != "VALIDATING":
        await bureau.work()
        plan = await bureau.read(plan)
    if state in ("APPROVED", "APPLYING", "APPLIED"):
        await bureau.approve(plan)
    if state in ("APPLYING", "APPLIED"):
        await bureau.apply(plan)
    if state == "APPLIED":
        await bureau.work()
    if state == "CANCELED":
        await bureau.cancel(plan)
    plan = await bureau.read(plan)
    assert plan["status"] == state
    return plan


@pytest.mark.parametrize("state", ["VALIDATING", "INVALID", "READY", "APPROVED", "APPLYING", "APPLIED", "CANCELED"])
async def test_what_may_be_done_in_each_state(bureau: Bureau, state: str) -> None:
    plan = await in_state(bureau, state)
    if state != "READY":
        assert no(await signing(bureau, plan, bureau.approver, "0f" * 32)) == (Kind.CONFLICT, "status", "CONFLICT")
    if state != "APPROVED":
        assert no(await bureau.call(Apply(UUID(plan["id"])))) == (Kind.CONFLICT, "status", "CONFLICT")
    if state in ("VALIDATING", "READY", "APPROVED", "APPLYING"):
        assert (await bureau.cancel(plan))["status"] == "CANCELED"
        before = await bureau.payouts()
        await bureau.work()
        assert (await bureau.read(plan))["status"] == "CANCELED"
        assert await bureau.payouts() == before == 0
        assert (await bureau.events(plan))[-1] == "PAYOUT-PLAN.CANCELED"
    else:
        assert no(await bureau.call(CancelPlan(UUID(plan["id"])))) == (Kind.CONFLICT, "status", "CONFLICT")


async def test_the_same_request_is_one_plan(bureau: Bureau) -> None:
    body = b'{"payouts":[{}]}'
    call: dict[str, Any] = {
        "key": "the key",
        "operation": "create_payout_plan",
        "status": 202,
        "permission": "payouts:write",
    }
    first = await bureau.cast.run(bureau.ana.client, MakePlan("JSON", body, 1), request=body, **call)
    again = await bureau.cast.run(bureau.ana.client, MakePlan("JSON", body, 1), request=body, **call)
    assert isinstance(first, Reply)
    assert isinstance(again, Reply)
    assert (again.replayed, again.body) == (True, first.body)
    other = await bureau.cast.run(bureau.ana.client, MakePlan("JSON", body, 1), request=body + b" ", **call)
    assert no(other) == (Kind.CONFLICT, "idempotency-key", "CONFLICT")


# ── time ──


async def test_what_nobody_applies_in_seven_days_is_over(bureau: Bureau) -> None:
    ready, approved = await in_state(bureau, "READY"), await in_state(bureau, "APPROVED")
    await bureau.aged(timedelta(days=7) - timedelta(minutes=1))
    await bureau.work()
    assert (await bureau.read(ready))["status"] == "READY"
    await bureau.aged(timedelta(minutes=2))
    assert no(await bureau.call(Apply(UUID(approved["id"])))) == (Kind.CONFLICT, "status", "CONFLICT")
    await bureau.work()
    for plan in (ready, approved):
        assert (await bureau.read(plan))["status"] == "EXPIRED"
        assert (await bureau.events(plan))[-1] == "PAYOUT-PLAN.EXPIRED"


async def test_a_plan_that_is_being_applied_does_not_expire(bureau: Bureau) -> None:
    plan = await in_state(bureau, "APPLYING")
    await bureau.aged(timedelta(days=8))
    await bureau.work()
    assert (await bureau.read(plan))["status"] == "APPLIED"
