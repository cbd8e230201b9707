import json
from typing import Any

from tests.in_one import in_one_test

from lastro_sim.settings import LASTRO_ISPB

from .stage import Sim

GOOD_QR = (
    "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal"
    "6008BRASILIA62070503***63041D3D"
)
BAD_TEXTS: list[Any] = [None, "", 7, 1.5, True, [], {}, "x" * 100_000, "a\u0000b", "\ud800", "a\nb"]


BAD_AMOUNTS: list[Any] = [0, -1, "-1", "1,00", "0.00", "1.001", 0.001, "1e2", 1e300, True, [], {}, "10000000000.00", " 1", ""]  # fmt: skip
BAD_PAYERS: list[tuple[Any, str]] = [
    (7, "payer"), ([], "payer"), ("12345678900", "payer"), ({"name": "A"}, "payer.document"),
    ({"document": "11144477735"}, "payer.name"), ({"name": "A", "document": "1"}, "payer.document"),
    ({"name": 3, "document": "11144477735"}, "payer.name"),
    ({"name": "A", "document": {"number": 5}}, "payer.document.number"),
    ({"name": "A" * 141, "document": "11144477735"}, "payer.name"),
]  # fmt: skip
Case = tuple[str, Any, str]
FAULT = {"operation": "payin", "behaviour": "reject"}
OTHER_CASES: list[Case] = [
    ("/faults", {}, "operation"),
    ("/faults", FAULT | {"operation": "nothing"}, "operation"),
    ("/faults", FAULT | {"operation": "med", "behaviour": "void"}, "behaviour"),
    ("/med", {"endToEndId": "E", "situationType": "REGRET"}, "situationType"),
    ("/med", {"situationType": "SCAM"}, "endToEndId"),
    ("/faults", FAULT | {"behaviour": "explode"}, "behaviour"),
    ("/faults", FAULT | {"operation": "directory", "behaviour": "late"}, "behaviour"),
    ("/faults", FAULT | {"times": 0}, "times"),
    ("/faults", FAULT | {"times": -1}, "times"),
    ("/faults", FAULT | {"times": "2"}, "times"),
    ("/faults", FAULT | {"times": 10**30}, "times"),
    ("/faults", FAULT | {"delay": -1}, "delay"),
    ("/faults", FAULT | {"delay": "P1D"}, "delay"),
    ("/faults", FAULT | {"code": 5}, "code"),
    ("/faults", FAULT | {"match": []}, "match"),
    ("/faults", FAULT | {"match": {"colour": "red"}}, "match.colour"),
    ("/faults", FAULT | {"match": {"amount": "x"}}, "match.amount"),
    ("/faults", FAULT | {"match": {"txId": 5}}, "match.txId"),
    ("/directory", {}, "type"),
    ("/directory", {"key": "nonsense"}, "type"),
    ("/directory", {"type": "PHONE"}, "key"),
    ("/directory", {"type": "PHONE", "key": "11987654321"}, "key"),
    ("/directory", {"type": "EVP", "status": "GONE"}, "status"),
    ("/directory", {"type": "EVP", "owner": {"name": "x" * 151, "document": "11144477735"}}, "owner.name"),
    ("/merchant/behaviour", {"status": 99}, "status"),
    ("/merchant/behaviour", {"status": "200"}, "status"),
    ("/merchant/behaviour", {"delaySeconds": 601}, "delaySeconds"),
    ("/merchant/behaviour", {"body": 5}, "body"),
    ("/merchant/behaviour", {"times": 0}, "times"),
    ("/directory/limits", {"category": "I"}, "category"),
    ("/directory/limits", {"category": 1}, "category"),
    ("/directory/limits", {"enforced": "no"}, "enforced"),
]
RETURN = {"endToEndId": "E" * 32}
BANK_CASES: list[Case] = [
    ("/phone/return", {}, "endToEndId"),
    ("/phone/return", {"endToEndId": "E" * 33}, "endToEndId"),
    ("/phone/return", RETURN | {"reason": "XXXX"}, "reason"),
    ("/phone/return", RETURN | {"details": "x" * 141}, "details"),
    *(("/phone/return", RETURN | {"amount": bad}, "amount") for bad in BAD_AMOUNTS),
    *(("/bank/outside/charges", {"amount": bad}, "amount") for bad in BAD_AMOUNTS),
    ("/bank/outside/charges", {"key": "nobody@fora.example"}, "key"),
    ("/bank/outside/charges", {"key": 5}, "key"),
    ("/bank/outside/charges", {"openAmount": 1}, "openAmount"),
    ("/bank/outside/charges", {"expiration": 0}, "expiration"),
    ("/bank/outside/charges", {"expiration": "60"}, "expiration"),
    ("/bank/outside/charges", {"age": -1}, "age"),
    ("/bank/outside/charges", {"description": "x" * 141}, "description"),
    ("/bank/outside/charges", {"txid": "short"}, "txid"),
    ("/bank/outside/charges", {"txid": "a" * 36}, "txid"),
    ("/bank/outside/charges/unknown", {"status": "PAGA"}, "status"),
    ("/bank/outside/static-codes", {"key": "98765432101"}, "key"),
    ("/bank/outside/static-codes", {"txid": "a" * 26}, "txid"),
    ("/bank/outside/static-codes", {"txid": "a b"}, "txid"),
    ("/bank/outside/static-codes", {"description": "x" * 38}, "description"),
    ("/bank/outside/ted-returns", {"code": "2"}, "numCtrlIf"),
    ("/bank/outside/ted-returns", {"numCtrlIf": "a", "numCtrlStr": "b", "code": "2"}, "numCtrlStr"),
    ("/bank/outside/ted-returns", {"numCtrlIf": "a"}, "code"),
    ("/bank/outside/ted-returns", {"numCtrlIf": "a", "code": "x"}, "code"),
    ("/bank/outside/ted-returns", {"numCtrlIf": "a", "code": -1}, "code"),
    ("/bank/outside/ted-returns", {"numCtrlIf": "a", "code": True}, "code"),
    ("/bank/outside/ted-returns", {"numCtrlIf": 5, "code": "2"}, "numCtrlIf"),
]
TRANSFER_CASES: list[Case] = [
    ("/phone/transfer", {"account": {"branch": "1"}, "amount": 1}, "account.account"),
    ("/phone/transfer", {"account": {"branch": "12345", "account": "1"}, "amount": 1}, "account.branch"),
    ("/phone/transfer", {"key": "a@b.example", "account": {"branch": "1", "account": "1"}, "amount": 1}, "account"),
    ("/phone/transfer", {"key": "fabio@fora.example", "amount": 1, "txid": "a-b"}, "txid"),
    *(("/phone/transfer", {"account": bad, "amount": 1}, "account") for bad in ["0001", [], 1, True]),
    *(("/phone/transfer", {"key": bad, "amount": 1}, "key") for bad in BAD_TEXTS),
    *(("/phone/transfer", {"key": "a@b.example", "amount": bad}, "amount") for bad in [*BAD_AMOUNTS, None]),
]
PAY_CASES: list[Case] = [
    *(("/phone/pay", {"qrcodeData": GOOD_QR, "amount": bad}, "amount") for bad in BAD_AMOUNTS),
    *(("/phone/pay", {"qrcodeData": GOOD_QR, "amount": 1, "payer": bad}, field) for bad, field in BAD_PAYERS),
    ("/phone/pay", {"qrcodeData": GOOD_QR, "amount": 1, "force": "yes"}, "force"),
    *(("/phone/pay", {"qrcodeData": GOOD_QR, "amount": 1, "maximumAmount": bad}, "maximumAmount") for bad in BAD_AMOUNTS),
]
BAD_IDS: list[Any] = [7, "", "R" * 30, "RR-", "R\u0000", True, []]
RECURRENCE_CASES: list[Case] = [
    *((path, body, "qrcodeData") for path in ("/phone/authorize", "/phone/decline") for body in (
        {}, {"qrcodeData": GOOD_QR[:-1] + "0"}, {"qrcodeData": 7}, {"qrcodeData": "x" * 513})),
    *((path, {"idRec": bad}, "idRec") for path in ("/phone/authorize", "/phone/decline", "/phone/cancel-subscription")
      for bad in BAD_IDS),
    ("/phone/authorize", {"idRec": "R" * 29, "qrcodeData": GOOD_QR}, "idRec"),
    *(("/phone/authorize", {"qrcodeData": GOOD_QR, "maximumAmount": bad}, "maximumAmount") for bad in BAD_AMOUNTS),
    *(("/phone/authorize", {"qrcodeData": GOOD_QR, "payer": bad}, field) for bad, field in BAD_PAYERS),
    ("/phone/authorize", {"qrcodeData": GOOD_QR, "force": 1}, "force"),
    ("/phone/decline", {"qrcodeData": GOOD_QR, "reason": "SLDB"}, "reason"),
    ("/phone/cancel-subscription", {}, "idRec"),
    ("/phone/cancel-subscription", {"idRec": "R" * 29, "reason": "why"}, "reason"),
    ("/phone/authorizations/R/cancel", {"reason": 5}, "reason"),
    ("/faults", FAULT | {"operation": "authorization", "behaviour": "slow"}, "behaviour"),
    ("/faults", FAULT | {"operation": "charge", "behaviour": "silent"}, "behaviour"),
    ("/phone/cancel-charge", {}, "endToEndId"),
    ("/phone/cancel-charge", {"endToEndId": "E" * 32, "txid": "a" * 32}, "txid"),
    *(("/phone/cancel-charge", {"endToEndId": bad}, "endToEndId") for bad in [*BAD_IDS, "E" * 33, "E" * 31]),
    *(("/phone/cancel-charge", {"txid": bad}, "txid") for bad in [7, "", "a" * 25, "a" * 36, "a-" * 16, True, []]),
    ("/phone/cancel-charge", {"endToEndId": "E" * 32, "reason": "slbd"}, "reason"),
    ("/phone/cancel-charge", {"endToEndId": "E" * 32, "force": "yes"}, "force"),
    ("/faults", FAULT | {"operation": "cancellation", "match": {"idRec": 5}}, "match.idRec"),
]  # fmt: skip
BANK_ACTS = (
    "/phone/return", "/phone/authorize", "/phone/decline", "/phone/cancel-subscription", "/phone/cancel-charge",
    "/bank/outside/charges", "/bank/outside/static-codes", "/bank/outside/ted-returns",
)  # fmt: skip
CODE_CASES: list[Case] = [
    (path, body, "qrcodeData")
    for path in ("/phone/read", "/phone/pay")
    for body in ({}, {"qrcodeData": GOOD_QR[:-1] + "0"}, *({"qrcodeData": bad} for bad in BAD_TEXTS))
]


