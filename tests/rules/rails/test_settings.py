"""What the environment may ask for."""

from pathlib import Path

import pytest
from tests.in_one import in_one_test

from lastro.app.networks import methods_of, place_of, quotes_of, statement_rails
from lastro.config.partners import Partner
from lastro.config.settings import Outside, read
from lastro.core.crash import CrashAt
from lastro.core.db import Dsn
from lastro.core.declined import StartRefused
from lastro.core.secrets import Secret

PRODUCTION = {
    "LASTRO_MODE": "production", "LASTRO_ISPB": "12345678", "LASTRO_COMPE": "", "LASTRO_INSTITUTION_NAME": "Banco da Ana",
    "LASTRO_BRANCH": "1", "LASTRO_KEYS_FILE": "/etc/lastro/keys", "LASTRO_PUBLIC_URL": "https://pix.ana.com.br/",
    "LASTRO_NETWORK_URL": "https://icom.example", "LASTRO_NETWORK_TOKEN": "secret", "LASTRO_DATABASE_URL": "postgresql:///x",
}  # fmt: skip


def refused(**changes: str) -> list[str]:
    with pytest.raises(StartRefused) as refusal:
        read(PRODUCTION | changes)
    return str(refusal.value).splitlines()


def test_the_sandbox_needs_nothing() -> None:
    made = read({})
    assert (made.mode, made.port, made.sim_port, made.ispb, made.compe) == ("sandbox", 8080, 8090, "99999010", "990")
    assert (made.public_url, made.network_url) == ("http://127.0.0.1:8080", "http://127.0.0.1:8090")
    assert made.worker_name == "worker"
    assert made.keys_file.is_relative_to(made.home)
    assert made.home.is_absolute()
    with pytest.raises(StartRefused, match="LASTRO_DATABASE_URL is not set"):
        _ = made.app


def test_ports_move_the_addresses() -> None:
    made = read({"LASTRO_PORT": "9000", "LASTRO_SIM_PORT": "9001"})
    assert (made.public_url, made.network_url) == ("http://127.0.0.1:9000", "http://127.0.0.1:9001")


def test_production_as_it_should_be() -> None:
    made = read(PRODUCTION)
    assert (made.ispb, made.compe, made.public_url, made.worker_name) == ("12345678", None, "https://pix.ana.com.br", None)
    assert made.network_token.reveal() == "secret"
    assert "secret" not in repr(made)
    assert made.app == Dsn("postgresql://lastro_app@/x"), "each role logs in itself"


@pytest.mark.parametrize("name", sorted(set(PRODUCTION) - {"LASTRO_MODE", "LASTRO_COMPE"}))
def test_production_without(name: str) -> None:
    (sentence,) = refused(**{name: ""})
    assert sentence.startswith(name)
    assert sentence.endswith(".")


def test_production_says_all_that_is_missing() -> None:
    with pytest.raises(StartRefused) as refusal:
        read({"LASTRO_MODE": "production"})
    assert len(str(refusal.value).splitlines()) == len(PRODUCTION) - 2, "the network's token is told with its address"


BANK_TABLE = """
[mybank]
company = 2
base_url = "https://pix.example.com/v2"
token_url = "https://pix.example.com/oauth/token"
client_id = "client"
client_secret_file = "secret"
keys = { "loja@example.com" = "000000035" }
"""


