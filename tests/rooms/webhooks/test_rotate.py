"""A new webhook secret: shown once, signing at once, the old one beside it for a day."""

from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from tests.rooms.webhooks.conftest import Company, Scene

from lastro.core.runner import Reply
from lastro.core.secrets import SecretUnreadable
from lastro.webhooks.signatures import verify, verify_short

PATH = "/order/v1/webhook/rotate-secret"


async def rotate(scene: Scene, company: Company, key: str | None = None) -> str:
    secret: str = (await scene.answered(company, "POST", PATH, key=key))["secret"]
    assert secret.startswith("whsec_")
    return secret


async def signed_by(scene: Scene, company: Company, *secrets: str) -> list[bool]:
    """Which of these secrets a new delivery verifies with, in the standard form and in both short headers."""
    receiver = await scene.receiver()
    await scene.tell(company, receiver.url)
    await scene.step(scene.deliverer())
    (got,) = receiver.seen
    now = int(datetime.now(UTC).timestamp())
    standard = [verify([s], got.headers, got.body, now_seconds=now) for s in secrets]
    assert standard == [verify_short([s], got.headers, got.body) for s in secrets]
    return standard


async def test_the_new_one_signs_at_once_and_the_old_one_beside_it(scene: Scene) -> None:
    ana = await scene.company()
    new = await rotate(scene, ana)
    assert new != ana.secret
    assert await signed_by(scene, ana, new, ana.secret) == [True, True]
    until = await scene.admin.fetchval("SELECT webhook_secret_previous_until FROM companies WHERE company_id = $1", ana.id)
    assert abs(until - datetime.now(UTC) - timedelta(hours=24)) < timedelta(minutes=1)


async def test_after_a_day_the_old_one_is_over(scene: Scene) -> None:
    """A day of the machine's time, which signatures go by, whatever business time does."""
    ana = await scene.company()
    new = await rotate(scene, ana)
    await scene.set_clock(await scene.now() + timedelta(days=30))
    assert await signed_by(scene, ana, new, ana.secret) == [True, True]
    await scene.admin.execute("UPDATE companies SET webhook_secret_previous_until = machine_now()")
    assert await signed_by(scene, ana, new, ana.secret) == [True, False]


async def test_a_second_rotation_ends_the_oldest(scene: Scene) -> None:
    ana = await scene.company()
    second, third = await rotate(scene, ana), await rotate(scene, ana)
    assert await signed_by(scene, ana, third, second, ana.secret) == [True, True, False]


async def test_a_worker_that_has_just_signed_does_not_go_on_with_a_secret_that_has_ended(scene: Scene) -> None:
    ana, receiver, deliverer = await scene.company(), await scene.receiver(), scene.deliverer()
    second = await rotate(scene, ana)
    for _ in range(2):
        await scene.tell(ana, receiver.url)
        await scene.step(deliverer)
        third = await rotate(scene, ana)
    first_seen, last_seen = receiver.seen
    now = int(datetime.now(UTC).timestamp())
    assert verify([ana.secret], first_seen.headers, first_seen.body, now_seconds=now), "its day lasts"
    assert verify([second], last_seen.headers, last_seen.body, now_seconds=now)
    assert not verify([ana.secret], last_seen.headers, last_seen.body, now_seconds=now), "ended by the second rotation"
    assert third not in (second, ana.secret)


async def test_under_one_key_the_same_secret_comes_again_and_no_one_can_read_it_beside(scene: Scene) -> None:
    ana = await scene.company()
    first = await scene.ask(ana, "POST", PATH, key="rotate")
    second = await scene.ask(ana, "POST", PATH, key="rotate")
    assert isinstance(first, Reply)
    assert isinstance(second, Reply)
    assert (second.body, second.replayed, second.status) == (first.body, True, 200)
    secret = msgspec.json.decode(first.body)["secret"]
    for table in ("answers", "companies", "history", "events"):
        rows = await scene.admin.fetch(f"SELECT t::text AS row, * FROM {table} t")
        assert not [r for r in rows if secret in repr(r) or secret.encode().hex() in r["row"]], table
    assert await signed_by(scene, ana, secret, ana.secret) == [True, True], "it was rotated once"
    other = await rotate(scene, ana, key="another")
    assert other != secret


async def test_a_kept_answer_opens_under_its_own_key_alone(scene: Scene) -> None:
    """What was sealed for one key is not read under another, though a hand moved it there."""
    ana = await scene.company()
    await rotate(scene, ana, key="one")
    await scene.admin.execute("UPDATE answers SET key = 'other'")
    with pytest.raises(SecretUnreadable):
        await scene.ask(ana, "POST", PATH, key="other")


async def test_another_companys_secret_stays(scene: Scene) -> None:
    ana, dora = await scene.company(), await scene.company()
    await rotate(scene, ana)
    assert await signed_by(scene, dora, dora.secret) == [True]
