"""The commands of administration: from a bare database to a company that can be called for, and every no in a sentence."""

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from tests import forked

from lastro.cli import perform
from lastro.config.settings import Settings, read
from lastro.core.declined import StartRefused
from lastro.ops.migrate import migrate

from .office import HOLDER, Office, environment


def test_a_company_is_founded_and_with_the_first_the_institution(office: Office) -> None:
    made = office.asks("company", "add", "Ana Flores", "--partner", "OPEN_PIX")
    assert made["number"] == 1
    assert made["webhookSecret"].startswith("whsec_")
    assert office.asks("company", "add", "Dora")["number"] == 2
    listed = office.asks("company", "list")
    assert [(c["number"], c["name"]) for c in listed] == [(0, "LASTRO SANDBOX IP"), (1, "Ana Flores"), (2, "Dora")]
    by_number, by_id = office.asks("company", "show", "1"), office.asks("company", "show", made["id"].upper())
    assert by_number == by_id == listed[1]
    assert (by_number["customerlessPartner"], by_number["defaultAccountId"]) == ("OPEN_PIX", None)
    assert made["webhookSecret"] not in office.types("company", "show", "1")


def test_two_foundings_at_once_found_one_institution(office: Office) -> None:
    async def both() -> list[Any]:
        add = [asyncio.to_thread(office.asks, "company", "add", name) for name in ("Ana", "Dora", "Eva")]
        return await asyncio.gather(*add)

    made = asyncio.run(both())
    assert sorted(m["number"] for m in made) == [1, 2, 3]
    assert [c["number"] for c in office.asks("company", "list")] == [0, 1, 2, 3]


def test_an_account_is_opened_listed_shown_and_chosen(office: Office) -> None:
    office.types("company", "add", "Ana")
    made = office.asks("account", "open", "1", *HOLDER)
    (listed,) = office.asks("account", "list", "1")
    assert listed["number"] == made["number"], "one spelling; with a hyphen, as banks print it, it is taken too"
    shown = office.asks("account", "show", f"{made['number'][:8]}-{made['number'][8]}")
    assert shown == office.asks("account", "show", made["number"]) == office.asks("account", "show", made["id"])
    assert (shown["document"], shown["phone"], shown["pixKeys"]) == ("CNPJ 11222333000181", "+5511999990000", [])
    assert (shown["available"], shown["held"], shown["owes"]) == ("0.00", "0.00", "0.00")
    assert office.asks("account", "default", "1", made["number"])["defaultAccountId"] == made["id"]
    assert office.asks("company", "show", "1")["defaultAccountId"] == made["id"]
    office.types("company", "add", "Dora")
    assert "not one of company 2" in office.declined("account", "default", "2", made["id"])


def test_what_an_account_may_send_is_shown_and_set(office: Office) -> None:
    office.types("company", "add", "Ana")
    number = office.asks("account", "open", "1", *HOLDER)["number"]
    usual = {"transaction": "15000.00", "day": "1000000.00", "night": "none"}
    assert office.asks("account", "limits", number) == [{"paymentMethod": m, **usual} for m in ("PIX", "TED")]
    made = office.asks("account", "limits", number, "--method", "PIX", "--night", "1000.00")
    assert {**made, "id": ""} == {"id": "", "paymentMethod": "PIX", **usual, "night": "1000.00"}
    office.asks("account", "limits", number, "--method", "TED", "--day", "none")
    office.asks("account", "limits", number, "--method", "PIX", "--transaction", "5000", "--night", "none")
    shown = {row.pop("paymentMethod"): row for row in office.asks("account", "limits", number)}
    assert shown == {"PIX": {**usual, "transaction": "5000.00"}, "TED": {**usual, "day": "none"}}
    for wrong, word in (
        (("--method", "PIX"), "one of --transaction, --day and --night"),
        (("--day", "1.00"), "give --method"),
        (("--method", "PIX", "--transaction", "none"), "always has a limit"),
        (("--method", "PIX", "--day", "1,00"), "--day must be"),
        (("--method", "PIX", "--transaction", "0"), "--transaction must be"),
    ):
        assert word in office.declined("account", "limits", number, *wrong)
    assert {row.pop("paymentMethod"): row for row in office.asks("account", "limits", number)} == shown