@pytest.mark.parametrize(
    ("url", "token", "table", "begins"),
    [
        ("https://icom.example", "word", None, None),
        ("https://icom.example", "word", BANK_TABLE, None),
        ("", "", BANK_TABLE, None),
        ("", "", None, "LASTRO_NETWORK_URL is not set: outside the sandbox lastro needs an institution's network"),
        ("", "word", None, "LASTRO_NETWORK_URL is not set: outside the sandbox lastro needs an institution's network"),
        ("", "word", BANK_TABLE, "LASTRO_NETWORK_URL is not set, and LASTRO_NETWORK_TOKEN_FILE is"),
        ("https://icom.example", "", BANK_TABLE, "LASTRO_NETWORK_TOKEN_FILE is not set"),
        ("", "", "", "LASTRO_BANKS_FILE: names no connection"),
        ("", "", "[mybank", "LASTRO_BANKS_FILE"),
    ],
)
def test_production_has_a_network_or_banks(
    tmp_path: Path, url: str, token: str, table: str | None, begins: str | None
) -> None:
    given = PRODUCTION | {"LASTRO_NETWORK_URL": url, "LASTRO_NETWORK_TOKEN": token}
    if table is not None:
        for name, text in (("banks.toml", table), ("secret", "word")):
            (tmp_path / name).touch(mode=0o600)
            (tmp_path / name).write_text(text)
        given["LASTRO_BANKS_FILE"] = str(tmp_path / "banks.toml")
    if begins is None:
        assert read(given).has_network is bool(url)
        return
    with pytest.raises(StartRefused) as refusal:
        read(given)
    (sentence,) = str(refusal.value).splitlines()
    assert sentence.startswith(begins)


def test_the_refusal_says_both_ways() -> None:
    (sentence,) = refused(LASTRO_NETWORK_URL="", LASTRO_NETWORK_TOKEN="")
    for name in ("LASTRO_NETWORK_URL", "LASTRO_NETWORK_TOKEN_FILE", "LASTRO_BANKS_FILE"):
        assert name in sentence


def test_a_lastro_with_banks_alone_asks_no_institutions_network(tmp_path: Path) -> None:
    for name, text in (("banks.toml", BANK_TABLE), ("secret", "word")):
        (tmp_path / name).touch(mode=0o600)
        (tmp_path / name).write_text(text)
    file = str(tmp_path / "banks.toml")
    alone = read(PRODUCTION | {"LASTRO_NETWORK_URL": "", "LASTRO_NETWORK_TOKEN": "", "LASTRO_BANKS_FILE": file})
    both = read(PRODUCTION | {"LASTRO_BANKS_FILE": file})
    assert statement_rails(alone) == ("mybank",)
    assert statement_rails(both) == ("pix", "ted", "mybank")
    assert place_of(alone).without_refunds == {"pix", "ted", "book", "med", "claims"}
    assert (place_of(alone).has_network, place_of(both).has_network) == (False, True)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("LASTRO_MODE", "test"), ("LASTRO_PORT", "0"), ("LASTRO_PORT", "eighty"), ("LASTRO_SIM_PORT", "8080"),
        ("LASTRO_ISPB", "1234567"), ("LASTRO_COMPE", "9a0"), ("LASTRO_BRANCH", "00010"), ("LASTRO_PUBLIC_URL", "http://ana.com"),
        ("LASTRO_PUBLIC_URL", "ftp://ana.com"), ("LASTRO_PUBLIC_URL", "https://" + "a" * 45), ("LASTRO_NETWORK_URL", "https://"),
        ("LASTRO_NETWORK_TOKEN_FILE", "/nowhere/token"), ("LASTRO_CRASH_AT", "commit.sent:1"), ("LASTRO_DATABASE_LOGIN", "me"),
        ("LASTRO_INSTITUTION_NAME", "a" * 141),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_in_a_sentence(name: str, value: str) -> None:
    assert [s for s in refused(**{name: value}) if name in s]


def test_the_longest_location_fits_a_qr_code() -> None:
    longest = "https://" + "a" * 44
    assert len((read(PRODUCTION | {"LASTRO_PUBLIC_URL": longest}).public_url + "/qr/v2/rec/" + "x" * 22)[8:]) == 77


def test_a_token_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("from a file\n")
    assert read({"LASTRO_NETWORK_TOKEN_FILE": str(file)}).network_token.reveal() == "from a file"


