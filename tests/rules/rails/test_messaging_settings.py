"""How people are reached, as settings: the simulator in a sandbox, elsewhere what is named, and never in the clear."""

import pytest

from lastro.config.given import Given
from lastro.config.messaging import messaging
from lastro.config.partners import Partner
from lastro.core.secrets import Secret

OUTSIDE = {"LASTRO_MODE": "production"}
SIMULATED = Partner("http://127.0.0.1:8090", Secret("simulated"))
MAIL = {"LASTRO_SMTP_HOST": "mail.ana.com", "LASTRO_SMTP_FROM": "pix@ana.com"}
SMS = {"LASTRO_SMS_URL": "https://sms.ana.com/", "LASTRO_SMS_TOKEN": "t"}


def test_a_sandbox_reaches_the_simulator() -> None:
    given = Given({"LASTRO_NETWORK_TOKEN": "simulated"})
    made = messaging(given)
    assert (made.mail, made.sms, made.language, given.problems) == (None, SIMULATED, "pt", [])
    assert set(made.reached) == {"EMAIL", "PHONE"}


@pytest.mark.parametrize(
    ("given", "reached"), [({}, set()), (MAIL, {"EMAIL"}), (SMS, {"PHONE"}), (MAIL | SMS, {"EMAIL", "PHONE"})]
)
def test_in_production_what_is_named(given: dict[str, str], reached: set[str]) -> None:
    read = Given(OUTSIDE | given)
    made = messaging(read)
    assert (set(made.reached), read.problems) == (reached, [])
    assert made.sms is None or made.sms.url == "https://sms.ana.com"
    assert made.mail is None or (made.mail.port, made.mail.tls, made.mail.user) == (587, "starttls", None)


def test_a_login_and_tls() -> None:
    more = {"LASTRO_SMTP_TLS": "tls", "LASTRO_SMTP_USER": "me", "LASTRO_SMTP_PASSWORD": "word"}
    given = Given(OUTSIDE | MAIL | more)
    mail = messaging(given).mail
    assert mail is not None
    assert (mail.port, mail.tls, mail.user, mail.password, given.problems) == (465, "tls", "me", Secret("word"), [])


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (MAIL | {"LASTRO_SMTP_TLS": "none"}, "LASTRO_SMTP_TLS"), (MAIL | {"LASTRO_SMTP_TLS": "ssl"}, "LASTRO_SMTP_TLS"),
        (MAIL | {"LASTRO_SMTP_PORT": "0"}, "LASTRO_SMTP_PORT"), (MAIL | {"LASTRO_SMTP_PORT": "x"}, "LASTRO_SMTP_PORT"),
        (MAIL | {"LASTRO_SMTP_FROM": ""}, "LASTRO_SMTP_FROM"), (MAIL | {"LASTRO_SMTP_FROM": "ana"}, "LASTRO_SMTP_FROM"),
        (MAIL | {"LASTRO_SMTP_USER": "me"}, "LASTRO_SMTP_PASSWORD"), ({"LASTRO_SMS_URL": "https://sms.ana.com"}, "LASTRO_SMS_TOKEN"),
        (SMS | {"LASTRO_SMS_URL": "http://sms.ana.com"}, "LASTRO_SMS_URL"), ({"LASTRO_MESSAGE_LANGUAGE": "es"}, "LASTRO_MESSAGE_LANGUAGE"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_said(given: dict[str, str], name: str) -> None:
    read = Given(OUTSIDE | given)
    messaging(read)
    assert [name in one for one in read.problems] == [True]
    assert all(one.endswith(".") for one in read.problems)
