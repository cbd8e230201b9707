"""The file of connections: what it says, and each mistake of it by its connection and key, all at once."""

import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.authority import Authority

from lastro.config.settings import read as read_settings
from lastro.core.declined import StartRefused
from lastro.rails import port
from lastro.rails.api_pix import DIALECTS, Connection, read
from lastro.rails.api_pix.banks_file import KEYS, NAME
from lastro.standards.account_numbers import with_check_digit

ACCOUNT = with_check_digit("00000123")
GOOD = {
    "company": "12",
    "dialect": '"efi"',
    "client_id": '"Client_Id_1"',
    "client_secret_file": '"secret"',
    "certificate_file": '"ours.p12"',
    "keys": f'{{ "loja@exemplo.com.br" = "{ACCOUNT[:8]}-{ACCOUNT[8]}" }}',
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files that a connection may name, good ones and bad ones."""
    made = tmp_path_factory.mktemp("banks")
    authority = Authority(made)
    authority.bundle("ours")
    authority.bundle("sealed", b"open sesame")
    authority.pair("pair")
    authority.pair("over", days=(-30.0, -1.0))
    authority.pair("early", days=(1.0, 30.0))
    for name in ("one", "two"):
        authority.halves(name)
    authority.halves("locked", password=b"open sesame")
    for name, text in {
        "secret": "very-secret\n", "password": "open sesame\n", "lines": "a\nb\n", "blank": "\n", "short": "abc",
        "path": "a" * 32, "open": "very-secret", "rubbish": "very-secret", "key": "app-key-1",
    }.items():  # fmt: skip
        (made / name).write_text(text)
        (made / name).chmod(0o604 if name == "open" else 0o600)
    (made / "binary").write_bytes(b"\xff\xfe\x00")
    (made / "binary").chmod(0o600)
    (made / "open.pem").write_bytes((made / "pair.pem").read_bytes())
    (made / "open.pem").chmod(0o644)
    return made


def toml(name: str = "efi1", /, **changes: str | None) -> str:
    rows = {key: value for key, value in {**GOOD, **changes}.items() if value is not None}
    return f"[{name}]\n" + "".join(f"{key} = {value}\n" for key, value in rows.items())


def problems(folder: Path, text: str, *, is_sandbox: bool = False) -> list[str]:
    found, told = read(text, folder, is_sandbox=is_sandbox)
    assert not (found and told)
    for one in told:
        assert one.endswith(".")
        assert "very-secret" not in one
        assert "open sesame" not in one
    return list(told)


def good(folder: Path, text: str, *, is_sandbox: bool = False) -> Connection:
    found, told = read(text, folder, is_sandbox=is_sandbox)
    assert told == ()
    [connection] = found
    return connection


def test_what_is_not_said_is_the_dialects(folder: Path) -> None:
    made = good(folder, toml())
    assert (made.name, made.company, made.dialect) == ("efi1", 12, DIALECTS["efi"])
    assert made.base_url == "https://pix.api.efipay.com.br/v2"
    assert made.token_url == "https://pix.api.efipay.com.br/oauth/token"
    assert made.keys == {"loja@exemplo.com.br": ACCOUNT}
    assert (made.poll_seconds, made.window_days, made.is_issuing, made.is_traced) == (20, 5, True, False)
    assert not made.is_removing_orphans, "another lastro may use the same account"
    assert (made.webhook, made.webhook_url, made.peers) == (None, None, frozenset())
    assert made.capabilities == {"cob", "refund"}
    assert made.client_secret is not None
    assert made.client_secret.reveal() == "very-secret"
    assert "very-secret" not in repr(made)
    assert made.certificate is not None
    assert made.certificate.file == folder / "ours.p12"


def test_everything_that_may_be_said(folder: Path) -> None:
    hexes = "AB:" * 31 + "CD"
    text = toml(
        base_url='"https://pix.bank.example/v2/"', token_url='"https://token.bank.example/"', certificate_file='"one.crt"',
        key_file='"one.key"', ca_file='"authority.pem"', scopes='["cob.read", "pix.read"]', webhook='"https://pay.example.com/"',
        secret_file='"path"', peers=f'["{hexes}", "{"x" * 43}"]', poll_seconds="600", window_days="31", issuing="false",
        capabilities='["cob"]', requests_per_minute="60", app_key_file='"key"', bank_account='"12345-6"', traced="true", remove_orphans="true",
        clock='"local"', ispb='"12345678"', bank_branch='"0001"', account_kind='"PAGAMENTO"',
    )  # fmt: skip
    made = good(folder, text)
    assert (made.base_url, made.token_url) == ("https://pix.bank.example/v2", "https://token.bank.example")
    assert made.webhook_url == f"https://pay.example.com/rails/efi1/{'a' * 32}"
    assert made.peers == {"q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq80", "x" * 43}
    assert (made.poll_seconds, made.window_days, made.requests_per_minute) == (600, 31, 60)
    assert made.receiver_account == {"agencia": "0001", "conta": "12345-6", "tipoConta": "PAGAMENTO"}
    assert (made.is_issuing, made.is_traced, made.is_removing_orphans, made.ispb) == (False, True, True, "12345678")
    assert (made.dialect.name, made.dialect.clock, DIALECTS[made.dialect.name].clock) == ("efi", "local", "utc")
    assert made.scopes == ("cob.read", "pix.read")
    assert made.capabilities == {"cob"}
    assert made.app_key is not None
    assert made.app_key.reveal() == "app-key-1"
    said = {line.partition(" = ")[0] for line in text.splitlines()[1:]}
    assert said | {"certificate_password_file"} == KEYS, "a key that is not tried here"


@pytest.mark.parametrize(
    "changes",
    [
        {"certificate_file": '"pair.pem"'},
        {"certificate_file": '"one.crt"', "key_file": '"one.key"'},
        {"certificate_file": '"sealed.p12"', "certificate_password_file": '"password"'},
        {"certificate_file": '"locked.crt"', "key_file": '"locked.key"', "certificate_password_file": '"password"'},
        {"certificate_file": None},
        {"webhook": '""', "ca_file": '""'},
    ],
)
def test_forms_of_a_certificate(folder: Path, changes: dict[str, str | None]) -> None:
    good(folder, toml(**changes))


# What is changed, and how its one sentence begins.
MISTAKES: list[tuple[str, dict[str, str | None], str]] = [
    ("a key nobody knows", {"colour": '"red"'}, "[efi1] colour is no key"),
    ("an unknown dialect", {"dialect": '"itaú"'}, "[efi1] dialect must be one of standard, efi,"),
    ("a dialect that is no text", {"dialect": "3"}, "[efi1] dialect must be one of"),
    ("a dialect that is a list", {"dialect": "[]"}, "[efi1] dialect must be one of"),
    ("no company", {"company": None}, "[efi1] company is not set"),
    ("the institution", {"company": "0"}, "[efi1] company must be a whole number from 1 to"),
    ("a company in words", {"company": '"12"'}, "[efi1] company must be a whole number"),
    ("a company that is true", {"company": "true"}, "[efi1] company must be a whole number"),
    ("no address", {"dialect": '"standard"', "token_url": '"https://b.example/t"'}, "[efi1] base_url is not set"),
    ("http outside the sandbox", {"base_url": '"http://b.example/v2"'}, "[efi1] base_url must begin with https://"),
    ("http for tokens", {"token_url": '"http://b.example/t"'}, "[efi1] token_url must begin with https://"),
    (
        "an address with a user",
        {"base_url": '"https://a:very-secret@b.example"'},
        "[efi1] base_url must be an address without",
    ),
    ("an address with a query", {"base_url": '"https://b.example/?a=1"'}, "[efi1] base_url must be an address without"),
    ("another scheme", {"base_url": '"ftp://b.example"'}, "[efi1] base_url must be an address such as"),
    ("a port that is none", {"base_url": '"https://b.example:99999"'}, "[efi1] base_url must be an address without"),
    ("no client", {"client_id": None}, "[efi1] client_id is not set"),
    ("a client with a blank", {"client_id": '"a b"'}, "[efi1] client_id must be"),
    ("no secret", {"client_secret_file": None}, "[efi1] client_secret_file is not set"),
    ("a secret in the file itself", {"client_secret": '"very-secret"'}, "[efi1] client_secret is no key"),
    (
        "a secret that is not there",
        {"client_secret_file": '"none"'},
        "[efi1] client_secret_file names a file that cannot be",
    ),
    ("a secret that is a folder", {"client_secret_file": '"."'}, "[efi1] client_secret_file names a file that cannot be"),
    ("a secret others may read", {"client_secret_file": '"open"'}, "[efi1] client_secret_file names a file with mode 0604"),
    (
        "a secret of two lines",
        {"client_secret_file": '"lines"'},
        "[efi1] client_secret_file names a file that must hold one",
    ),
    ("an empty secret", {"client_secret_file": '"blank"'}, "[efi1] client_secret_file names a file that must hold one"),
    (
        "a secret that is no text",
        {"client_secret_file": '"binary"'},
        "[efi1] client_secret_file names a file that is no text",
    ),
    ("a path that is no text", {"client_secret_file": "3"}, "[efi1] client_secret_file must be the path"),
    ("no certificate there", {"certificate_file": '"none"'}, "[efi1] certificate_file names a file that cannot be read"),
    ("a certificate that is none", {"certificate_file": '"rubbish"'}, "[efi1] certificate_file names neither PEM nor"),
    (
        "a certificate others may read",
        {"certificate_file": '"open.pem"'},
        "[efi1] certificate_file names a file with mode 0644",
    ),
    ("no key", {"certificate_file": '"one.crt"'}, "[efi1] certificate_file names a file without a key"),
    (
        "another's key",
        {"certificate_file": '"one.crt"', "key_file": '"two.key"'},
        "[efi1] key_file names a key that does not belong",
    ),
    (
        "a key that is none",
        {"certificate_file": '"one.crt"', "key_file": '"rubbish"'},
        "[efi1] key_file names a file without a key",
    ),
    ("a key beside a bundle", {"key_file": '"one.key"'}, "[efi1] key_file has no place beside a PKCS#12 file"),
    ("a key alone", {"certificate_file": None, "key_file": '"one.key"'}, "[efi1] certificate_file is not set, and the key"),
    ("no password of a bundle", {"certificate_file": '"sealed.p12"'}, "[efi1] certificate_file names neither PEM nor"),
    (
        "another password",
        {"certificate_file": '"sealed.p12"', "certificate_password_file": '"secret"'},
        "[efi1] certificate_file names neither PEM nor",
    ),
    (
        "no password of a key",
        {"certificate_file": '"locked.crt"', "key_file": '"locked.key"'},
        "[efi1] certificate_password_file is needed",
    ),
    (
        "a key's other password",
        {"certificate_file": '"locked.crt"', "key_file": '"locked.key"', "certificate_password_file": '"secret"'},
        "[efi1] key_file names a key that cannot be read",
    ),
    (
        "a password for nothing",
        {"certificate_file": '"pair.pem"', "certificate_password_file": '"password"'},
        "[efi1] certificate_password_file has no use",
    ),
    (
        "a password others may read",
        {"certificate_password_file": '"open"'},
        "[efi1] certificate_password_file names a file with mode 0604",
    ),
    ("authorities that are none", {"ca_file": '"secret"'}, "[efi1] ca_file names a file without certificates"),
    ("authorities that are not there", {"ca_file": '"none"'}, "[efi1] ca_file names a file that cannot be read"),
    ("no Pix key", {"keys": "{}"}, "[efi1] keys must say which account"),
    ("keys that are a list", {"keys": '["loja@exemplo.com.br"]'}, "[efi1] keys must say which account"),
    ("a Pix key that is none", {"keys": f'{{ "loja" = "{ACCOUNT}" }}'}, "[efi1] keys has 'loja', which is no Pix key"),
    ("a number without +55", {"keys": f'{{ "11999990000" = "{ACCOUNT}" }}'}, "[efi1] keys has '11999990000'"),
    (
        "an account's wrong digit",
        {"keys": '{ "loja@exemplo.com.br" = "000001230" }'},
        "[efi1] keys of loja@exemplo.com.br must",
    ),
    ("an account that is a number", {"keys": '{ "loja@exemplo.com.br" = 123 }'}, "[efi1] keys of loja@exemplo.com.br must"),
    (
        "a Pix key in two forms",
        {"keys": f'{{ "loja@exemplo.com.br" = "{ACCOUNT}", "LOJA@exemplo.com.br" = "{ACCOUNT}" }}'},
        "[efi1] keys has loja@exemplo.com.br twice",
    ),
    ("an unknown scope", {"scopes": '["cob.read", "gn.all"]'}, "[efi1] scopes has 'gn.all'"),
    ("no scope", {"scopes": "[]"}, "[efi1] scopes must be a list"),
    ("scopes as one text", {"scopes": '"cob.read"'}, "[efi1] scopes must be a list"),
    ("what lastro does not do", {"capabilities": '["payout"]'}, "[efi1] capabilities has 'payout'"),
    (
        "a webhook without https",
        {"webhook": '"http://pay.example"', "secret_file": '"path"'},
        "[efi1] webhook must be an address",
    ),
    ("a webhook without a secret", {"webhook": '"https://pay.example"'}, "[efi1] secret_file is not set"),
    (
        "a secret that is guessed",
        {"webhook": '"https://pay.example"', "secret_file": '"short"'},
        "[efi1] secret_file names a file",
    ),
    ("a thumbprint that is none", {"peers": '["abc"]'}, "[efi1] peers has what is no SHA-256"),
    ("peers that are no list", {"peers": '"abc"'}, "[efi1] peers must be a list"),
    ("polls too often", {"poll_seconds": "4"}, "[efi1] poll_seconds must be a whole number from 5 to 600"),
    ("polls too seldom", {"poll_seconds": "601"}, "[efi1] poll_seconds must be a whole number from 5 to 600"),
    ("polls in halves", {"poll_seconds": "7.5"}, "[efi1] poll_seconds must be a whole number from 5 to 600"),
    ("no window", {"window_days": "0"}, "[efi1] window_days must be a whole number from 1 to 31"),
    ("asks never", {"requests_per_minute": "0"}, "[efi1] requests_per_minute must be"),
    ("another clock", {"clock": '"noon"'}, "[efi1] clock must be one of utc, local-marked-z, local"),
    ("perhaps", {"issuing": '"yes"'}, "[efi1] issuing must be true or false"),
    ("no application's key", {"dialect": '"bb"'}, "[efi1] app_key_file is not set: bb"),
    ("no account at the bank", {"dialect": '"inter"'}, "[efi1] bank_account is not set"),
    ("a secret where there is none", {"dialect": '"sicoob"'}, "[efi1] client_secret_file has no use: sicoob"),
]


@pytest.mark.parametrize(("changes", "sentence"), [row[1:] for row in MISTAKES], ids=[row[0] for row in MISTAKES])
def test_each_mistake_is_named_with_its_key(folder: Path, changes: dict[str, str | None], sentence: str) -> None:
    [told] = problems(folder, toml(**changes))
    assert told.startswith(sentence)


def test_all_mistakes_are_named_at_once(folder: Path) -> None:
    text = toml("first", colour='"red"') + toml(
        "second", dialect='"x"', company="0", keys="{}", poll_seconds="1", client_secret_file='"open"'
    )
    assert [told.split()[:2] for told in problems(folder, text)] == [
        ["[first]", "colour"], ["[second]", "dialect"], ["[second]", "company"], ["[second]", "client_secret_file"],
        ["[second]", "keys"], ["[second]", "poll_seconds"],
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["Efi", "1efi", "e", "efi-1", "a234567890123456x", '"efi 1"'])
def test_a_name_that_is_none(folder: Path, name: str) -> None:
    assert NAME.fullmatch(name) is None
    [told] = problems(folder, toml(name))
    assert "is no name of a connection" in told


@pytest.mark.parametrize("name", sorted(port.RESERVED))
def test_the_name_of_a_rail_is_taken(folder: Path, name: str) -> None:
    assert name in port.RAILS or name in {"own", "book", "med", "claims", "analysis", "messages", "unknown"}
    [told] = problems(folder, toml(name))
    assert "is the name of a rail that lastro has already" in told


def test_a_pix_key_has_one_bank(folder: Path) -> None:
    told = problems(folder, toml("first") + toml("second"))
    assert [one.partition(":")[0] for one in told] == ["[first] keys", "[second] keys"]
    other = f'{{ "outra@exemplo.com.br" = "{ACCOUNT}" }}'
    assert problems(folder, toml("first") + toml("second", keys=other)) == []


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "names no connection."),
        ("[efi1", "is no TOML: "),
        ("[efi1]\ncompany = 1\ncompany = 2", "is no TOML: "),
        ('client_secret = "very-secret"', "[client_secret] must be a table: a connection by its name."),
        ('client_secret = very-secret"', "is no TOML: "),
        ('[very-secret"]', "is no TOML: "),
    ],
)
def test_a_file_that_is_none(folder: Path, text: str, sentence: str) -> None:
    [told] = problems(folder, text)
    assert told.startswith(sentence)


def test_the_sandbox_may_speak_http(folder: Path) -> None:
    plain = {"base_url": '"http://127.0.0.1:8090/v2"', "token_url": '"http://127.0.0.1:8090/t"', "certificate_file": None}
    assert good(folder, toml(**plain), is_sandbox=True).base_url == "http://127.0.0.1:8090/v2"


@pytest.mark.parametrize("file", ["over.pem", "early.pem"])
def test_a_certificate_that_is_not_good_now_refuses_no_start(folder: Path, file: str) -> None:
    """Every other rail would stand still with this one: its line tells the operator."""
    assert good(folder, toml(certificate_file=f'"{file}"')).certificate is not None


@pytest.mark.parametrize(
    ("mode", "is_private"), [(0o600, True), (0o400, True), (0o640, True), (0o644, False), (0o660, False), (0o601, False)]
)
def test_whose_a_secret_is(folder: Path, mode: int, is_private: bool) -> None:
    """A group may read it, as systemd and containers hand it on; nobody may write it but its owner."""
    (folder / "mode").write_text("very-secret")
    (folder / "mode").chmod(mode)
    assert stat.S_IMODE((folder / "mode").stat().st_mode) == mode
    assert (problems(folder, toml(client_secret_file='"mode"')) == []) is is_private


def test_a_start_says_all_that_is_wrong_with_both(folder: Path) -> None:
    (folder / "banks.toml").write_text(
        toml(company="0", dialect='"x"', base_url=GOOD["client_id"], token_url='"https://b.example"')
    )
    with pytest.raises(StartRefused) as told:
        read_settings({"LASTRO_BANKS_FILE": str(folder / "banks.toml"), "LASTRO_PORT": "0"})
    assert [line[:40] for line in str(told.value).splitlines()] == [
        "LASTRO_PORT must be a whole number from ", "LASTRO_BANKS_FILE: [efi1] dialect must b",
        "LASTRO_BANKS_FILE: [efi1] company must b", "LASTRO_BANKS_FILE: [efi1] base_url must ",
    ]  # fmt: skip


def test_settings_have_the_connections(folder: Path) -> None:
    (folder / "good.toml").write_text(toml())
    assert [one.name for one in read_settings({"LASTRO_BANKS_FILE": str(folder / "good.toml")}).connections] == ["efi1"]
    assert read_settings({}).connections == ()


def test_certificates_of_a_bank_need_a_proxy_that_hands_them_on(folder: Path) -> None:
    (folder / "peers.toml").write_text(toml(peers=f'["{"a" * 43}"]'))
    environment = {"LASTRO_BANKS_FILE": str(folder / "peers.toml"), "LASTRO_PROXIES": "127.0.0.1/32"}
    with pytest.raises(StartRefused, match=r"^LASTRO_BANKS_FILE: \[efi1\] peers needs LASTRO_CLIENT_CERTIFICATE_HEADER"):
        read_settings(environment)
    handed_on = read_settings(environment | {"LASTRO_CLIENT_CERTIFICATE_HEADER": "client-cert"})
    assert handed_on.connections[0].peers == {"a" * 43}


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (Path.absolute, "names a file that cannot be read"),
        (Path.mkdir, "names a file that cannot be read"),
        (lambda path: path.write_bytes(b"\xff"), "names a file that is no text"),
        (lambda path: path.write_bytes(b"#" * 1_000_001), "names a file that is too large"),
        (lambda path: path.touch() or path.chmod(0o646), "names a file with mode 0646 that others may write: run chmod "),
    ],
)
def test_a_file_that_cannot_be_taken(tmp_path: Path, made: Callable[[Path], object], says: str) -> None:
    made(tmp_path / "banks.toml")
    with pytest.raises(StartRefused, match=f"^LASTRO_BANKS_FILE {says}"):
        read_settings({"LASTRO_BANKS_FILE": str(tmp_path / "banks.toml")})


def test_a_key_may_stand_where_no_order_is_made_too(folder: Path) -> None:
    old, new = toml("old", issuing="false"), toml("new")
    assert problems(folder, old + new) == problems(folder, new + old) == []
    assert problems(folder, old + toml("older", issuing="false")) == []
    assert problems(folder, new + toml("old", capabilities='["refund"]')) == []


def test_a_connection_that_makes_no_orders_needs_no_key(folder: Path) -> None:
    for changes in ({"issuing": "false"}, {"capabilities": '["refund"]'}):
        for keys in ("{}", None):
            made = good(folder, toml(keys=keys, **changes))
            assert (made.keys, made.makes_orders) == ({}, False)
    assert good(folder, toml()).makes_orders