def test_payouts_that_are_alike_are_refused_where_the_company_wants_it(office: Office) -> None:
    office.types("company", "add", "Ana")
    assert office.asks("company", "show", "1")["refusesDuplicates"] is False
    for switch, refuses in (("on", True), ("on", True), ("off", False)):
        assert office.asks("company", "refuse-duplicates", "1", switch)["refusesDuplicates"] is refuses
        assert office.asks("company", "show", "1")["refusesDuplicates"] is refuses
    assert "no company" in office.declined("company", "refuse-duplicates", "9", "on")


def test_a_company_says_how_many_sign_its_plans(office: Office) -> None:
    office.asks("company", "add", "Ana")
    assert office.asks("company", "show", "1")["planApprovals"] == 1
    for needed in (0, 20):
        assert office.asks("company", "approvals", "1", str(needed))["planApprovals"] == needed
        assert office.asks("company", "show", "1")["planApprovals"] == needed
    assert "no company" in office.declined("company", "approvals", "9", "1")


def test_a_company_says_which_partner_its_orders_go_to(office: Office) -> None:
    office.asks("company", "add", "Ana")
    assert office.asks("company", "show", "1")["routes"] == []
    route = ("company", "route", "1", "BINANCE_PAY")
    for words, shown in (
        (("--partner", "CRYPTO2"), ["BINANCE_PAY:CRYPTO2"]),
        (("--partner", "CRYPTO2", "--fallback", "CRYPTO"), ["BINANCE_PAY:CRYPTO2,CRYPTO"]),
        (("--usual",), []),
    ):
        assert office.asks(*route, *words)["method"] == "BINANCE_PAY"
        assert office.asks("company", "show", "1")["routes"] == shown
    assert "CRYPTO, CRYPTO2" in office.declined(*route, "--partner", "BOLETO")
    assert "no method" in office.declined("company", "route", "1", "PIX", "--partner", "PIX")
    assert "no company" in office.declined("company", "route", "9", "BINANCE_PAY", "--usual")


def test_a_holder_is_looked_at_whole(office: Office) -> None:
    office.types("company", "add", "Ana")
    wrong = (
        "--holder-type", "individual", "--name", " ", "--document", "111.444.777-36", "--email", "ana", "--phone",
        "11 9",
    )  # fmt: skip
    sentence = office.declined("account", "open", "1", *wrong)
    assert [word for word in ("name", "CPF with right check digits", "e-mail", "telephone") if word not in sentence] == []
    assert office.asks("account", "list", "1") == []


def test_a_client_from_its_first_day_to_its_last(office: Office) -> None:
    office.types("company", "add", "Ana")
    made = office.asks("client", "add", "1", "shop", "--network", "203.0.113.7", "--requests-per-minute", "600")
    client, secret = made["clientId"], made["clientSecret"]
    assert client.startswith("lc_00001")
    assert secret.startswith("lsk_")

    def shown() -> Any:
        return office.asks("client", "show", client)

    assert (shown()["state"], shown()["permissions"][0], len(shown()["permissions"])) == (
        "by its secret",
        "subscriptions:read",
        14,
    )
    assert (shown()["networks"], shown()["requestsPerMinute"]) == (["203.0.113.7/32"], 600)
    office.types("client", "permit", client, "orders:write", "orders:read")
    office.types("client", "networks", client, "10.0.0.0/8", "2001:db8::/32")
    office.types("client", "limit", client, "--default")
    assert shown()["permissions"] == ["orders:read", "orders:write"]
    assert (shown()["networks"], shown()["requestsPerMinute"]) == (["10.0.0.0/8", "2001:db8::/32"], None)
    office.types("client", "networks", client, "--anywhere")
    office.types("client", "limit", client, "5")
    assert (shown()["networks"], shown()["requestsPerMinute"]) == (["anywhere"], 5)
    assert shown()["olderSecretUntil"] is None
    fresh = office.asks("client", "rotate-secret", client, "--overlap", "1")["clientSecret"]
    assert fresh not in ("", secret)
    assert shown()["olderSecretUntil"] is not None
    valid_after = shown()["tokensValidAfter"]
    office.types("client", "revoke-tokens", client)
    assert shown()["tokensValidAfter"] > valid_after
    office.types("client", "revoke", client)
    assert shown()["state"] == "revoked"
    assert "revoked" in office.declined("client", "rotate-secret", client)
    everything = office.types("client", "list", "1") + office.types("client", "show", client)
    assert not [s for s in (secret, fresh) if s in everything]


