"""The whole story of an order, told by the API and by the command line, from the client's request to the webhook."""

import asyncio
import json
from subprocess import PIPE, STDOUT
from typing import Any

from tests import forked

from .play import ORDERS, Play
from .stage import until


async def story(play: Play, order: dict[str, Any]) -> Any:
    return (await play.call("GET", f"{ORDERS}/{order['id']}/story")).json


async def asked(play: Play, request_id: str) -> dict[str, Any]:
    """An order whose create carried this x-request-id."""
    token = await play._token(play.stage.client())
    headers = {"authorization": f"Bearer {token}", "x-request-id": request_id}
    answer = await play.ask("PUT", play.stage.base_url + ORDERS, play.asking("10.00"), headers)
    assert (answer.status, answer.headers["x-request-id"]) == (200, request_id)
    made: dict[str, Any] = answer.json
    play.made.append(made)
    return made


async def delivered(play: Play, order: dict[str, Any]) -> dict[str, Any]:
    """The story once its event was delivered, and no message is open."""

    async def look() -> dict[str, Any] | None:
        told = await story(play, order)
        done = all("outcome" in entry for entry in told["entries"] if entry["kind"] == "message")
        events = [entry for entry in told["entries"] if entry["kind"] == "event"]
        done = done and bool(events) and all(e.get("delivery", {}).get("status") == "DELIVERED" for e in events)
        return told if done else None

    return await until(look, "the attempt") or {}


def short(entry: dict[str, Any]) -> tuple[str, ...]:
    """An entry as a sentence of a few words."""
    match entry["kind"]:
        case "state":
            return entry["object"], entry["trigger"], entry["to"]
        case "transfer":
            return "transfer", entry["movement"], f"{entry['debit']} {entry['credit']} {entry['amount']['value']}"
        case "message":
            return entry["direction"], entry["message"], entry["outcome"]
        case "event":
            return "event", entry["type"], entry["delivery"]["status"]
    return "attempt", str(entry["number"]), str(entry["statusCode"])


async def test_a_paid_order_has_every_step_in_order(play: Play) -> None:
    request_id = f"the-shops-own-{play.name}"
    order = await asked(play, request_id)
    payment = await play.pay(order)
    assert payment["status"] == "SETTLED"
    await play.told(order, "ORDER-PAYIN.PAID")
    told = await delivered(play, order)
    assert (told["id"], told["object"], told["isWhole"]) == (order["id"], "order", True)
    assert [short(entry) for entry in told["entries"]] == [
        ("order", "create", "INITIAL"),
        ("in", "pix.ask", "answered"),
        ("payment", "accept", "ACCEPTED"),
        ("order", "reserve", "INITIAL"),
        ("out", "pix.answer", "sent"),
        ("in", "pix.final", "handled"),
        ("payment", "settle", "SETTLED"),
        ("order", "pay", "PAID"),
        ("transfer", "moved", "NET CUST 10.00"),
        ("event", "ORDER-PAYIN.PAID", "DELIVERED"),
        ("attempt", "1", "200"),
    ]
    first, question = told["entries"][0], told["entries"][1]
    assert (first["requestId"], first["at"], "from" in first) == (request_id, order["createdAt"], False)
    assert (question["subject"], question["sends"]) == (payment["endToEndId"], 1)
    times = [entry["at"] for entry in told["entries"]]
    assert times == sorted(times)
    assert not [entry for entry in told["entries"][1:] if "requestId" in entry]


async def test_a_second_payment_is_part_of_the_story_and_so_is_its_return(play: Play) -> None:
    order = await play.order("10.00")
    await play.pay(order)
    await play.becomes(order, "PAID")
    await play.fault("payin", "late")
    second = await play.pay(order, force=True)
    await play.payment_becomes(second["endToEndId"], "RETURNED")
    told = await delivered(play, order)
    steps = [short(entry) for entry in told["entries"]]
    back = steps[steps.index(("in", "pix.settled", "handled")) :]
    assert [step for step in back if step[0] not in ("event", "attempt")] == [
        ("in", "pix.settled", "handled"),
        ("payment", "give_back", "RETURNING"),
        ("refund", "create", "PENDING"),
        ("transfer", "moved", "NET SUSP 10.00"),
        ("transfer", "held", "SUSP NET 10.00"),
        ("out", "return.send", "sent"),
        ("in", "return.final", "handled"),
        ("payment", "returned", "RETURNED"),
        ("refund", "confirm", "PAID"),
        ("transfer", "posted", "SUSP NET 10.00"),
    ]


async def test_what_a_client_cancels_names_its_request(play: Play) -> None:
    order = await play.order("10.00")
    answer = await play.call("POST", f"{ORDERS}/{order['id']}/cancel", {})
    assert answer.status == 200
    (moved,) = (e for e in (await story(play, order))["entries"] if e.get("trigger") == "cancel")
    assert (moved["from"], moved["to"], moved["requestId"]) == ("INITIAL", "CANCELED", answer.headers["x-request-id"])


async def told_by(play: Play, *arguments: str) -> tuple[int, str]:
    """What the command says, and its exit status."""
    program = ("-m", "lastro.cli.main", "timeline", *arguments)
    process = await forked.begin(program, env=play.stage.environment, stdout=PIPE, stderr=STDOUT)
    said, _ = await asyncio.wait_for(process.communicate(), 30)
    assert process.returncode is not None
    return process.returncode, said.decode()


async def test_the_command_finds_it_by_any_id(play: Play) -> None:
    order = await asked(play, f"shop-{play.name}")
    payment = await play.pay(order)
    whole = await delivered(play, order)
    status, text = await told_by(play, order["id"], "--json")
    assert (status, json.loads(text)) == (0, whole)
    by_kind = {entry["kind"]: entry for entry in whole["entries"]}
    for name in (
        payment["endToEndId"], order["pix"]["conciliationId"], order["externalId"], by_kind["event"]["id"],
        by_kind["message"]["id"], by_kind["transfer"]["id"],
    ):  # fmt: skip
        status, text = await told_by(play, name)
        assert (status, text.splitlines()[0]) == (0, f"order {order['id']}"), name
    assert f"request shop-{play.name}" in text
    assert "NET → CUST  10.00 BRL, PIX_IN" in text
    assert await told_by(play, "nobody") == (1, "Nothing here is known as nobody.\n")


async def test_one_id_leads_from_the_story_through_worker_and_network(play: Play) -> None:
    """Log lines of the worker and of the simulated network carry the row's id, which stands in the story."""
    order = await play.order("10.00")
    await play.pay(order)
    await play.becomes(order, "PAID")
    (answer,) = (e for e in (await delivered(play, order))["entries"] if e.get("direction") == "out")
    logs = play.stage.home / "logs"

    def said(name: str) -> list[dict[str, Any]]:
        lines = (logs / f"{name}.log").read_text(encoding="utf-8").splitlines()
        return [entry for entry in map(json.loads, lines) if entry.get("request_id") == answer["id"]]

    async def written() -> bool:
        return bool(said("worker") and said("simulator"))

    await until(written, "both lines")
    (sent,), (heard,) = said("worker"), said("simulator")
    assert (sent["event"], sent["lane"], sent["outcome"], sent["network_id"]) == (
        "worked",
        "outbox",
        "sent",
        answer["networkId"],
    )
    assert (sent["id"], sent["company_id"]) == (answer["referenceId"], play.stage.sandbox["companyId"])
    assert (heard["method"], heard["path"], heard["status"]) == ("POST", "/spi/v1/in/{ispb}/msgs", 201)
