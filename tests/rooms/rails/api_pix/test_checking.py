"""lastro bank check and certificates, at a real server: each check with what to do about it, and an exit status."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.authority import Authority

from lastro.cli import main
from lastro.standards.account_numbers import with_check_digit

from .bank import Answer, Bank, token

KEY = "loja@exemplo.com.br"
ACCOUNT = with_check_digit("00000123")
HOOK = f"https://pay.example.com/rails/efi1/{'a' * 32}"
Checked = Callable[..., dict[str, dict[str, Any]]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {"secret": "very-secret", "path": "a" * 32}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o600)
    return tmp_path


@pytest.fixture
def authority(folder: Path) -> Authority:
    return Authority(folder)


@pytest.fixture
def bank(authority: Authority) -> Iterator[Bank]:
    made = Bank(authority, authority.pair("bank"))
    yield made
    made.close()


@pytest.fixture
def checked(
    folder: Path, authority: Authority, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Checked:
    """Types `lastro bank …` over a file with a connection to a bank; what it says, by check, and its exit status."""

    def types(bank: Bank, *words: str, status: int = 0, **changes: str | None) -> dict[str, dict[str, Any]]:
        rows = {
            "company": "12", "base_url": f'"{bank.url}/v2"', "token_url": f'"{bank.url}/oauth/token"', "client_id": '"client"',
            "client_secret_file": '"secret"', "certificate_file": '"ours.pem"', "ca_file": '"authority.pem"',
            "keys": f'{{ "{KEY}" = "{ACCOUNT}" }}', **changes,
        }  # fmt: skip
        if not (folder / "ours.pem").exists():
            authority.pair("ours", days=(-1.0, 60.0))
        text = "[efi1]\n" + "".join(f"{name} = {value}\n" for name, value in rows.items() if value is not None)
        (folder / "banks.toml").write_text(text)
        monkeypatch.setenv("LASTRO_BANKS_FILE", str(folder / "banks.toml"))
        monkeypatch.setenv("LASTRO_HOME", str(folder / "home"))
        with pytest.raises(SystemExit) as ended:
            main.main(["bank", *(words or ("check", "efi1")), "--json"])
        said = capsys.readouterr().out
        assert ended.value.code == status, said
        assert "very-secret" not in said
        assert "a" * 32 not in said
        return {one["check"]: one for one in json.loads(said)}

    return types


def states(found: dict[str, dict[str, Any]]) -> dict[str, str]:
    return {name: one["state"] for name, one in found.items()}


def test_a_connection_that_is_as_it_should_be(bank: Bank, checked: Checked) -> None:
    bank.answers += [Answer(), Answer(404)]
    found = checked(bank)
    assert states(found) == {
        "tls": "passed", "tls without certificate": "passed", "token": "passed", "payments": "passed",
        f"webhook {KEY}": "passed", "clock": "passed", "certificate": "passed",
    }  # fmt: skip
    assert {one["toDo"] for one in found.values()} == {None}
    listed, hook = bank.requests
    assert listed.path.startswith("/v2/pix?inicio=2")
    assert hook.path == "/v2/webhook/loja%40exemplo.com.br"
    assert {one.method for one in bank.requests} == {"GET"}, "no money moves"


@pytest.mark.parametrize(
    ("there", "state"),
    [(HOOK, "passed"), (f"{HOOK}/pix", "passed"), ("https://other.example/pix", "failed"), (None, "failed")],
)
def test_the_webhook_that_the_bank_has(bank: Bank, checked: Checked, there: str | None, state: str) -> None:
    hook = Answer(404) if there is None else Answer(body=json.dumps({"webhookUrl": there, "chave": KEY}).encode())
    bank.answers += [Answer(), hook]
    given = {"webhook": '"https://pay.example.com"', "secret_file": '"path"'}
    found = checked(bank, status=int(state == "failed"), **given)
    assert found[f"webhook {KEY}"]["state"] == state
    assert (found[f"webhook {KEY}"]["toDo"] is None) == (state == "passed")


def test_another_systems_webhook_is_told_where_we_poll(bank: Bank, checked: Checked) -> None:
    bank.answers += [Answer(), Answer(body=b'{"webhookUrl":"https://other.example/pix"}')]
    assert checked(bank)[f"webhook {KEY}"]["state"] == "noted"


def test_a_bank_that_asks_for_no_certificate(folder: Path, authority: Authority, checked: Checked) -> None:
    bank = Bank(authority, authority.pair("bank"), wants_certificate=False)
    bank.answers += [Answer(401), Answer(), Answer(404)]
    found = checked(bank)
    bank.close()
    assert found["tls without certificate"]["state"] == "noted"
    assert "asks for none" in found["tls without certificate"]["says"]


def test_a_gateway_that_refuses_without_a_certificate_by_its_status(authority: Authority, checked: Checked) -> None:
    bank = Bank(authority, authority.pair("bank"), wants_certificate=False)
    bank.answers += [Answer(400, b"<html>No required SSL certificate was sent"), Answer(), Answer(404)]
    found = checked(bank)
    bank.close()
    assert found["tls without certificate"]["state"] == "passed"


def test_a_bank_that_does_not_know_our_certificate(folder: Path, bank: Bank, checked: Checked) -> None:
    (folder / "other").mkdir()
    Authority(folder / "other", "other").pair("ours").replace(folder / "ours.pem")
    found = checked(bank, status=1)
    assert states(found) == {"tls": "failed", "certificate": "noted"}
    assert "UNKNOWN_CA" in found["tls"]["says"]
    assert "certificate_file" in found["tls"]["toDo"]
    assert bank.asked == []


def test_a_bank_that_is_not_to_be_trusted(folder: Path, bank: Bank, checked: Checked) -> None:
    found = checked(bank, status=1, ca_file=None)
    assert found["tls"]["state"] == "failed"
    assert "ca_file" in found["tls"]["toDo"]


def test_a_bank_that_is_not_there(bank: Bank, checked: Checked) -> None:
    bank.close()
    found = checked(bank, status=1)
    assert states(found) == {"tls": "failed", "certificate": "passed"}
    assert "not reached" in found["tls"]["says"]


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (Answer(401, b'{"error":"invalid_client"}'), "HTTP status 401 invalid_client"),
        (Answer(503), "the token was answered with HTTP status 503"),
    ],
)
def test_no_token(bank: Bank, checked: Checked, answer: Answer, says: str) -> None:
    bank.tokens.append(answer)
    found = checked(bank, status=1)
    assert (found["token"]["state"], found["token"]["says"]) == ("failed", says)
    assert found["token"]["toDo"]
    assert "payments" not in found


def test_fewer_scopes(bank: Bank, checked: Checked) -> None:
    bank.tokens.append(token("one", scope="cob.read cob.write pix.read"))
    bank.answers += [Answer(), Answer(403)]
    found = checked(bank, status=1)
    assert found["token"]["says"] == "scopes that were not given: pix.write webhook.read webhook.write"
    assert found["payments"]["state"] == "passed", "the rest is asked all the same"
    assert found[f"webhook {KEY}"]["state"] == "noted"


@pytest.mark.parametrize("answer", [Answer(403), Answer(404), Answer(500), Answer(200, b"<html>")])
def test_payments_that_are_not_listed(bank: Bank, checked: Checked, answer: Answer) -> None:
    bank.answers.append(answer)
    found = checked(bank, status=1)
    assert found["payments"]["state"] == "failed"
    assert found["payments"]["toDo"]


def test_a_clock_that_differs(bank: Bank, checked: Checked) -> None:
    late = (datetime.now(UTC) - timedelta(minutes=2)).strftime("%a, %d %b %Y %H:%M:%S GMT")
    bank.answers += [Answer(headers={"Date": late}), Answer(404)]
    found = checked(bank)
    assert found["clock"]["state"] == "noted"
    assert "NTP" in found["clock"]["toDo"]


@pytest.mark.parametrize(
    ("days", "state", "status"), [(31.5, "passed", 0), (30.5, "noted", 0), (8.5, "noted", 0), (7.5, "failed", 1)]
)
def test_the_days_of_a_certificate(
    authority: Authority, bank: Bank, checked: Checked, days: float, state: str, status: int
) -> None:
    authority.pair("ours", days=(-1.0, days))
    found = checked(bank, "certificates", status=status)
    assert (found["certificate"]["state"], found["certificate"]["says"].split()[0]) == (state, str(int(days)))
    assert bank.asked == []


def test_a_connection_that_is_not_there(bank: Bank, checked: Checked, monkeypatch: pytest.MonkeyPatch) -> None:
    checked(bank, "certificates")
    with pytest.raises(SystemExit, match=r"There is no connection 'bb'; there are efi1\."):
        main.main(["bank", "check", "bb"])
    monkeypatch.delenv("LASTRO_BANKS_FILE")
    with pytest.raises(SystemExit, match="LASTRO_BANKS_FILE names none"):
        main.main(["bank", "check"])