async def test_every_malformed_act_is_400_and_names_the_field(sim: Sim) -> None:
    for path, body, field in CODE_CASES + PAY_CASES + TRANSFER_CASES + OTHER_CASES + BANK_CASES + RECURRENCE_CASES:
        raw = json.dumps(body).encode()
        answered = await sim.http.post(path, content=raw, headers={"content-type": "application/json"})
        about = (path, str(body)[:200], answered.text[:300])
        assert answered.status_code == 400, about
        error = answered.json()
        assert (error["error"], error["message"]) == ("INVALID_REQUEST", "Request is not valid"), about
        if "\\ud800" in raw.decode():
            continue
        assert any(one["field"] == field for one in error["details"]), about
        assert all(set(one) == {"field", "issue", "description"} for one in error["details"]), about
    assert (await sim.http.get("/payments")).json() == {"data": []}
    assert (await sim.http.get("/faults")).json() == {"data": []}
    assert (await sim.http.get("/bank/outside/charges")).json() == {"data": []}
    assert (await sim.http.get("/phone/authorizations")).json() == {"data": []}


@in_one_test(
    "raw",
    [b"", b"{", b"[]", b"null", b'"x"', b"5", b"\xff\xfe", b'{"a":' * 5000, b"[" * 100_000],
)  # fmt: skip
async def test_bodies_that_are_no_object(sim: Sim, raw: bytes) -> None:
    for path in ("/phone/read", "/phone/pay", "/phone/transfer", "/faults", "/directory", "/merchant/behaviour", *BANK_ACTS):
        answered = await sim.http.post(path, content=raw)
        assert answered.status_code == 400, (path, answered.text)
        assert answered.json()["error"] == "INVALID_REQUEST"
    posted = await sim.http.post(f"/spi/v1/in/{LASTRO_ISPB}/msgs", content=raw, headers=sim.authorized)
    assert posted.status_code == 400


