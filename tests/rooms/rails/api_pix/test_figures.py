"""The figures of connections, as /metrics shows them: days of certificates, age of tokens, mistakes of set-up."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families
from structlog.testing import capture_logs
from tests.authority import Authority

from lastro.app.banks import figures_of
from lastro.core.db import Database, Dsn
from lastro.observability.bank_figures import BankRecord
from lastro.observability.gauges import WAITING, Gauges, Watch
from lastro.observability.metrics import Metrics

from .bank import Answer, Bank, Hand, Lined, shown, transient


def scraped(metrics: Metrics) -> dict[str, dict[tuple[str, ...], float]]:
    text = generate_latest(metrics.registry).decode()
    families = [family for family in text_string_to_metric_families(text) if family.name.startswith("lastro_bank_")]
    return {
        family.name.removeprefix("lastro_bank_"): {tuple(one.labels.values()): one.value for one in family.samples}
        for family in families
    }


async def test_figures_of_a_line(authority: Authority, bank: Bank, lined: Lined, clock: Hand, tmp_path: Path) -> None:
    """Before anything was asked, too: a certificate ends whether it is used or not."""
    ours = Authority(tmp_path, "ours").pair("first", days=(-1.0, 3.0))
    line, plain = lined(certificate=shown(ours)), lined(name="bb1")
    now = datetime.now(UTC)
    metrics = Metrics()
    metrics.banks = lambda: figures_of([line, plain], now)
    seen = scraped(metrics)
    assert seen.keys() == {"certificate_left_seconds", "token_age_seconds", "trouble"}
    assert (seen["token_age_seconds"], seen["trouble"]) == ({}, {})
    assert 3 * 86_400 - 60 < seen["certificate_left_seconds"].pop(("efi1",)) <= 3 * 86_400
    assert seen["certificate_left_seconds"] == {}, "of a connection without one"
    await line.ask("GET", "/pix", None, 5.0)
    clock.at += 7
    bank.answers.append(Answer(403))
    with capture_logs():
        await transient(line.ask("GET", "/pix", None, 5.0))
    seen = scraped(metrics)
    assert (seen["token_age_seconds"], seen["trouble"]) == ({("efi1",): 7.0}, {("access", "efi1"): 1.0})


async def test_the_databases_figures_are_told_of_connections_in_the_file_alone(lined: Lined) -> None:
    """One that has left it is polled by nobody, and its lag would grow for ever."""
    metrics, line = Metrics(), lined()
    metrics.banks = lambda: figures_of([line], datetime.now(UTC))
    records = (BankRecord("efi1", 31.0, 2, 5, 7, None, 1), BankRecord("gone", 9e6, 0, 0, 0, 0, 0))
    metrics.watch = Watch(Database(Dsn("postgresql://nobody@127.0.0.1:1/nothing")), last=Gauges(
        waiting=dict.fromkeys(WAITING, (0, 0.0)), banks=records))  # fmt: skip
    seen = scraped(metrics)
    assert (seen["poll_lag_seconds"], seen["hints_waiting"]) == ({("efi1",): 31.0}, {("efi1",): 2.0})
    assert (seen["hints_unknown"], seen["foreign_payments"]) == ({("efi1",): 5.0}, {("efi1",): 7.0})
    assert seen["orphans"] == {("left", "efi1"): 1.0}


async def test_a_renewed_certificate_and_one_that_is_over(lined: Lined, tmp_path: Path) -> None:
    authority = Authority(tmp_path, "ours")
    ours = authority.pair("first", days=(-30.0, -2.0))
    line = lined(certificate=shown(ours))
    now = datetime.now(UTC)
    assert (figures_of([line], now)[0].certificate_left_seconds or 0) < -86_400
    authority.pair("second", days=(-1.0, 90.0)).replace(ours)
    with capture_logs() as logs:
        left = figures_of([line], now)[0].certificate_left_seconds
    assert left is not None
    assert timedelta(seconds=left) > timedelta(days=89)
    assert [one["event"] for one in logs] == ["bank.certificate_loaded"]
    ours.unlink()
    with capture_logs() as logs:
        assert figures_of([line], now)[0].certificate_left_seconds == left, "what is shown is what was loaded"
    assert [one["event"] for one in logs] == ["bank.certificate_unfit"]


async def test_a_certificate_that_was_never_there(lined: Lined, tmp_path: Path) -> None:
    assert figures_of([lined(certificate=shown(tmp_path / "none"))], datetime.now(UTC))[0].certificate_left_seconds is None
