"""A merchant without a licence, in production: no network of an institution, a bank over mTLS, an order, its Pix, its refund."""

import asyncio
import base64
import json
import os
import secrets
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from tests import forked
from tests.journeys.conftest import mortal_server
from tests.journeys.servers import Server
from tests.journeys.stage import HOST, reserved_port, until

NAME = "pay.example.com"
OF_A_NETWORK = ("pix", "ted", "book", "med", "claims")
COPIED = ("base_url", "token_url", "client_id", "client_secret_file", "certificate_file", "key_file", "ca_file")
LASTRO = ("-m", "lastro.cli.main")
RIGHTS = ("orders:write", "orders:read", "accounts:read", "payouts:write", "payouts:read")
CUSTOMER_FILE = Path("simulator") / "bank" / "customer.json"


class Production:
    """One production with banks alone. home: where its files are."""

    def __init__(self, home: Path, server: Server) -> None:
        self.home = home
        self.taken = [reserved_port() for _ in range(4)]
        self.port, self.sim_port, bank_port, self.figures_port = (one.getsockname()[1] for one in self.taken)
        self.processes: dict[str, Any] = {}
        keys = self.file("keys", f"k1 {base64.b64encode(secrets.token_bytes(32)).decode()} current\n")
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("LASTRO_")}
        self.environment = {
            **inherited, "LASTRO_MODE": "production", "LASTRO_HOME": str(home / "lastro"), "LASTRO_PORT": str(self.port),
            "LASTRO_PUBLIC_URL": f"https://{NAME}", "LASTRO_PROXIES": "127.0.0.0/8", "LASTRO_DATABASE_URL": server.dsn(),
            "LASTRO_KEYS_FILE": str(keys), "LASTRO_BANKS_FILE": str(home / "banks.toml"), "LASTRO_ISPB": "09089356",
            "LASTRO_COMPE": "364", "LASTRO_INSTITUTION_NAME": "EFÍ S.A. - IP", "LASTRO_BRANCH": "0001",
            "LASTRO_WORKER_METRICS_PORT": str(self.figures_port), "LASTRO_PARENT_PIPE": "1",
        }  # fmt: skip
        self.bank = {
            **inherited, "LASTRO_HOME": str(home / "bank"), "LASTRO_SIM_PORT": str(self.sim_port),
            "LASTRO_SIM_BANK_PORT": str(bank_port), "LASTRO_NETWORK_TOKEN": secrets.token_hex(16), "LASTRO_PARENT_PIPE": "1",
        }  # fmt: skip

    def file(self, name: str, text: str) -> Path:
        """Writes a file of its owner alone."""
        path = self.home / name
        path.touch(mode=0o600)
        path.write_text(text, encoding="utf-8")
        return path

    def start(self, name: str, program: tuple[str, ...], environment: dict[str, str]) -> None:
        """Starts a process that logs into a file of its name."""
        with (self.home / f"{name}.log").open("wb") as log:
            self.processes[name] = forked.start(
                program, env=environment, stdin=subprocess.PIPE, stdout=log.fileno(), stderr=subprocess.STDOUT, text=True,
                own_session=True,
            )  # fmt: skip

    async def command(self, *words: str) -> Any:
        """Performs a command of lastro, and returns its answer."""
        said = await asyncio.to_thread(forked.run, (*LASTRO, *words), env=self.environment)
        assert said.returncode == 0, said
        return json.loads(said.stdout) if "--json" in words else said.stdout

    def lines(self, name: str) -> list[dict[str, Any]]:
        """Returns what a process has logged so far."""
        text = (self.home / f"{name}.log").read_text(encoding="utf-8")
        return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]

    async def is_well(self, port: int) -> bool:
        """Tells whether a process there says that it serves."""
        named = {"host": NAME} if port == self.port else {}
        url = f"http://{HOST}:{port}/health"
        try:
            async with aiohttp.ClientSession(trust_env=False) as http, http.get(url, headers=named) as answer:
                return answer.status == 200
        except aiohttp.ClientError:
            return False

    async def open(self) -> dict[str, Any]:
        """Does what the guide says, from the bank to the client; returns the client and its account's id."""
        (self.home / "bank").mkdir()
        self.start("bank", ("-m", "lastro_sim"), self.bank)
        await until(lambda: self.is_well(self.sim_port), "the bank")
        self.connect(None)
        await self.command("migrate")
        company = await self.command("company", "add", "Papelaria Sol", "--json")
        holder = ("--holder-type", "organization", "--name", "Papelaria Sol Ltda", "--document", "11.222.333/0001-81")
        reached = ("--email", "sol@example.com", "--phone", "+5511987654321")
        account = await self.command("account", "open", "1", *holder, *reached, "--json")
        shop = await self.command(
            "client", "add", "1", "shop", *(word for one in RIGHTS for word in ("--permission", one)), "--json"
        )
        self.connect(account["number"].replace("-", ""))
        assert "failed" not in await self.command("bank", "check")
        for name in ("api", "worker"):
            self.start(name, (*LASTRO, name), self.environment)
        await until(lambda: self.is_well(self.port), "the API")
        await until(lambda: self.is_well(self.figures_port), "the worker")
        assert company["number"] == 1
        return {"clientId": shop["clientId"], "clientSecret": shop["clientSecret"], "account": account["id"]}

    def connect(self, number: str | None) -> None:
        """Writes the file of banks: the customer's key pays the account with this number. None: there is no account yet."""
        customer = json.loads((self.home / "bank" / CUSTOMER_FILE).read_text(encoding="utf-8"))
        key = "issuing = false" if number is None else f'keys = {{ "{customer["keys"][0]}" = "{number}" }}'
        known = (f"{name} = {json.dumps(customer[name])}" for name in COPIED)
        self.file("banks.toml", "\n".join(["[mybank]", "company = 1", "poll_seconds = 5", *known, key, ""]))

    def close(self) -> None:
        """Ends its processes."""
        for process in self.processes.values():
            process.kill()
        for port in self.taken:
            port.close()