def test_whom_the_outside_issuer_knows(office: Office) -> None:
    company_id = office.asks("company", "add", "Ana")["id"]
    made = office.asks("client", "trust", "1", "auth0|5f7c", "Shop", "--permission", "orders:read")
    assert made == {"clientId": "outside:auth0|5f7c", "companyId": company_id}
    assert "--company" in office.declined("client", "show", "outside:auth0|5f7c")
    shown = office.asks("client", "show", "outside:auth0|5f7c", "--company", "1")
    assert (shown["state"], shown["permissions"]) == ("by the outside issuer", ["orders:read"])
    assert "no secret" in office.declined("client", "rotate-secret", "outside:auth0|5f7c", "--company", company_id)
    office.types("client", "revoke", "outside:auth0|5f7c", "--company", "1")
    assert "has such a client already" in office.declined("client", "trust", "1", "auth0|5f7c", "Shop")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("company", "show", "7"), "There is no company '7'"),
        (("company", "show", "ana"), "There is no company 'ana'"),
        (("company", "show", "9" * 40), "There is no company"),
        (("company", "show", "01a1fbcf-296c-70f9-8ca2-a1087e5736af"), "There is no company"),
        (("company", "show", "\u0661"), "There is no company"),
        (("company", "add", ""), "name must have 1 to 140 characters"),
        (("company", "add", "a\x1b[2J"), "not allowed here"),
        (("client", "add", "7", "x"), "There is no company '7'"),
        (("client", "add", "1", "x", "--permission", "everything"), "has no everything"),
        (("client", "add", "1", "x", "--network", "home"), "not 'home'"),
        (("client", "add", "1", "x", "--requests-per-minute", "0"), "requestsPerMinute must be from 1"),
        (("client", "show", "shop"), "no client id of ours"),
        (("client", "show", "lc_0000100000000000000000"), "Company 1 has no client"),
        (("client", "show", "lc_0000700000000000000000"), "There is no company '7'"),
        (("client", "revoke", "lc_0000100000000000000000"), "Company 1 has no client"),
        (("client", "trust", "1", "a b", "x"), "subject must be"),
        (("account", "show", "12345678-9"), "There is no account"),
        (("account", "show", "x"), "There is no account"),
        (("account", "add-key", "x"), "There is no account"),
        (("account", "list", "x"), "There is no company"),
    ],
)
def test_a_no_is_a_sentence(office: Office, words: tuple[str, ...], said: str) -> None:
    office.types("company", "add", "Ana")
    assert said in office.declined(*words)


