"""Prism as a validating proxy: what it lets pass, and what it refuses of either side."""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest

from . import pix_api, prism

pytestmark = pix_api.needed

TXID = "7978c0c97ea847e78e8849634473c1f1"
NOW = "2020-09-09T20:15:00.358Z"
COB: dict[str, Any] = {
    "calendario": {"expiracao": 3600},
    "devedor": {"cpf": "12345678909", "nome": "Ana"},
    "valor": {"original": "10.00"},
    "chave": "loja@exemplo.com.br",
}
LOC = {"id": 789, "location": "pix.example.com/qr/v2/9d36b84f", "tipoCob": "cob", "criacao": NOW}
GIVEN: dict[str, Any] = {
    **COB,
    "calendario": {"criacao": NOW, "expiracao": 3600},
    "txid": TXID,
    "revisao": 0,
    "status": "ATIVA",
    "loc": LOC,
}


@dataclass(slots=True)
class Bank:
    """A server that answers every request alike. asked: the requests that reached it."""

    url: str
    asked: list[str]
    status: int = 201
    answer: Any = None


class Handler(BaseHTTPRequestHandler):
    def __init__(self, bank: Bank, *rest: Any) -> None:
        self._bank = bank
        super().__init__(*rest)

    def do_GET(self) -> None:
        self._bank.asked.append(f"{self.command} {self.path}")
        self.rfile.read(int(self.headers.get("content-length", 0)))
        body = json.dumps(self._bank.answer).encode()
        self.send_response(self._bank.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_PUT(self) -> None:
        self.do_GET()

    def log_message(self, *_: object) -> None:
        """Nothing is written: a test's output is the test's."""


@pytest.fixture(scope="module")
def bank() -> Iterator[Bank]:
    made = Bank("", [])
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, made))
    made.url = f"http://127.0.0.1:{server.server_port}/api/v2"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield made
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def proxy(bank: Bank, tmp_path_factory: pytest.TempPathFactory) -> Iterator[prism.Proxy]:
    with prism.proxy(bank.url, tmp_path_factory.mktemp("prism")) as running:
        yield running


@pytest.fixture
def client(proxy: prism.Proxy) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=proxy.url, headers={"authorization": "Bearer none"}, timeout=30, trust_env=False) as made:
        yield made


def test_what_is_right_passes(bank: Bank, client: httpx.Client) -> None:
    bank.status, bank.answer, bank.asked = 201, GIVEN, []
    answer = client.put(f"/cob/{TXID}", json=COB)
    assert (answer.status_code, answer.json()) == (201, GIVEN)
    assert bank.asked == [f"PUT /api/v2/cob/{TXID}"]
    bank.status, bank.answer = 200, {"endToEndId": "E" * 32, "valor": "10.00", "horario": NOW, "txid": "LOJA1"}
    assert client.get(f"/pix/{'E' * 32}").status_code == 200


def test_a_wrong_request_is_refused_and_named(bank: Bank, client: httpx.Client, proxy: prism.Proxy) -> None:
    bank.status, bank.answer, bank.asked = 201, GIVEN, []
    answer = client.put(f"/cob/{TXID}", json={**COB, "valor": {"original": "x10.00y"}})
    assert (answer.status_code, _places(answer)) == (422, [["body", "valor", "original"]])
    answer = client.put(f"/cob/{TXID}", json={**COB, "devedor": {**COB["devedor"], "cnpj": "12345678000195"}})
    assert (answer.status_code, _places(answer)) == (422, [["body", "devedor"]])
    answer = client.get("/pix", params={"fim": NOW})
    assert answer.status_code == 422
    assert "inicio" in answer.json()["validation"][0]["message"]
    assert bank.asked == []
    assert proxy.errors()[-1].startswith("get /pix: ")


def test_a_wrong_answer_is_told(bank: Bank, client: httpx.Client, proxy: prism.Proxy) -> None:
    bank.status, bank.answer = 201, {**GIVEN, "valor": {"original": "10.0"}}
    answer = client.put(f"/cob/{TXID}", json=COB)
    assert (answer.status_code, _places(answer)) == (500, [["response", "body", "valor", "original"]])
    told = proxy.errors()
    assert told[-1].startswith(f"put /cob/{TXID}: ")
    assert "#VIOLATIONS" in told[-1]
    assert client.get("/cob").status_code == 422
    assert len(proxy.errors()) == len(told) + 1


def test_a_success_that_is_not_documented_is_told(bank: Bank, client: httpx.Client) -> None:
    bank.status, bank.answer = 206, GIVEN
    answer = client.put(f"/cob/{TXID}", json=COB)
    assert answer.status_code == 500
    assert "status code" in answer.json()["validation"][0]["message"]


def _places(answer: httpx.Response) -> list[list[str]]:
    return [one["location"] for one in answer.json()["validation"]]