def test_each_role_may_log_in_itself() -> None:
    made = read(
        {"LASTRO_DATABASE_URL": "postgresql://me:word@host:5/db?host=/tmp/x&user=you", "LASTRO_DATABASE_LOGIN": "role"}
    )
    assert made.work == Dsn("postgresql://lastro_work@host:5/db?host=/tmp/x")
    named = read({"LASTRO_DATABASE_URL": "postgresql:///a", "LASTRO_WORK_DATABASE_URL": "postgresql:///b"})
    assert (named.app, named.work) == (Dsn("postgresql:///a", "lastro_app"), Dsn("postgresql:///b"))


def test_switching_logins_is_for_the_sandbox_unless_somebody_says_so() -> None:
    own = {"LASTRO_DATABASE_URL": "postgresql://db/lastro"}
    assert read(own).app == Dsn("postgresql://db/lastro", "lastro_app")
    made = read(PRODUCTION | own)
    assert (made.app, made.work, made.audit) == tuple(
        Dsn(f"postgresql://lastro_{role}@db/lastro") for role in ("app", "work", "audit")
    )
    assert read(PRODUCTION | own | {"LASTRO_DATABASE_LOGIN": "switch"}).audit == Dsn(
        "postgresql://db/lastro", "lastro_audit"
    )
    named = read(PRODUCTION | own | {"LASTRO_AUDIT_DATABASE_URL": "postgresql://reads@db2/lastro"})
    assert named.audit == Dsn("postgresql://reads@db2/lastro")


@in_one_test("name", ["DATABASE_URL", "APP_DATABASE_URL", "WORK_DATABASE_URL", "AUDIT_DATABASE_URL"])
@in_one_test(
    "given",
    ["postgresql://me:hush/hush@db/lastro", "postgresql://me:hush#@db/lastro", "postgresql://me:hush%@db/lastro",
     "postgresql://me:[hush@db/lastro", "postgresql://me:12/hush@db/lastro", "postgresql://me:hush%00@db/lastro",
     "postgresql://me:hush?@db/lastro", "host=db password=hush", "mysql://me:hush@db/lastro", "postgresql://me:hush@db:x/lastro"],
)  # fmt: skip
def test_an_address_that_cannot_be_read_is_told_without_it(name: str, given: str) -> None:
    (sentence,) = refused(**{f"LASTRO_{name}": given})
    assert sentence.startswith(f"LASTRO_{name} ")
    assert "hush" not in sentence


@pytest.mark.parametrize("name", ["PUBLIC_URL", "NETWORK_URL", "OXXO_URL", "SMS_URL"])
@pytest.mark.parametrize("user", ["me:hush@", "hush@", ":hush@"])
def test_an_address_with_a_user_is_refused_without_repeating_it(name: str, user: str) -> None:
    told = [line for line in refused(**{f"LASTRO_{name}": f"https://{user}pay.example.com"}) if name in line]
    assert told == [f"LASTRO_{name} must be an address without user and password."]


def test_the_keys_of_an_outside_issuer_are_at_an_address_without_a_user() -> None:
    given = {"LASTRO_OUTSIDE_ISSUER": "https://id.example", "LASTRO_OUTSIDE_JWKS_URL": "https://:hush@id.example/keys"}
    (sentence,) = refused(**given)
    assert "hush" not in sentence


@pytest.mark.parametrize(
    ("text", "crash"), [("commit.sent:3", CrashAt("commit.sent", 3)), ("inbox.stored", CrashAt("inbox.stored", 1))]
)
def test_crash_points(text: str, crash: CrashAt) -> None:
    assert read({"LASTRO_CRASH_AT": text}).crash_at == crash
    with pytest.raises(StartRefused):
        read({"LASTRO_CRASH_AT": "nowhere:1"})


OUTSIDE = {"LASTRO_OUTSIDE_ISSUER": "https://login.ana.com/", "LASTRO_OUTSIDE_JWKS_URL": "https://login.ana.com/keys?p=x"}


