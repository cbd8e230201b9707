"""Certificates of both sides at a real server: only what both vouch for gets through, and a renewed one without a restart."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs
from tests.authority import Authority

from lastro.rails.api_pix import SetUpWrongly
from lastro.rails.api_pix.tls import ClientTls
from lastro.rails.port import Transient

from .bank import Bank, line_to, shown

Opened = Callable[..., Bank]


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
def opened(authority: Authority) -> Iterator[Opened]:
    """Opens a bank with this certificate of its own; all are closed at the end."""
    banks = []

    def opens(pair: Path | None = None, **given: Any) -> Bank:
        banks.append(Bank(authority, pair or authority.pair("bank"), **given))
        return banks[-1]

    yield opens
    for bank in banks:
        bank.close()


async def refused(bank: Bank, **changes: Any) -> SetUpWrongly:
    """What the line says of a request that must not get through, and what it logs."""
    line = line_to(bank.connection(**changes))
    try:
        with capture_logs() as logs, pytest.raises(SetUpWrongly) as told:
            await line.ask("GET", "/pix", None, 5.0)
    finally:
        await line.close()
    assert bank.asked == []
    assert isinstance(told.value, Transient)
    [found] = [one for one in logs if one["log_level"] == "critical"]
    assert (found["event"], found["rail"], found["kind"]) == ("bank.set_up_wrongly", "efi1", told.value.cause)
    assert found["reason"].endswith(".")
    assert "very-secret" not in str(logs)
    return told.value


@pytest.mark.parametrize("form", ["one file", "two files", "bundle", "bundle with a password", "key with a password"])
async def test_ours_is_shown_in_every_form_that_banks_hand_out(opened: Opened, authority: Authority, form: str) -> None:
    bank = opened()
    password = authority.folder / "password"
    password.write_text("open sesame\n")
    password.chmod(0o600)
    ours = {
        "one file": lambda: shown(authority.pair("ours")),
        "two files": lambda: shown(*authority.halves("ours")),
        "bundle": lambda: shown(authority.bundle("ours")),
        "bundle with a password": lambda: shown(authority.bundle("ours", b"open sesame"), None, password),
        "key with a password": lambda: shown(*authority.halves("ours", password=b"open sesame"), password),
    }[form]()
    line = line_to(bank.connection(certificate=ours))
    assert (await line.ask("GET", "/pix", None, 5.0)).status == 200
    assert line.certificate_until is not None
    assert timedelta(days=29) < line.certificate_until - datetime.now(UTC) < timedelta(days=31)
    assert [one.path for one in bank.asked] == ["/oauth/token", "/pix"]
    await line.close()


async def test_a_bank_that_wants_ours_refuses_us_without(opened: Opened) -> None:
    told = await refused(opened())
    assert told.cause == "certificate"
    assert "CERTIFICATE_REQUIRED" in told.detail


async def test_a_bank_refuses_what_another_authority_has_signed(opened: Opened, tmp_path: Path) -> None:
    told = await refused(opened(), certificate=shown(Authority(tmp_path, "other").pair("ours")))
    assert told.cause == "certificate"
    assert "UNKNOWN_CA" in told.detail


async def test_a_bank_refuses_ours_once_it_is_over(opened: Opened, authority: Authority) -> None:
    told = await refused(opened(), certificate=shown(authority.pair("ours", days=(-30.0, -1.0))))
    assert told.cause == "certificate"
    assert "CERTIFICATE_EXPIRED" in told.detail


async def test_a_bank_of_another_authority_is_not_believed(opened: Opened, authority: Authority, tmp_path: Path) -> None:
    ours = shown(authority.pair("ours"))
    told = await refused(opened(Authority(tmp_path, "other").pair("bank")), certificate=ours)
    assert told.cause == "bank_certificate"


async def test_a_bank_whose_certificate_is_over_is_not_believed(opened: Opened, authority: Authority) -> None:
    ours = shown(authority.pair("ours"))
    told = await refused(opened(authority.pair("bank", days=(-30.0, -1.0))), certificate=ours)
    assert (told.cause, told.detail) == ("bank_certificate", "certificate has expired")


async def test_a_bank_of_another_name_is_not_believed(opened: Opened, authority: Authority) -> None:
    ours = shown(authority.pair("ours"))
    told = await refused(opened(authority.pair("bank", host="pix.bank.example")), certificate=ours)
    assert told.cause == "bank_certificate"
    assert "127.0.0.1" in told.detail


async def test_without_authorities_of_its_own_the_systems_are_asked(opened: Opened, authority: Authority) -> None:
    told = await refused(opened(), certificate=shown(authority.pair("ours")), ca_file=None)
    assert told.cause == "bank_certificate"


async def test_a_renewed_certificate_is_shown_without_a_restart(opened: Opened, authority: Authority) -> None:
    """One file after the other, as a renewal writes them: the pair before it is shown until both are there."""
    bank = opened()
    file, key_file = authority.halves("ours", days=(-1.0, 3.0))
    line = line_to(bank.connection(certificate=shown(file, key_file)))
    await line.ask("GET", "/pix", None, 5.0)
    first = line.certificate_until
    new_file, new_key = authority.halves("renewed", days=(-1.0, 60.0))
    with capture_logs() as logs:
        new_file.replace(file)
        assert (await line.ask("GET", "/pix", None, 5.0)).status == 200
        assert line.certificate_until == first
        new_key.replace(key_file)
        assert (await line.ask("GET", "/pix", None, 5.0)).status == 200
    assert line.certificate_until is not None
    assert first is not None
    assert line.certificate_until - first > timedelta(days=50)
    assert [(one["event"], one.get("cause")) for one in logs] == [
        ("bank.certificate_unfit", "key_file"), ("bank.certificate_loaded", None)
    ]  # fmt: skip
    await line.close()


async def test_a_new_exchange_uses_the_renewed_certificate_and_no_old_connection(
    opened: Opened, authority: Authority, tmp_path: Path
) -> None:
    """Ours is replaced by one that the bank must refuse: were the kept connection used, it would get through."""
    bank = opened()
    ours = authority.pair("ours")
    line = line_to(bank.connection(certificate=shown(ours)))
    await line.ask("GET", "/pix", None, 5.0)
    Authority(tmp_path, "other").pair("stranger").replace(ours)
    with pytest.raises(SetUpWrongly, match="UNKNOWN_CA"):
        await line.ask("GET", "/pix", None, 5.0)
    assert line.troubles == {"certificate"}
    await line.close()


@pytest.mark.parametrize("days", [(-30.0, -1.0), (1.0, 60.0)])
async def test_a_new_certificate_that_is_not_good_now_replaces_no_good_one(
    opened: Opened, authority: Authority, days: tuple[float, float]
) -> None:
    bank, ours = opened(), authority.pair("ours")
    line = line_to(bank.connection(certificate=shown(ours)))
    await line.ask("GET", "/pix", None, 5.0)
    first = line.certificate_until
    authority.pair("new", days=days).replace(ours)
    with capture_logs() as logs:
        for _ in range(2):
            assert (await line.ask("GET", "/pix", None, 5.0)).status == 200
    assert [(one["event"], one["cause"]) for one in logs] == [("bank.certificate_unfit", "certificate_file")]
    assert (line.certificate_until, line.troubles) == (first, frozenset())
    await line.close()


def test_a_new_certificate_is_shown_once_it_begins_or_the_old_one_is_over(authority: Authority) -> None:
    today = datetime.now(UTC)
    for ends, begins, shown_from in ((30.0, 10.0, 10.0), (5.0, 10.0, 5.0)):
        at = today
        ours = authority.pair("ours", days=(-1.0, ends))
        tls = ClientTls("efi1", shown(ours), None, lambda: at)  # noqa: B023 it is called within the turn
        old = tls.not_after
        authority.pair("new", days=(begins, 60.0)).replace(ours)
        at = today + timedelta(days=shown_from - 0.1)
        assert tls.not_after == old
        at = today + timedelta(days=shown_from + 0.1)
        with capture_logs() as logs:
            assert tls.not_after not in {old, None}
        assert [one["event"] for one in logs] == ["bank.certificate_loaded"]


def test_where_no_certificate_is_good_the_new_one_is_shown_and_told(authority: Authority) -> None:
    """The bank's clock decides, as it does of the first one."""
    ours = authority.pair("ours", days=(-30.0, -1.0))
    tls = ClientTls("efi1", shown(ours), None, lambda: datetime.now(UTC))
    old = tls.not_after
    authority.pair("new", days=(-20.0, -0.5)).replace(ours)
    with capture_logs() as logs:
        assert tls.not_after not in {old, None}
    assert [one["event"] for one in logs] == ["bank.certificate_unfit", "bank.certificate_loaded"]


async def test_a_bank_that_asks_for_none_is_served(opened: Opened) -> None:
    bank = opened(wants_certificate=False)
    line = line_to(bank.connection())
    assert (await line.ask("GET", "/pix", None, 5.0)).status == 200
    assert line.certificate_until is None
    await line.close()


@pytest.mark.parametrize(("days", "says"), [((-30.0, -1.0), "ended at"), ((1.0, 30.0), "begins at"), ((-1.0, 30.0), None)])
async def test_a_certificate_that_is_not_good_now_is_told_before_anything_is_asked(
    opened: Opened, authority: Authority, days: tuple[float, float], says: str | None
) -> None:
    line = line_to(opened().connection(certificate=shown(authority.pair("ours", days=days))))
    with capture_logs() as logs:
        line.look_at_certificate()
    assert [(one["event"], one["kind"]) for one in logs] == ([("bank.set_up_wrongly", "certificate")] if says else [])
    assert says is None or says in logs[0]["cause"]
    assert line.troubles == ({"certificate"} if says else frozenset())
    await line.close()