async def test_numbers_beyond_everything(sim: Sim) -> None:
    for number in ("1e999999999999999", "1e-999999999999999", "9" * 400, "-1e400"):
        raw = f'{{"key":"fabio@fora.example","amount":{number},"delaySeconds":{number},"times":{number}}}'
        for path in ("/phone/transfer", "/merchant/behaviour"):
            assert (await sim.http.post(path, content=raw.encode())).status_code == 400, (path, number)


async def test_too_large_a_body(sim: Sim) -> None:
    answered = await sim.http.post("/phone/read", content=b"x" * 300_000)
    assert answered.status_code == 413
    assert answered.json()["error"] == "INVALID_REQUEST"


async def test_unknown_paths_methods_and_queries(sim: Sim) -> None:
    assert (await sim.http.get("/nowhere")).json()["error"] == "NOT_FOUND"
    assert (await sim.http.put("/phone/pay")).status_code == 405
    for path in ("/payments?x=1", "/payments?limit=0", "/payments?limit=a", "/faults?x=1", "/scenarios?x=1",
                 "/directory?x=1", "/messages?x=1", "/merchant/webhooks?x=1", "/teds?x=1", "/teds?limit=0",
                 "/bank/outside/charges?limit=x", "/phone/authorizations?x=1", "/directory/limits?x=1", "/charges?x=1", "/charges?limit=0"):  # fmt: skip
        answered = await sim.http.get(path)
        assert answered.status_code == 400, path
    for path in ("/payments?endToEndId=nobody", "/messages?to=ana@loja.example", "/charges", "/charges?idRec=nobody"):
        assert (await sim.http.get(path)).json() == {"data": []}