def test_an_outside_issuer_is_trusted_to_the_letter() -> None:
    assert read({}).outside is None
    made = read(PRODUCTION | OUTSIDE).outside
    assert made == Outside("https://login.ana.com/", "https://login.ana.com/keys?p=x", "company", None)
    more = {"LASTRO_OUTSIDE_COMPANY_CLAIM": "tenant", "LASTRO_OUTSIDE_AUDIENCE": "api://x"}
    made = read(PRODUCTION | OUTSIDE | more).outside
    assert made is not None
    assert (made.company_claim, made.audience) == ("tenant", "api://x")
    local = read(OUTSIDE | {"LASTRO_OUTSIDE_JWKS_URL": "http://127.0.0.1:9/keys"}).outside
    assert local is not None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("LASTRO_OUTSIDE_ISSUER", ""), ("LASTRO_OUTSIDE_JWKS_URL", ""), ("LASTRO_OUTSIDE_JWKS_URL", "http://login.ana.com/keys"),
        ("LASTRO_OUTSIDE_JWKS_URL", "https://"), ("LASTRO_OUTSIDE_JWKS_URL", "https://a:b@login.ana.com/keys"),
        ("LASTRO_OUTSIDE_JWKS_URL", "file:///etc/passwd"), ("LASTRO_OUTSIDE_JWKS_URL", "https://[login"),
        ("LASTRO_OUTSIDE_ISSUER", "https://pix.ana.com.br"), ("LASTRO_TOKEN_KEY_DAYS", "0"), ("LASTRO_TOKEN_KEY_DAYS", "never"),
    ],
)  # fmt: skip
def test_a_trust_that_makes_no_sense_is_refused(name: str, value: str) -> None:
    assert [s for s in refused(**(OUTSIDE | {name: value})) if name in s]


def test_bodies_of_events_are_kept_for_ever_unless_a_time_is_given() -> None:
    assert read({}).feed_days is None
    assert read({"LASTRO_FEED_RETENTION_DAYS": "365"}).feed_days == 365
    for value in ("0", "-1", "1.5", "a year", "9999999999"):
        assert [s for s in refused(LASTRO_FEED_RETENTION_DAYS=value) if "LASTRO_FEED_RETENTION_DAYS" in s]


BANK = {"LASTRO_BOLETO_URL": "https://bank.example/", "LASTRO_BOLETO_TOKEN": "word", "LASTRO_COMPE": "990"}


def test_the_bank_that_collects_slips() -> None:
    assert read({"LASTRO_NETWORK_TOKEN": "t"}).partners["boleto"] == Partner("http://127.0.0.1:8090", Secret("t"))
    elsewhere = read({"LASTRO_NETWORK_TOKEN": "t", "LASTRO_BOLETO_URL": "http://127.0.0.1:1"}).partners["boleto"]
    assert elsewhere == Partner("http://127.0.0.1:1", Secret("t"))
    assert read(PRODUCTION).partners == {}, "slips are not taken where no bank is named"
    assert read(PRODUCTION | BANK).partners == {"boleto": Partner("https://bank.example", Secret("word"))}
    assert methods_of(read(PRODUCTION)) == {"PIX"}
    assert methods_of(read(PRODUCTION | BANK)) == {"PIX", "BOLETO"}
    assert methods_of(read({})) >= {"PIX", "BOLETO"}
    assert "word" not in repr(read(PRODUCTION | BANK))


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"LASTRO_BOLETO_TOKEN": ""}, "LASTRO_BOLETO_TOKEN_FILE"), ({"LASTRO_COMPE": ""}, "LASTRO_COMPE"),
        ({"LASTRO_BOLETO_URL": "http://bank.example"}, "LASTRO_BOLETO_URL"), ({"LASTRO_BOLETO_URL": "bank"}, "LASTRO_BOLETO_URL"),
        ({"LASTRO_BOLETO_TOKEN_FILE": "/nowhere/token"}, "LASTRO_BOLETO_TOKEN_FILE"),
    ],
)  # fmt: skip
def test_a_collecting_bank_that_makes_no_sense(changes: dict[str, str], name: str) -> None:
    (sentence,) = refused(**(BANK | changes))
    assert name in sentence


COINS = {"LASTRO_CRYPTO_URL": "https://coins.example", "LASTRO_CRYPTO_TOKEN": "word", "LASTRO_CRYPTO_BRANDS": "ACME, BTC"}