@pytest.fixture
def production(tmp_path: Path) -> Iterator[Production]:
    for server in mortal_server():
        made = Production(tmp_path, server)
        try:
            yield made
        finally:
            made.close()


@asynccontextmanager
async def client(production: Production, made: dict[str, Any]) -> AsyncIterator[aiohttp.ClientSession]:
    """The merchant's own client, as his proxy hands it on."""
    said = {"host": NAME, "x-forwarded-for": "203.0.113.7", "x-forwarded-proto": "https"}
    base = f"http://{HOST}:{production.port}"
    async with aiohttp.ClientSession(base, headers=said, trust_env=False) as http:
        login = {"clientId": made["clientId"], "clientSecret": made["clientSecret"]}
        async with http.post("/auth/v1/token", json=login) as answer:
            token = (await answer.json())["token"] if answer.status == 200 else pytest.fail(await answer.text())
    async with aiohttp.ClientSession(base, headers={**said, "authorization": f"Bearer {token}"}, trust_env=False) as http:
        yield http


async def told(asked: Any) -> tuple[int, dict[str, Any]]:
    async with asked as answer:
        return answer.status, await answer.json()


async def test_a_merchant_takes_and_gives_back_pix_with_his_bank_alone(production: Production) -> None:
    made = await production.open()
    async with client(production, made) as http:
        order = {
            "externalId": "print-1", "paymentMethod": "PIX", "financialPartner": "MYBANK", "description": "A print",
            "amount": {"currency": "BRL", "value": "12.00"}, "notificationUrl": "https://shop.example.com/webhooks",
        }  # fmt: skip
        status, created = await told(http.put("/order/v2/transparent", json={"order": order}))
        assert status == 200, created
        paying = {"qrcodeData": created["pix"]["qrcodeData"]}
        async with aiohttp.ClientSession(trust_env=False) as phone:
            assert (await told(phone.post(f"http://{HOST}:{production.sim_port}/phone/pay", json=paying)))[0] == 200

        async def stands(path: str, wanted: str) -> bool:
            return bool((await told(http.get(path)))[1]["status"] == wanted)

        one = f"/order/v2/transparent/{created['id']}"
        await until(lambda: stands(one, "PAID"), "the payment")
        wish = {
            "orderId": created["id"],
            "externalId": "back-1",
            "amount": {"currency": "BRL", "value": "4.00"},
            "refundCode": "MD06",
        }
        status, refund = await told(http.post("/order/v1/banking/order-refunds", json=wish))
        assert status == 201, refund
        await until(lambda: stands(f"/order/v1/banking/order-refunds/{refund['id']}", "PAID"), "the refund")
        await until(lambda: stands(one, "PARTIAL_REFUNDED"), "the order's refund")
        payout = {"externalId": "out-1", "amount": {"currency": "BRL", "value": "1.00"}, "paymentMethod": "PIX",
                  "accountId": made["account"], "paymentData": {"pixKey": "fabio@fora.example"}}  # fmt: skip
        asked = http.post("/order/v1/banking/order-payouts", json=payout, headers={"idempotency-key": secrets.token_hex(8)})
        status, refused = await told(asked)
        assert (status, [(one["field"], one["issue"]) for one in refused["details"]]) == (400, [("path", "NOT_SUPPORTED")])
        _, has = await told(http.get("/order/v2/account/balance"))
        assert (has["available"]["value"], has["held"]["value"]) == ("8.00", "0.00")
        assert (await told(http.get("/order/v1/banking/order-payouts")))[1]["data"] == []

    assert "FAIL" not in await production.command("verify", "--moving")
    assert_calm(production, await figures(production))


async def figures(production: Production) -> str:
    url = f"http://{HOST}:{production.figures_port}/metrics"
    async with aiohttp.ClientSession(trust_env=False) as http, http.get(url) as answer:
        assert answer.status == 200
        return await answer.text()


def assert_calm(production: Production, told: str) -> None:
    """Nobody speaks of a network that is not there, neither in figures nor in words."""
    assert [rail for rail in OF_A_NETWORK if f'rail="{rail}"' in told] == []
    assert 'rail="mybank"' in told
    loud = [line for name in ("api", "worker") for line in production.lines(name) if line["level"] not in ("debug", "info")]
    assert loud == []
