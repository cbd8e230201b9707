"""Where a company has its events sent, and what that makes of events that are told."""

import asyncio
from typing import Any

from tests.in_one import in_one_test
from tests.rooms.webhooks.conftest import Company, Scene

from lastro.core.runner import Reply
from lastro.webhooks import EVENTS

PATH = "/order/v1/webhook"
OWN, COMPANYS = "https://object.example/hook", "https://company.example/hook"
PAID = "ORDER-PAYIN.PAID"  # the interface names it
EXTRA = "SUBSCRIPTION-PAYMENT.SCHEDULED"  # and not this one


async def where(scene: Scene, company: Company, event_type: str, url: str | None) -> str | None:
    """The URL that a new event of this type is sent to."""
    event_id = await scene.tell(company, url, event_type=event_type)
    await scene.number_all()
    goes_to: str | None = (await scene.read(company, event_id)).get("webhookUrl")
    assert goes_to == await scene.admin.fetchval("SELECT url FROM deliveries WHERE id = $1", event_id)
    return goes_to


async def test_every_type_is_shown_and_nothing_is_set_at_first(scene: Scene) -> None:
    answer = await scene.answered(await scene.company(), "GET", PATH)
    assert answer == {"events": [{"event": name, "active": True} for name in EVENTS], "status": "INACTIVE", "endpoints": []}
    assert len(set(EVENTS)) == len(EVENTS) > 25


async def test_what_is_named_is_set_and_the_rest_is_left(scene: Scene) -> None:
    ana = await scene.company()
    await scene.set_webhook(ana, {"event": PAID, "url": COMPANYS}, {"event": EXTRA, "url": OWN, "active": False})
    answer = await scene.set_webhook(ana, {"event": EXTRA, "url": COMPANYS})
    assert answer[PAID] == {"event": PAID, "url": COMPANYS, "active": True}
    assert answer[EXTRA] == {"event": EXTRA, "url": COMPANYS, "active": True}
    assert {name for name, one in answer.items() if "url" in one} == {PAID, EXTRA}
    shown = await scene.answered(ana, "GET", PATH)
    assert shown["events"] == list(answer.values())
    answer = await scene.set_webhook(ana, {"event": PAID})
    assert answer[PAID] == {"event": PAID, "active": True}, "a type is set as a whole"


async def test_a_replacing_list_unsets_what_it_does_not_name(scene: Scene) -> None:
    """Written back as it was read, it changes nothing, and says so."""
    ana = await scene.company()
    both = {"events": [{"event": PAID, "url": COMPANYS}, {"event": EXTRA, "url": OWN, "active": False}]}
    first = await scene.answered(ana, "PUT", PATH, body=both)
    assert (set(first["changed"]), first["status"]) == ({PAID, EXTRA}, "ACTIVE")
    same = await scene.answered(ana, "PUT", PATH, body={"events": first["events"], "mode": "REPLACE"})
    assert (same["changed"], same["updatedAt"]) == ([], first["updatedAt"])
    left = await scene.answered(
        ana, "PUT", PATH, body={"events": [{"event": EXTRA, "url": OWN, "active": False}], "mode": "REPLACE"}
    )
    assert (left["changed"], left["status"]) == ([PAID], "INACTIVE")
    assert [one["event"] for one in left["events"] if "url" in one] == [EXTRA]
    merged = await scene.answered(ana, "PUT", PATH, body={"events": [{"event": PAID, "url": COMPANYS}], "mode": "MERGE"})
    assert {one["event"] for one in merged["events"] if "url" in one} == {PAID, EXTRA}


@in_one_test(
    ("event_type", "setting", "own", "goes_to"),
    [
        (PAID, None, OWN, OWN), (PAID, None, None, None),
        (PAID, {"url": COMPANYS}, OWN, OWN), (PAID, {"url": COMPANYS}, None, COMPANYS), (PAID, {"url": None}, None, None),
        (PAID, {"url": COMPANYS, "active": False}, OWN, OWN), (PAID, {"url": COMPANYS, "active": False}, None, None),
        (EXTRA, None, OWN, OWN), (EXTRA, {"url": COMPANYS}, OWN, OWN), (EXTRA, {"url": COMPANYS}, None, COMPANYS),
        (EXTRA, {"url": COMPANYS, "active": False}, OWN, None), (EXTRA, {"url": COMPANYS, "active": False}, None, None),
        (EXTRA, {"active": False}, OWN, None),
    ],
)  # fmt: skip
async def test_the_objects_url_then_the_companys_then_none(
    scene: Scene, event_type: str, setting: dict[str, Any] | None, own: str | None, goes_to: str | None
) -> None:
    ana = await scene.company()
    if setting is not None:
        await scene.set_webhook(ana, {"event": event_type, **setting})
    assert await where(scene, ana, event_type, own) == goes_to
    assert [e["event"] for e in (await scene.fed(ana))["data"]] == [event_type], "it is in the feed whatever becomes of it"
    assert not any((await scene.breaches()).values())