async def test_the_participants_doors_are_closed_to_strangers(sim: Sim) -> None:
    doors = [
        ("POST", f"/spi/v1/in/{LASTRO_ISPB}/msgs"), ("GET", f"/spi/v1/out/{LASTRO_ISPB}/stream/start"),
        ("GET", f"/spi/v1/out/{LASTRO_ISPB}/stream/a-1"), ("DELETE", f"/spi/v1/out/{LASTRO_ISPB}/stream/a-1"),
        ("GET", "/spi/v1/payments/E1"), ("GET", "/spi/v1/returns/D1"), ("GET", "/spi/v1/cancellations/M1"), ("PUT", f"/participants/{LASTRO_ISPB}"),
        ("GET", "/spi/v1/charges/M1"), ("GET", "/spi/v1/charge-cancellations/M1"),
        ("PUT", "/clock"), ("POST", "/dict/v2/entries"), ("GET", "/dict/v2/entries/a"), ("POST", "/dict/v2/entries/a/delete"),
        ("GET", "/participants"), ("POST", f"/str/v1/msgs/{LASTRO_ISPB}"), ("GET", "/str/v1/transfers/P1"),
    ]  # fmt: skip
    for method, path in doors:
        for token in (None, b"Bearer x", "Bearer é".encode(), b""):
            headers = {} if token is None else {b"Authorization": token}
            answered = await sim.http.request(method, path, headers=headers, json={})
            assert answered.status_code == 401, (method, path)
            assert answered.json() == {"error": "UNAUTHORIZED", "message": "Unauthorized Request", "details": []}


@in_one_test(
    ("body", "field"),
    [
        ({"jku": "http://a/jwks", "host": "a"}, "name"),
        ({"name": "A", "jku": "ftp://a", "host": "a"}, "jku"),
        ({"name": "A", "jku": "http://a", "host": "a/b"}, "host"),
        ({"name": "A", "jku": "http://a", "host": "u@a"}, "host"),
        ({"name": "A", "jku": 5, "host": None}, "jku"),
    ],
)
async def test_malformed_participants(sim: Sim, body: dict[str, Any], field: str) -> None:
    answered = await sim.ask("PUT", f"/participants/{LASTRO_ISPB}", body)
    assert answered.status_code == 400
    assert field in [one["field"] for one in answered.json()["details"]]
    assert (await sim.ask("PUT", "/participants/99999020", {"name": "A", "jku": "http://a", "host": "a"})).status_code == 403
