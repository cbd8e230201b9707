"""One table makes the parser, `lastro settings` and the pages of the guide."""

from collections.abc import Iterator, Mapping

import pytest
from tests.in_one import in_one_test

from lastro.cli import main
from lastro.config import table
from lastro.config.given import Given
from lastro.config.messaging import messaging
from lastro.config.settings import read
from lastro.core.declined import StartRefused
from lastro.med import FRAUDS, VERDICTS


class Noted(Mapping[str, str]):
    """An environment that notes what it is asked for."""

    def __init__(self, given: dict[str, str]) -> None:
        self.given, self.asked = given, set[str]()

    def __getitem__(self, name: str) -> str:
        self.asked.add(name)
        return self.given[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.given)

    def __len__(self) -> int:
        return len(self.given)


def test_every_setting_of_the_table_is_read_and_no_other() -> None:
    environment = Noted({"LASTRO_OUTSIDE_ISSUER": "https://a", "LASTRO_OUTSIDE_JWKS_URL": "https://a/keys"})
    read(environment)
    mail = Noted({"LASTRO_SMTP_HOST": "mail", "LASTRO_SMTP_USER": "me"})
    messaging(Given(mail))
    asked = {name for name in environment.asked | mail.asked if f"{name}_FILE" not in table.rows()}
    assert asked - {"CREDENTIALS_DIRECTORY"} == set(table.rows())


def test_every_row_has_all_that_is_made_of_it() -> None:
    wrong = [
        row.name
        for row in table.rows().values()
        if not (row.form and row.english and row.portuguese) or row.english == row.portuguese != "https"
    ]
    assert not wrong
    assert table.rows()["LASTRO_MED_FRAUD"].words == FRAUDS
    assert table.rows()["LASTRO_MED_VERDICT"].words == VERDICTS


@in_one_test(("language", "title"), [("en", "# Settings"), ("pt", "# Configurações")])
def test_the_page_has_every_row_in_one_language(language: str, title: str) -> None:
    page = table.page(language)
    assert page.startswith(title)
    assert page.count("\n| `LASTRO_") == len(table.rows())
    assert ("**needed**" in page) is (language == "en")


def test_the_command_prints_them_and_no_value(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LASTRO_SMTP_USER", "hush")
    for words, said in (
        (["smtp"], "LASTRO_SMTP_TLS  starttls / tls / none  [starttls]\n    how the connection is encrypted"),
        (["SMTP_USER"], "LASTRO_SMTP_USER  text  []  set\n    the login there"),
        (["smtp", "--portuguese"], "como a conexão é cifrada"),
        (["smtp", "--json"], '"isSet": true'),
    ):
        with pytest.raises(SystemExit) as ended:
            main.main(["settings", *words])
        out = capsys.readouterr().out
        assert (ended.value.code, said in out, "hush" in out, "LASTRO_PORT" in out) == (0, True, False, False), out


@in_one_test(
    ("name", "meant"),
    [("LASTRO_PROXYS", "LASTRO_PROXIES"), ("LASTRO_DATABSE_URL", "LASTRO_DATABASE_URL"),
     ("LASTRO_MED_FRUAD", "LASTRO_MED_FRAUD"), ("LASTRO_KEY_FILE", "LASTRO_KEYS_FILE"), ("LASTRO_XYZZY", None),
     ("LASTRO_NETWORK_TOKEN", None), ("LASTRO_CLIENT_SECRET", None), ("LASTRO_API_URL", None)],
)  # fmt: skip
def test_production_does_not_start_on_a_misspelled_setting(name: str, meant: str | None) -> None:
    """A border that is misspelled is none. What is like no setting may be anybody's."""
    with pytest.raises(StartRefused) as refused:
        read({"LASTRO_MODE": "production", name: "x"})
    said = [line for line in str(refused.value).splitlines() if "is no setting" in line]
    assert said == ([] if meant is None else [f"{name} is no setting: did you mean {meant}?"])


def test_a_sandbox_starts_beside_any_variable() -> None:
    assert read({"LASTRO_PROXYS": "x"}).is_sandbox