async def test_an_event_keeps_the_url_that_it_got(scene: Scene) -> None:
    ana = await scene.company()
    await scene.set_webhook(ana, {"event": PAID, "url": COMPANYS})
    event_id = await scene.tell(ana, None)
    await scene.number_all()
    await scene.set_webhook(ana, {"event": PAID, "active": False})
    assert (await scene.read(ana, event_id))["webhookUrl"] == COMPANYS
    assert not any((await scene.breaches()).values())


async def test_until_it_has_its_number_it_goes_where_it_would_go_now(scene: Scene) -> None:
    ana = await scene.company()
    event_id = await scene.tell(ana, None)
    assert (await scene.read(ana, event_id))["status"] == "NONE"
    await scene.set_webhook(ana, {"event": PAID, "url": COMPANYS})
    shown = await scene.read(ana, event_id)
    assert (shown["status"], shown["webhookUrl"]) == ("PENDING", COMPANYS)
    assert isinstance(await scene.resend(ana, event_id), Reply)


async def test_the_companys_url_is_delivered_to_like_any_other(scene: Scene) -> None:
    ana, dora, receiver = await scene.company(), await scene.company(), await scene.receiver()
    await scene.set_webhook(ana, {"event": PAID, "url": receiver.url})
    event_id = await scene.tell(ana, None)
    await scene.tell(dora, None)
    assert await scene.step(scene.deliverer()) == 1
    assert [r.event_id for r in receiver.seen] == [str(event_id)]
    assert await accepted(scene, ana, str(event_id))


async def accepted(scene: Scene, company: Company, event_id: str) -> bool:
    return isinstance(await scene.resend(company, event_id), Reply)


async def test_one_companys_settings_are_not_anothers(scene: Scene) -> None:
    ana, dora = await scene.company(), await scene.company()
    await scene.set_webhook(ana, {"event": PAID, "url": COMPANYS})
    answer = await scene.answered(dora, "GET", PATH)
    assert not [one for one in answer["events"] if "url" in one]


async def test_setting_what_is_set_writes_nothing(scene: Scene) -> None:
    ana = await scene.company()
    first = await scene.set_webhook(ana, {"event": PAID, "url": COMPANYS})
    before = await scene.admin.fetch("SELECT xmin, * FROM webhook_settings")
    assert await scene.set_webhook(ana, {"event": PAID, "url": COMPANYS, "active": True}) == first
    assert await scene.admin.fetch("SELECT xmin, * FROM webhook_settings") == before


async def test_many_at_once_leave_each_what_the_last_has_set(scene: Scene) -> None:
    ana = await scene.company()
    names = EVENTS[:8]
    await asyncio.gather(
        *(scene.set_webhook(ana, {"event": name, "url": f"https://{n}.example/"}) for n, name in enumerate(names)),
        *(scene.set_webhook(ana, {"event": EXTRA, "active": False}) for _ in range(3)),
    )
    shown = {one["event"]: one for one in (await scene.answered(ana, "GET", PATH))["events"]}
    assert [shown[name]["url"] for name in names] == [f"https://{n}.example/" for n in range(8)]
    assert shown[EXTRA]["active"] is False


async def test_a_repeated_request_answers_as_the_first(scene: Scene) -> None:
    ana = await scene.company()
    body = {"events": [{"event": PAID, "url": COMPANYS}]}
    first = await scene.ask(ana, "PUT", PATH, key="k", body=body)
    await scene.set_webhook(ana, {"event": PAID})
    second = await scene.ask(ana, "PUT", PATH, key="k", body=body)
    assert isinstance(first, Reply)
    assert isinstance(second, Reply)
    assert (second.body, second.replayed) == (first.body, True)


@in_one_test("url", ["http://127.0.0.1:9000/hook", "http://localhost/hook", "https://a.example:8080/hook"])
async def test_a_sandbox_takes_this_machines_own(scene: Scene, url: str) -> None:
    answer = await scene.set_webhook(await scene.company(), {"event": PAID, "url": url})
    assert answer[PAID]["url"] == url
