"""What is known before a payout: whose key it is, how often that may be asked, and what the account may still send."""

from typing import Any
from urllib.parse import quote
from uuid import uuid4

from tests.in_one import in_one_test

from .play import Answer, Play, cents
from .test_payouts import PATH, becomes, create, wish

ACCOUNTS = "/order/v1/banking/accounts"
GRAFICA = "99999030000110"


async def look_up(play: Play, key: str, account: str | None = None, *, dora: bool = False) -> Answer:
    path = f"{ACCOUNTS}/{account or play.account['id']}/keys/lookup?key={quote(key, safe='')}"
    return await play.call("GET", path, dora=dora)


@in_one_test(
    ("key", "kind", "name", "document"),
    [
        ("fabio@fora.example", "EMAIL", "Fabio de Fora", ("CPF", "***.813.579-**")),
        ("FABIO@fora.example", "EMAIL", "Fabio de Fora", ("CPF", "***.813.579-**")),
        ("+5511987654321", "PHONE", "Elisa Externa", ("CPF", "***.654.321-**")),
        (GRAFICA, "CNPJ", "Grafica Distante Ltda", ("CNPJ", "**.999.030/0001-**")),
        ("0f4b6c1e-7a52-4d0e-9a3b-5c8d7e6f1a20", "RANDOM", "Grafica Distante Ltda", ("CNPJ", "**.999.030/0001-**")),
    ],
)  # fmt: skip
async def test_whose_key_it_is(play: Play, key: str, kind: str, name: str, document: tuple[str, str]) -> None:
    answer = await look_up(play, key)
    assert answer.status == 200, answer.body
    assert answer.json == {
        "key": key.lower(), "type": kind,
        "owner": {"name": name, "document": {"type": document[0], "number": document[1]}},
        "bank": {"ispb": "99999030", "name": "BANCO RECEBEDOR SIMULADO"},
    }  # fmt: skip


async def test_a_key_of_an_account_here(play: Play) -> None:
    account = play.stage.sandbox["accounts"][1]
    answer = await look_up(play, account["pixKey"])
    assert (answer.json["bank"]["ispb"], answer.json["type"]) == ("99999010", "RANDOM")
    assert "*" in answer.json["owner"]["document"]["number"]


async def test_keys_that_lead_nowhere(play: Play) -> None:
    assert (await look_up(play, str(uuid4()))).status == 404
    assert (await look_up(play, "13579246828")).status == 404, "blocked by a court order"
    assert (await look_up(play, "fabio@fora.example", str(uuid4()))).status == 404
    assert (await look_up(play, "fabio@fora.example", dora=True)).status == 404, "another company's account"
    for key, issue in (("", "INVALID"), ("11987654321x", "INVALID"), ("a" * 78, "TOO_LONG")):
        assert (await look_up(play, key)).problem == (400, "key", issue)
    bare = await play.call("GET", f"{ACCOUNTS}/{play.account['id']}/keys/lookup")
    assert bare.problem == (400, "key", "REQUIRED")


async def test_a_silent_directory_is_asked_again_later(play: Play) -> None:
    key = f"{uuid4()}"
    await play.act("/faults", {"operation": "directory", "behaviour": "down", "match": {"key": key}})
    answer = await look_up(play, key)
    assert (answer.status, int(answer.headers["retry-after"]) > 0) == (503, True)
    assert (await look_up(play, key)).status == 404


async def test_who_scans_is_told_to_wait_and_others_go_on(play: Play) -> None:
    (account,) = (await play.call("GET", ACCOUNTS, dora=True)).json["data"]
    answers = [await look_up(play, f"nobody-{uuid4()}@fora.example", account["id"], dora=True)]
    while answers[-1].status == 404:
        assert len(answers) <= 60, "1,000 tokens at most, of which each takes 20"
        answers.append(await look_up(play, f"nobody-{uuid4()}@fora.example", account["id"], dora=True))
    last = answers[-1]
    assert last.status == 429, last.body
    assert 1 <= int(last.headers["retry-after"]) <= 30
    assert len(answers) > 5
    body = wish(play, "1.00", paymentData={"pixKey": f"nobody-{uuid4()}@fora.example"}) | {"accountId": account["id"]}
    paying = await play.call("POST", PATH, body, key=body["externalId"], dora=True)
    assert (paying.status, int(paying.headers["retry-after"]) > 0) == (429, True)
    assert (await look_up(play, "+5511987654321")).status == 200, "Ana is not Dora"
    limits = await play.act("/directory/limits", method="GET")
    scanned = [b for b in limits["data"] if b["whose"].startswith(account["document"]["number"])]
    assert scanned, "the directory counts the same"


async def limits(play: Play, method: str = "PIX") -> dict[str, Any]:
    answer = await play.call("GET", f"{ACCOUNTS}/{play.account['id']}/limits")
    assert answer.status == 200, answer.body
    (found,) = (one for one in answer.json["data"] if one["paymentMethod"] == method)
    return dict(found)


async def test_what_an_account_may_still_send(play: Play) -> None:
    before = await limits(play)
    assert before["transaction"] == {"currency": "BRL", "value": "15000.00"}
    assert before["day"]["limit"]["value"] == "1000000.00"
    payout = await create(play, "12.34", paymentData={"pixKey": "fabio@fora.example"})
    now = await limits(play)
    used = cents(now["day"]["used"]["value"]) - cents(before["day"]["used"]["value"])
    left = cents(before["day"]["left"]["value"]) - cents(now["day"]["left"]["value"])
    assert (used, left) == (1234, 1234)
    assert cents(now["day"]["used"]["value"]) + cents(now["day"]["left"]["value"]) == 100_000_000
    assert set(now["night"]) == {"used"}, "there is no limit of a night unless one is set"
    await becomes(play, payout, "PAID")
    assert (await play.call("GET", f"{ACCOUNTS}/{play.account['id']}/limits", dora=True)).status == 404
    assert (await play.call("GET", f"{ACCOUNTS}/{uuid4()}/limits")).status == 404
