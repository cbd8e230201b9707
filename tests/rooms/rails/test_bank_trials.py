"""lastro bank webhook and rehearse, at the simulated bank over its TLS: what they show, change, ask and leave behind."""

import asyncio
import json
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from tests.sim.stage import Sim, running, until

from lastro.app.banks import receivers_of
from lastro.cli import bank_trials, main
from lastro.config.settings import Settings, read
from lastro.core.money import Money
from lastro.rails.api_pix import BankLine, Rehearsal, rehearsal, wire
from lastro.rails.api_pix.wire import BankPayment
from lastro.rails.port import Permanent, Transient
from lastro.standards.account_numbers import with_check_digit
from lastro.web.application import application
from lastro.web.bank_webhooks import BankWebhooks
from lastro.web.middleware import Gate
from lastro.web.server import server
from lastro_sim.api_pix import credentials, listener
from lastro_sim.api_pix.customers import DEMO, DEMO_KEYS

from .api_pix_bank import AT, instant, serving
from .api_pix_bank import Bank as PlainBank
from .api_pix_branch import RAIL
from .conftest import House, Scene
from .test_api_pix_issuing import LOST, answers, refuses

SECRET = "s3cret-of-the-webhook-0001"
HOOK = "https://pay.example.com"


@dataclass
class Desk:
    """A simulated bank, a connection to it, and the command typed."""

    sim: Sim
    folder: Path
    monkeypatch: pytest.MonkeyPatch
    capsys: pytest.CaptureFixture[str]
    noted: str = ""

    def settings(self, **changes: str | None) -> Settings:
        """The settings with a connection to the bank; changes: lines of its table."""
        given = credentials.of(self.sim.network, DEMO)
        (self.folder / "path").write_text(SECRET)
        (self.folder / "path").chmod(0o600)
        names = ("base_url", "token_url", "client_id", "client_secret_file", "certificate_file", "key_file", "ca_file")
        rows: dict[str, str | None] = {name: json.dumps(given[name]) for name in names}
        keys = ", ".join(f'"{key}" = "{with_check_digit("00000123")}"' for key in DEMO_KEYS)
        rows |= {"company": "7", "keys": f"{{ {keys} }}", "webhook": f'"{HOOK}"', "secret_file": '"path"', **changes}
        text = f"[{RAIL}]\n" + "".join(f"{name} = {value}\n" for name, value in rows.items() if value is not None)
        (self.folder / "banks.toml").write_text(text)
        environment = {
            "LASTRO_BANKS_FILE": str(self.folder / "banks.toml"), "LASTRO_HOME": str(self.folder / "home"),
            "LASTRO_MODE": "sandbox",
        }  # fmt: skip
        for name, value in environment.items():
            self.monkeypatch.setenv(name, value)
        return read(environment)

    async def types(self, *words: str, status: int = 0, **changes: str | None) -> list[dict[str, Any]]:
        """Types `lastro bank …`; the rows that it says."""
        self.settings(**changes)
        with pytest.raises(SystemExit) as ended:
            await asyncio.to_thread(main.main, ["bank", *words, "--json"])
        said = self.capsys.readouterr()
        self.noted = said.err
        assert ended.value.code == status, said
        assert SECRET not in said.out + said.err
        rows: list[dict[str, Any]] = json.loads(said.out)
        return rows

    def registered(self) -> dict[str, str]:
        return {row["key"]: row["url"] for row in self.sim.network.store.every("bank_webhook")}

    def charges(self) -> list[Any]:
        return self.sim.network.store.every("bank_charge")


@pytest.fixture
async def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> AsyncIterator[Desk]:
    async with running(tmp_path / "sim", bank_port=0) as sim, listener.listening(sim.network, "127.0.0.1"):
        monkeypatch.setattr(rehearsal, "_LOOKS_EVERY_SECONDS", 0.02)
        yield Desk(sim, tmp_path, monkeypatch, capsys)


def whose(rows: list[dict[str, Any]]) -> list[tuple[str, str | None]]:
    return [(row["webhook"], row["host"]) for row in rows]


async def test_subscriptions_have_webhooks_of_their_own(desk: Desk) -> None:
    recurring: dict[str, Any] = {"capabilities": '["cob", "refund", "rec"]', "bank_account": '"400001"'}
    rows = await desk.types("webhook", RAIL, "--register", "--yes", **recurring)
    assert [(row["key"], row["webhook"]) for row in rows[2:]] == [("webhookrec", "ours"), ("webhookcobr", "ours")]
    assert f"webhookrec: {RAIL} will tell pay.example.com of subscriptions." in desk.noted
    assert "of subscriptions' charges." in desk.noted
    rows = await desk.types("webhook", RAIL, "--remove", "--yes", **recurring)
    assert whose(rows) == [("none", None)] * 4


