"""What people do about events, and what anybody may look at."""

from typing import Any

from tests.world.whole.crowd import Crowd

from lastro_sim.partners import BEHAVIOURS

# Where a company has events sent that name no address of their own.
_TYPES = (
    "ORDER-PAYIN.PAID", "ORDER-PAYOUT.PAID", "ORDER-PAYOUT.ERROR", "PAYOUT-PLAN.READY", "ACCOUNT.CREATED", "MED.CREATED",
    "KEY-CLAIM.STATUS_CHANGED", "ACCOUNT.STATUS_CHANGED",
)  # fmt: skip
# What a storm never orders: what a statement says is compared by a command, of days that are over.
_UNORDERED = frozenset({"statement"})
_FAULTS = tuple((o, b) for o, known in sorted(BEHAVIOURS.items()) if o not in _UNORDERED for b in sorted(known))


async def is_told(crowd: Crowd) -> None:
    """Where events go is changed, or looked at; some are asked for again."""
    chance, who = crowd.chance, crowd.chance.choice(("ana", "dora"))
    if chance.random() < 0.4:
        await settles_urls(crowd, who)
    await crowd.read("read_webhook", who=who)
    listed = await crowd.read("list_webhook_events", who=who, limit="20")
    if listed and listed["data"]:
        event = chance.choice(listed["data"])
        path = {"id": event["id"]}
        await crowd.read("read_webhook_event", who=who, path=path)
        if chance.random() < 0.5:
            await crowd.write("resend_webhook_event", {}, who=who, path=path)
    if chance.random() < 0.2:
        await crowd.write("resend_webhook_events", {"filter": {"status": "FAILED"}}, who=who)
    if chance.random() < 0.2:
        await crowd.write("test_webhook", {"event": "ORDER-PAYIN.PAID", "url": crowd.hook("test")}, who=who)
    if chance.random() < 0.1:
        await crowd.write("rotate_webhook_secret", {}, who=who)


async def settles_urls(crowd: Crowd, who: str) -> None:
    url = f"{crowd.play.stage.simulator_url}/merchant/webhooks/company-{who}"
    events = [{"event": name, "url": url, "active": True} for name in _TYPES]
    await crowd.write("set_webhook", {"events": events}, who=who)


async def looks_around(crowd: Crowd) -> None:
    """What is there for everybody, and what a company looks at each day."""
    open_to_all = (
        crowd.read("read_welcome", who=None), crowd.read("read_token_keys", who=None),
        crowd.read("read_location_keys", who=None), crowd.read("read_checkout_style", who=None),
        crowd.read("read_checkout_script", who=None), crowd.read("read_docs", who=None), crowd.read("read_guide", who=None),
        crowd.read("read_guide_page", who=None, path={"page": "guides-orders"}), crowd.read("read_docs_style", who=None),
        crowd.read("read_life", who=None), crowd.read("read_llms", who=None), crowd.read("list_schemas", who=None),
        crowd.read("read_schema", who=None, path={"name": "ORDER-PAYIN.PAID.json"}), crowd.read("read_clock", who=None),
        crowd.read("read_openapi", who=None), crowd.read("read_health", who=None), crowd.read("read_postman", who=None),
        crowd.read("read_postman_environment", who=None),
    )  # fmt: skip
    chosen = crowd.chance.randrange(5)
    for number, look in enumerate(open_to_all):
        if number % 5 == chosen:
            await look
        else:
            look.close()
    account = crowd.chance.choice(crowd.accounts)["id"]
    daily: Any = crowd.chance.randrange(4)
    if daily == 0:
        await crowd.read("read_balance", accountId=account)
        await crowd.read("read_company_balance", accountType="PAYMENT")
    elif daily == 1:
        await crowd.read("read_statement", path={"id": account}, limit="20")
    elif daily == 2:
        await crowd.read("list_fees")
    else:
        await crowd.read("list_banks", name="itau")


async def misbehaves(crowd: Crowd) -> None:
    """The network, a partner or a receiver of events is going to."""
    if crowd.chance.random() < 0.3:
        behaviour = {"status": crowd.chance.choice((500, 204, 302)), "times": crowd.chance.randint(1, 4)}
        slow = {"delaySeconds": crowd.chance.choice((0.2, 1.5)), "times": 1}
        await crowd.act("/merchant/behaviour", crowd.chance.choice((behaviour, slow)))
        return
    operation, behaviour_name = crowd.chance.choice(_FAULTS)
    fault = {"operation": operation, "behaviour": behaviour_name, "times": crowd.chance.randint(1, 2)}
    if behaviour_name in ("slow", "unseen"):
        fault["delay"] = 1
    await crowd.act("/faults", fault)
