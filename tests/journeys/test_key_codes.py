"""A key is proved by the code that really arrives, whatever carries it does; and its directory is asked the same again."""

from typing import Any
from uuid import uuid4

from .play import Answer, Play
from .stage import until


def path(play: Play, more: str = "") -> str:
    return f"/order/v1/banking/accounts/{play.account['id']}/keys{more}"


async def begin(play: Play, kind: str, key: str) -> str:
    answer = await play.call("POST", path(play), {"type": kind, "key": key}, key=str(uuid4()))
    assert answer.status == 202, answer.body
    validation_id: str = answer.json["validationId"]
    return validation_id


async def letter(play: Play, to: str) -> dict[str, Any]:
    """The newest message there, once there is one."""

    async def look() -> list[dict[str, Any]]:
        answer = await play.ask("GET", f"{play.stage.simulator_url}/messages?to={to.replace('+', '%2B')}")
        found: list[dict[str, Any]] = answer.json["data"]
        return found

    return (await until(look, f"a message to {to}"))[0]


async def confirm(play: Play, validation_id: str, token: str) -> Answer:
    body = {"validationId": validation_id, "token": token}
    return await play.call("POST", path(play, "/confirm"), body, key=str(uuid4()))


async def test_an_email_address_is_proved_and_given_back(play: Play) -> None:
    mail = f"{uuid4()}@example.com"
    await play.fault("message", "down", match={"key": mail})
    validation_id = await begin(play, "EMAIL", mail.upper())
    sent = await letter(play, mail)
    assert (sent["channel"], sent["code"] in sent["text"]) == ("EMAIL", True)
    await play.fault("directory", "lost-answer", match={"key": mail})
    assert (await confirm(play, validation_id, sent["code"])).status == 503
    made = await confirm(play, validation_id, sent["code"])
    assert (made.status, made.json["key"]) == (201, mail)
    assert made.json["id"] in [one["id"] for one in (await play.call("GET", path(play))).json["data"]]
    await play.fault("directory", "lost-answer", match={"key": mail})
    gone = path(play, f"/{made.json['id']}")
    assert [(await play.call("DELETE", gone)).status for _ in range(3)] == [503, 204, 409]
    assert made.json["id"] not in [one["id"] for one in (await play.call("GET", path(play))).json["data"]]


async def test_a_phone_that_somebody_else_has(play: Play) -> None:
    phone = f"+55119{uuid4().int % 10**8:08d}"
    await play.fault("message", "lost-answer", match={"key": phone})
    await play.act("/directory", {"type": "PHONE", "key": phone})
    validation_id = await begin(play, "PHONE", phone)
    code = (await letter(play, phone))["code"]
    refused = await confirm(play, validation_id, code)
    assert refused.problem == (400, "key", "CONFLICT")