async def test_a_webhook_is_shown_registered_and_removed(desk: Desk) -> None:
    assert whose(await desk.types("webhook", RAIL)) == [("none", None)] * 2
    assert whose(await desk.types("webhook", RAIL, "--register", "--yes")) == [("ours", None)] * 2
    assert desk.registered() == dict.fromkeys(DEMO_KEYS, f"{HOOK}/rails/{RAIL}/{SECRET}")
    assert desk.noted.count("will tell pay.example.com of payments") == 2
    assert whose(await desk.types("webhook", RAIL)) == [("ours", None)] * 2
    await desk.types("webhook", RAIL, "--register")
    assert "Nothing is to be changed." in desk.noted
    assert whose(await desk.types("webhook", RAIL, "--remove", "--yes")) == [("none", None)] * 2
    assert desk.registered() == {}


@pytest.mark.parametrize("act", ["--register", "--remove"])
async def test_nothing_is_changed_before_somebody_agrees(desk: Desk, act: str) -> None:
    if act == "--remove":
        await desk.types("webhook", RAIL, "--register", "--yes")
    before = desk.registered()
    await desk.types("webhook", RAIL, act)  # no terminal: nobody is asked
    assert "Nothing was changed: --yes changes it." in desk.noted
    assert desk.registered() == before


async def test_the_address_of_another_system_is_told_by_its_host_and_not_removed(desk: Desk) -> None:
    other = f'"{HOOK.replace("pay", "erp")}"'
    await desk.types("webhook", RAIL, "--register", "--yes", webhook=other)
    theirs = desk.registered()
    assert whose(await desk.types("webhook", RAIL)) == [("another", "erp.example.com")] * 2
    assert whose(await desk.types("webhook", RAIL, "--remove", "--yes")) == [("another", "erp.example.com")] * 2
    assert desk.registered() == theirs
    await desk.types("webhook", RAIL, "--register")
    assert desk.noted.count("in place of that at erp.example.com") == 2
    assert whose(await desk.types("webhook", RAIL, "--register", "--yes")) == [("ours", None)] * 2


async def test_a_no_of_the_bank_is_told_and_ends_with_one(desk: Desk) -> None:
    keys = (
        f'{{ "{DEMO_KEYS[0]}" = "{with_check_digit("00000123")}", "nobody@example.com" = "{with_check_digit("00000123")}" }}'
    )
    rows = await desk.types("webhook", RAIL, "--register", "--yes", status=1, keys=keys)
    assert whose(rows) == [("ours", None), ("unknown", None)]
    assert rows[1]["says"].startswith("HTTP status 4")
    rows = await desk.types("webhook", RAIL, status=1, client_id='"nobody"')
    assert [row["webhook"] for row in rows] == ["unknown", "unknown"]
    assert rows[0]["says"] == "HTTP status 401 invalid_client: lastro bank check says what to do"


async def test_a_connection_without_a_webhook_has_none_to_register(desk: Desk) -> None:
    with pytest.raises(AssertionError, match="has no webhook in LASTRO_BANKS_FILE"):
        await desk.types("webhook", RAIL, "--register", "--yes", webhook=None)
    with pytest.raises(AssertionError, match="There is no connection 'bb1'"):
        await desk.types("webhook", "bb1")