@pytest.mark.parametrize(
    "words",
    [
        ("company",), ("company", "close"), ("company", "add"), ("company", "list", "--yaml"), ("client", "permit", "lc_1"),
        ("client", "networks", "lc_1"), ("client", "networks", "lc_1", "10.0.0.0/8", "--anywhere"), ("client", "limit", "lc_1"),
        ("client", "limit", "lc_1", "many"), ("client", "limit", "lc_1", "5", "--default"),
        ("client", "rotate-secret", "lc_1", "--overlap", "-1"), ("client", "rotate-secret", "lc_1", "--overlap", "99999"),
        ("account", "open", "1"), ("account", "open", "1", *HOLDER, "--holder-type", "dog"), ("keys", "rotate"),
        ("keys", "rotate", "fingerprint"),
    ],
)  # fmt: skip
def test_what_is_no_command_ends_with_two(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    def never() -> Settings:
        raise AssertionError("nothing is read for what is no command")

    with pytest.raises(SystemExit) as ended:
        perform(words, never, print)
    assert ended.value.code == 2
    assert f"usage: lastro {words[0]}" in capsys.readouterr().err


def test_text_stands_in_columns_and_does_not_speak_to_the_terminal(office: Office, own_database: Any) -> None:
    assert office.types("company", "list") == "none"
    office.types("company", "add", "Ana")

    async def rename() -> None:
        admin = await own_database.connect()
        company_id = await admin.fetchval("SELECT company_id FROM company_numbers WHERE number = 1")
        await admin.close()
        connection = await own_database.connect_to(company_id)
        await connection.execute("UPDATE companies SET name = $1", "Ana\x1b[2J\nB")
        await connection.close()

    asyncio.run(rename())
    head, institution, ana = office.types("company", "list").splitlines()
    told = (
        "number", "id", "name", "default account id", "customerless partner", "refuses duplicates", "review above",
        "plan approvals", "fee payer", "takes unauthenticated cards", "routes", "created at",
    )  # fmt: skip
    assert head.split() == " ".join(told).split()
    assert len({line.index(word) for line, word in ((head, "name"), (institution, "LASTRO"), (ana, "Ana"))}) == 1
    assert "Ana\ufffd[2J\ufffdB" in ana
    names = [line.split("  ")[0] for line in office.types("company", "show", "1").splitlines()]
    assert names[:3] == ["number", "id", "name"]


def test_a_database_that_is_not_ready_is_named(empty_database: Any, own_database: Any, tmp_path: Path) -> None:
    assert "run lastro migrate" in Office(read(environment(empty_database, tmp_path))).declined("company", "list")
    away = environment(own_database, tmp_path) | {"LASTRO_APP_DATABASE_URL": "postgresql://lastro_app@127.0.0.1:9/x"}
    assert "cannot be reached" in Office(read(away)).declined("company", "list")
    with pytest.raises(StartRefused, match="LASTRO_DATABASE_URL is not set"):
        Office(read({"LASTRO_HOME": str(tmp_path)})).types("company", "list")


def production(database: Any, home: Path) -> dict[str, str]:
    return environment(database, home) | {
        "LASTRO_MODE": "production", "LASTRO_ISPB": "12345678", "LASTRO_COMPE": "", "LASTRO_INSTITUTION_NAME": "Banco da Ana",
        "LASTRO_BRANCH": "1", "LASTRO_PUBLIC_URL": "https://pix.ana.com.br", "LASTRO_NETWORK_URL": "https://icom.example",
        "LASTRO_NETWORK_TOKEN": "secret",
    }  # fmt: skip


def test_production_is_founded_from_nothing(empty_database: Any, own_database: Any, tmp_path: Path) -> None:
    if empty_database.is_external:
        pytest.skip("production refuses a login above row-level security, and that server gives the tests no other")
    asyncio.run(migrate(empty_database.admin.url, mode="production"))
    office = Office(read(production(empty_database, tmp_path)))
    office.types("company", "add", "Ana")
    office.types("account", "open", "1", *HOLDER)
    assert office.asks("client", "add", "1", "shop")["clientId"].startswith("lc_00001")
    assert office.asks("company", "list")[0]["name"] == "Banco da Ana"
    assert office.asks("account", "list", "1")[0]["branch"] == "1"
    other = Office(read(production(own_database, tmp_path)))
    assert "This database is for sandbox" in other.declined("company", "list")
    mighty = production(empty_database, tmp_path) | {"LASTRO_APP_DATABASE_URL": empty_database.admin.url}
    assert "superuser" in Office(read(mighty)).declined("company", "list")


@pytest.fixture
def lastro(own_database: Any, tmp_path: Path) -> Callable[..., forked.Said]:
    """The command itself, which finds the running sandbox by its home."""
    told = environment(own_database, tmp_path)
    login = "switch" if own_database.is_external else "role"
    (tmp_path / "database.json").write_text(json.dumps({"url": told["LASTRO_DATABASE_URL"], "login": login}))
    clean = {name: value for name, value in os.environ.items() if not name.startswith("LASTRO_")}

    def run(*words: str) -> forked.Said:
        return forked.run(("-m", "lastro.cli.main", *words), env=clean | {"LASTRO_HOME": str(tmp_path)})

    return run


def test_the_command_finds_the_running_sandbox(lastro: Callable[..., forked.Said], tmp_path: Path) -> None:
    made = lastro("company", "add", "Ana", "--json")
    assert (made.returncode, made.stderr) == (0, "")
    assert UUID(json.loads(made.stdout)["id"])
    declined = lastro("company", "show", "7")
    assert (declined.returncode, declined.stdout, declined.stderr.count("\n")) == (1, "", 1)
    usage = lastro("company", "show")
    assert (usage.returncode, usage.stdout) == (2, "")
    (tmp_path / "database.json").unlink()
    nothing = lastro("company", "list")
    assert (nothing.returncode, "No running sandbox was found" in nothing.stderr) == (1, True)