def test_the_brands_of_crypto() -> None:
    assert read(PRODUCTION | COINS).crypto_brands == ("ACME", "BTC")
    assert methods_of(read(PRODUCTION | COINS)) == {"PIX", "ACME_PAY", "BTC_PAY"}
    assert methods_of(read({})) >= {"BINANCE_PAY", "BITSO_PAY"}
    assert (read(PRODUCTION).crypto_brands, quotes_of(read(PRODUCTION))) == ((), {})
    second = {
        name.replace("CRYPTO_URL", "CRYPTO2_URL").replace("CRYPTO_TOKEN", "CRYPTO2_TOKEN"): v for name, v in COINS.items()
    }
    assert methods_of(read(PRODUCTION | second)) == {"PIX", "ACME_PAY", "BTC_PAY"}
    assert set(quotes_of(read(PRODUCTION | second))) == {"crypto2"}
    assert read({"LASTRO_NETWORK_URL": "http://127.0.0.1:1"}).partners["crypto2"].url == "http://127.0.0.1:1"


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"LASTRO_CRYPTO_BRANDS": ""}, "LASTRO_CRYPTO_BRANDS"), ({"LASTRO_CRYPTO_BRANDS": "acme"}, "LASTRO_CRYPTO_BRANDS"),
        ({"LASTRO_CRYPTO_BRANDS": "A"}, "LASTRO_CRYPTO_BRANDS"), ({"LASTRO_CRYPTO_BRANDS": "A" * 17}, "LASTRO_CRYPTO_BRANDS"),
        ({"LASTRO_CRYPTO_URL": ""}, "LASTRO_CRYPTO_URL"),
    ],
)  # fmt: skip
def test_brands_that_make_no_sense(changes: dict[str, str], name: str) -> None:
    (sentence,) = refused(**(COINS | changes))
    assert name in sentence


ACCOUNTS = {
    "LASTRO_SPEI_URL": "https://spei.example", "LASTRO_SPEI_TOKEN": "word", "LASTRO_CLABE_PREFIX": "646180",
    "LASTRO_DEPOSIT_URL": "https://deposits.example", "LASTRO_DEPOSIT_TOKEN": "word",
    "LASTRO_DEPOSIT_BANKS": "one:001:00000000:0001:Banco do Brasil S.A.; two:341:60701190:1234:Itaú",
}  # fmt: skip


def test_where_orders_have_account_numbers() -> None:
    found = read(PRODUCTION | ACCOUNTS).transfers
    assert found.clabe_prefix == "646180"
    assert found.banks == (
        ("one", "001", "00000000", "0001", "Banco do Brasil S.A."), ("two", "341", "60701190", "1234", "Itaú"),
    )  # fmt: skip
    assert methods_of(read(PRODUCTION | ACCOUNTS)) == {"PIX", "SPEI", "DEPOSIT"}
    assert read(PRODUCTION).transfers == ("", ())
    sandbox = read({}).transfers
    assert (sandbox.clabe_prefix, [bank[0] for bank in sandbox.banks]) == ("990180", ["banco-pagador", "banco-de-fora"])


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"LASTRO_CLABE_PREFIX": ""}, "LASTRO_CLABE_PREFIX"), ({"LASTRO_CLABE_PREFIX": "64618"}, "LASTRO_CLABE_PREFIX"),
        ({"LASTRO_DEPOSIT_BANKS": ""}, "LASTRO_DEPOSIT_BANKS"), ({"LASTRO_DEPOSIT_BANKS": "one"}, "LASTRO_DEPOSIT_BANKS"),
        ({"LASTRO_DEPOSIT_BANKS": "a:001:00000000:0001:A;a:341:60701190:1234:B"}, "LASTRO_DEPOSIT_BANKS"),
    ],
)  # fmt: skip
def test_account_numbers_that_make_no_sense(changes: dict[str, str], name: str) -> None:
    (sentence,) = refused(**(ACCOUNTS | changes))
    assert name in sentence