@asynccontextmanager
async def served(calls: Any) -> AsyncIterator[str]:
    """The door of banks, on a port of its own; its address."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        host = f"127.0.0.1:{listening.getsockname()[1]}"
        app = application(Gate(frozenset({host}), os.urandom), Mock(), (), BankWebhooks(calls(host)).paths())
        serves = server(app, behind_proxy=False, lifespan="off")
        task = asyncio.ensure_future(serves.serve([listening]))
        try:
            yield f"http://{host}"
        finally:
            serves.should_exit = True
            await task


async def test_what_the_bank_calls_after_the_command_is_noted(desk: Desk, scene: Scene, house: House) -> None:
    def calls(host: str) -> Any:
        return receivers_of(desk.settings(webhook=f'"http://{host}"').connections, scene.database, scene.chance)

    async with served(calls) as url:
        await scene.admin.execute("INSERT INTO rail_cursors (rail, stream, until) VALUES ($1, 'pix', business_now())", RAIL)
        assert whose(await desk.types("webhook", RAIL, "--register", "--yes", webhook=f'"{url}"')) == [("ours", None)] * 2
        line = line_of(desk)
        made = await rehearsed(line).charge(DEMO_KEYS[0], Money(1, "BRL"))
        paid = await desk.sim.act("/bank/company/payments", {"txid": made.txid})
        notices = desk.sim.network.store
        await until(lambda: [row for row in notices.every("bank_notice") if row["answered"] is not None])
        assert [row["answered"] for row in notices.every("bank_notice")] == [200]
        (row,) = await scene.rows("SELECT hints FROM rail_cursors")
        assert row["hints"] == [paid["endToEndId"]]
        await line.close()


def line_of(desk: Desk) -> BankLine:
    return BankLine(desk.settings().connections[0], bank_trials.ambient(), is_quiet=True)


def rehearsed(line: BankLine) -> Rehearsal:
    here = bank_trials.ambient()
    return Rehearsal(line, os.urandom(8).hex()[:15], here.now, here.clock)


async def _pays(desk: Desk) -> None:
    (row,) = await until(desk.charges)
    await desk.sim.act("/bank/company/payments", {"txid": row["tx_id"]})


async def test_a_rehearsal_is_paid_and_given_back(desk: Desk) -> None:
    picture = desk.folder / "code.png"
    paying = asyncio.ensure_future(_pays(desk))
    rows = await desk.types("rehearse", RAIL, "--amount", "0.01", "--yes", "--picture", str(picture))
    await paying
    assert [(row["step"], row["state"]) for row in rows] == [
        ("charge", "passed"),
        ("payment", "passed"),
        ("return", "passed"),
    ]
    assert "BRL 0.01" in rows[1]["says"]
    assert all("\n" not in row["says"] for row in rows), "a table has no room for one"
    assert any(line.startswith("000201") for line in desk.noted.splitlines()), "the code stands on a line of its own"
    assert rows[2]["says"].endswith("DEVOLVIDO")
    assert "A charge of BRL 0.01 is made at efi1, for loja@dora.example of company 7." in desk.noted
    assert "lastro foreign list" in desk.noted
    assert picture.read_bytes().startswith(b"\x89PNG")
    (charge,), (back,) = desk.charges(), desk.sim.network.store.every("bank_return")
    assert (charge["tx_id"][:15], len(charge["tx_id"])) == ("lastrorehearsal", 30)  # no txid of ours has 30 characters
    assert (back["amount"], back["status"]) == (1, "DEVOLVIDO")


async def test_a_rehearsal_does_nothing_before_somebody_agrees(desk: Desk) -> None:
    assert await desk.types("rehearse", RAIL, "--amount", "0.01") == []
    assert "Nothing was done: --yes does it." in desk.noted
    assert desk.charges() == []


async def test_a_rehearsal_that_nobody_pays_ends_its_charge(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rehearsal, "CHARGE_SECONDS", 1)
    rows = await desk.types("rehearse", RAIL, "--amount", "0.01", "--yes", status=1)
    assert [(row["step"], row["state"]) for row in rows] == [("charge", "passed"), ("payment", "failed")]
    assert [row["status"] for row in desk.charges()] == ["REMOVIDA_PELO_USUARIO_RECEBEDOR"]


async def test_an_interrupted_rehearsal_ends_its_charge(desk: Desk) -> None:
    line = line_of(desk)
    tried = rehearsed(line)
    await tried.charge(DEMO_KEYS[0], Money(1, "BRL"))
    assert await tried.end() is None
    assert [row["status"] for row in desk.charges()] == ["REMOVIDA_PELO_USUARIO_RECEBEDOR"]
    await line.close()


async def test_what_was_paid_before_a_rehearsal_was_stopped_goes_back(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    line, looked, here = line_of(desk), asyncio.Event(), bank_trials.ambient()

    async def pause(_: float) -> None:
        if not looked.is_set():
            looked.set()
            await asyncio.Event().wait()  # until it is stopped
        await asyncio.sleep(0)

    tried = Rehearsal(line, os.urandom(8).hex()[:15], here.now, here.clock, pause)
    playing = asyncio.ensure_future(
        bank_trials._played(tried, line.connection, DEMO_KEYS[0], Money(1, "BRL"), desk.folder / "no" / "such.png")
    )
    await looked.wait()
    await desk.sim.act("/bank/company/payments", {"txid": tried.txid})
    playing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await playing
    (back,) = desk.sim.network.store.every("bank_return")
    assert (back["amount"], back["status"]) == (1, "DEVOLVIDO")
    told = capsys.readouterr().err
    assert "The picture was not written" in told
    assert "return: " in told
    await line.close()


@pytest.mark.parametrize("behaviour", ["lost-after-effect", "lost-before-effect", "unavailable"])
async def test_a_return_is_one_return_whatever_the_bank_loses(desk: Desk, behaviour: str) -> None:
    line = line_of(desk)
    tried = rehearsed(line)
    await tried.charge(DEMO_KEYS[0], Money(1, "BRL"))
    await desk.sim.act("/bank/company/payments", {"txid": tried.txid})
    paid = await tried.payment()
    assert paid is not None
    await desk.sim.act("/faults", {"operation": "bank", "behaviour": behaviour, "count": 2})
    assert (await tried.give_back(paid)).status == "DEVOLVIDO"
    assert len(desk.sim.network.store.every("bank_return")) == 1
    await line.close()


@pytest.fixture
async def behind() -> AsyncIterator[tuple[PlainBank, Rehearsal, BankPayment]]:
    """A bank that misbehaves as a test says, and a payment there that a rehearsal gives back."""
    bank = PlainBank()
    async with serving(bank) as line:
        at = iter(range(0, 10_000, 10))

        async def pause(_: float) -> None:
            await asyncio.sleep(0)

        tried = Rehearsal(line, "a" * 15, lambda: AT, lambda: float(next(at)), pause)
        yield bank, tried, wire.BankPayment(bank.pay(1, AT), Money(1050, "BRL"), AT)


async def test_the_refusal_of_a_copy_says_nothing_of_the_one_before(
    behind: tuple[PlainBank, Rehearsal, BankPayment],
) -> None:
    """The first copy is there, and the bank did not know it yet when it was asked."""
    bank, tried, paid = behind
    unknown, refused = refuses(404, "PixDevolucaoNaoEncontrada"), refuses(400, "PixDevolucaoInvalida")
    bank.next("PUT return", LOST, LOST, refused)
    bank.next("GET return", unknown, unknown)
    assert (await tried.give_back(paid)).status == "EM_PROCESSAMENTO"
    assert bank.asked.count(f"PUT /pix/{paid.payment_id}/devolucao/{tried.return_id}") == 3
    assert len(bank.payments[paid.payment_id]["devolucoes"]) == 1


async def test_another_copy_is_sent_only_where_the_bank_does_not_know_it(
    behind: tuple[PlainBank, Rehearsal, BankPayment],
) -> None:
    bank, tried, paid = behind
    bank.next("PUT return", LOST, LOST)
    assert (await tried.give_back(paid)).status == "EM_PROCESSAMENTO"
    path = f"/pix/{paid.payment_id}/devolucao/{tried.return_id}"
    assert bank.asked[:3] == [f"PUT {path}", f"PUT {path}", f"GET {path}"]
    assert set(bank.asked[2:]) == {f"GET {path}"}


async def test_a_first_refusal_is_told(behind: tuple[PlainBank, Rehearsal, BankPayment]) -> None:
    bank, tried, paid = behind
    bank.next("PUT return", refuses(400, "PixDevolucaoInvalida"))
    with pytest.raises(Permanent, match="PixDevolucaoInvalida"):
        await tried.give_back(paid)


@pytest.mark.parametrize(
    ("amount", "says"), [("0", "such as 0.01"), ("0,01", "such as 0.01"), ("-1", "0.01"), ("x", "such as")]
)
async def test_an_amount_that_is_none(desk: Desk, amount: str, says: str) -> None:
    with pytest.raises(AssertionError, match=says):
        await desk.types("rehearse", RAIL, f"--amount={amount}", "--yes")
    assert desk.charges() == []


async def test_a_key_that_is_not_the_connections(desk: Desk) -> None:
    with pytest.raises(AssertionError, match=r"has no key 'x@example\.com'"):
        await desk.types("rehearse", RAIL, "--amount", "0.01", "--key", "x@example.com", "--yes")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"capabilities": '["cob"]'}, "gives nothing back"),
        ({"issuing": "false", "keys": None}, "has no key in LASTRO_BANKS_FILE"),
    ],
)
async def test_a_connection_that_cannot_be_rehearsed(desk: Desk, changes: dict[str, str | None], says: str) -> None:
    with pytest.raises(AssertionError, match=says):
        await desk.types("rehearse", RAIL, "--amount", "0.01", "--yes", status=0, **changes)
    assert desk.charges() == []


@pytest.mark.parametrize("behaviour", [answers(204), refuses(400, "CobOperacaoInvalida")])
@pytest.mark.parametrize(("age", "is_over"), [(timedelta(0), False), (timedelta(hours=1), True)])
async def test_a_charge_that_the_bank_keeps_open_has_not_ended_before_its_time(
    behind: tuple[PlainBank, Rehearsal, BankPayment], behaviour: Any, age: timedelta, is_over: bool
) -> None:
    bank, tried, _ = behind
    await tried.charge("k", Money(1050, "BRL"))
    bank.charges[tried.txid]["calendario"]["criacao"] = instant(AT - age)
    bank.next("PATCH cob", behaviour)
    if is_over:
        assert await tried.end() is None
    else:
        with pytest.raises((Permanent, Transient)):
            await tried.end()
