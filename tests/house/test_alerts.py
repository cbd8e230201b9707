"""Each alert, by Prometheus' own program for testing rules: it fires for what it is for, and is silent beside it."""

import asyncio
import json
import os
import shutil
from asyncio.subprocess import PIPE, STDOUT
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.journeys.stage import until

from .test_monitoring import alerts

# As promtool has it: 0x9 stays 0 for nine minutes more, 0+1x9 grows by one each minute, _ is no sample.
Series = dict[str, str]


@dataclass(frozen=True)
class Case:
    """What fires an alert within so many minutes, and what comes near it and does not."""

    fires: tuple[Series, ...]
    silent: tuple[Series, ...]
    minutes: int = 3


def _gauge(name: str, limit: float, labels: str = "") -> Case:
    """What is above a limit fires, what has reached it does not."""
    return Case(({name + labels: f"{limit + 1:g}x30"},), ({name + labels: f"{limit:g}x30"},))


def _left(name: str, limit: float) -> Case:
    """What has less time left than a limit fires, also once none is left; what has as much does not, nor does a time without end."""
    return Case(({name: f"{limit - 1:.0f}x30"}, {name: "-5x30"}), ({name: f"{limit:.0f}x30"}, {name: "1e300x30"}))


_API, _WORKER, _OTHER = (
    '{job="lastro-api",instance="a"}',
    '{job="lastro-worker",instance="a"}',
    '{job="lastro-worker",instance="b"}',
)
_DUE, _TRIED, _DONE = "lastro_due_oldest_seconds", "lastro_tried_oldest_seconds", "lastro_work_seconds_count"
_ALARMED, _HANDLED = '{lane="inbox",kind="pix.final",outcome="alarmed"}', '{lane="inbox",kind="pix.final",outcome="handled"}'
_REQUESTS = 'lastro_request_seconds_count{status="%s"}'
_BUCKETS = 'lastro_request_seconds_bucket{operation="%s",le="%s"}'
_ATTEMPTS = 'lastro_delivery_attempts_total{endpoint="e",outcome="%s"}'
_ALONE = "lastro_database_synchronous"
_LOST = "lastro_log_lines_lost_total"
_SILENT = 'lastro_network_silent_seconds{rail="pix",instance="%s"}'

CASES: dict[str, Case] = {
    "LastroProcessDown": Case(({"up" + _API: "1x2 0x9"}, {"up" + _WORKER: "0x9"}), ({"up" + _API: "1x2 0 1x9"}, {'up{job="x"}': "0x9"}), 6),
    "LastroNoWorker": Case(
        ({"up" + _WORKER: "0x9", "up" + _OTHER: "0x9"}, {"up" + _API: "1x9"}), ({"up" + _WORKER: "0x9", "up" + _OTHER: "1x9"},), 6,
    ),
    "LastroDatabaseAway": Case(
        ({"lastro_database_reachable" + _API: "0x9", "lastro_database_reachable" + _WORKER: "0x9"},),
        ({"lastro_database_reachable" + _API: "0x9", "lastro_database_reachable" + _WORKER: "1x9"},), 6,
    ),
    "LastroDatabaseAlone": Case(
        ({_ALONE: "1x9 0x9"}, {_ALONE: "1x19", "lastro_database_standbys": "1x9 0x9"}),
        ({_ALONE: "0x19"}, {_ALONE: "1x19", "lastro_database_standbys": "1x19"}), 15,
    ),
    "LastroMoneyWaits": _gauge(_DUE, 60, '{lane="outbox"}'),
    "LastroNetworkSilent": Case(
        ({_SILENT % "a": "500x9", _SILENT % "b": "121x9"},),
        ({_SILENT % "a": "500x9", _SILENT % "b": "120x9"},),
    ),
    "LastroSentInVain": Case(
        ({_TRIED + '{lane="outbox",rail="pix"}': "121x9"},),
        ({_TRIED + '{lane="outbox",rail="pix"}': "121 0x9"}, {_TRIED + '{lane="outbox",rail="boleto"}': "900x9"}, {_TRIED + '{lane="inbox",rail="pix"}': "900x9"}), 5,
    ),
    "LastroHeardInVain": _gauge(_TRIED, 7200, '{lane="inbox",rail="pix"}'),
    "LastroPartnerDown": Case(({'lastro_partner_down{rail="boleto"}': "1x30"},), ({'lastro_partner_down{rail="boleto"}': "1x5 0x30"},), 15),
    "LastroBankSetUpWrongly": Case(
        ({'lastro_bank_trouble{rail="efi1",kind="access"}': "1x9"},), ({'lastro_bank_trouble{rail="efi1",kind="access"}': "_x9"},),
    ),
    "LastroBankCertificateMonth": _left('lastro_bank_certificate_left_seconds{rail="efi1"}', 2592000),
    "LastroBankCertificateWeek": _left('lastro_bank_certificate_left_seconds{rail="efi1"}', 604800),
    "LastroBankCertificateDay": _left('lastro_bank_certificate_left_seconds{rail="efi1"}', 86400),
    "LastroBankNotPolled": _gauge("lastro_bank_poll_lag_seconds", 900, '{rail="efi1"}'),
    "LastroBankHintsUnknown": Case(
        ({'lastro_bank_hints_unknown_total{rail="efi1"}': "0+1x90"},), ({'lastro_bank_hints_unknown_total{rail="efi1"}': "7x30 20x60"},), 70,
    ),
    "LastroPaymentUnmatched": _gauge("lastro_unmatched_payments", 0),
    "LastroBankOrphansLeft": Case(
        ({'lastro_bank_orphans{rail="efi1",outcome="left"}': "21x9"},),
        ({'lastro_bank_orphans{rail="efi1",outcome="left"}': "20x9"}, {'lastro_bank_orphans{rail="efi1",outcome="removed"}': "21x9"}),
    ),
    "LastroWorkOverdue": Case(
        ({_DUE + '{lane="claims to ask"}': "901x9"},), ({_DUE + '{lane="claims to ask"}': "900x9"}, {_DUE + '{lane="deliveries"}': "901x9"}),
    ),
    # The first of its kind is a series that begins with one.
    "LastroNeedsPeople": Case(
        ({_DONE + _ALARMED: "_x20 1x9"}, {_DONE + _ALARMED: "3x20 4x9"}, {_DONE + _ALARMED: "7x15 _x5 1x9"}),
        ({_DONE + _ALARMED: "1x30"}, {_DONE + _HANDLED: "_x20 1x9"}), 25,
    ),
    "LastroClientsHearNothing": _gauge("lastro_unnumbered_oldest_seconds", 60),
    "LastroDeliveriesLate": _gauge(_DUE, 300, '{lane="deliveries"}'),
    "LastroEndpointSilent": Case(
        ({'lastro_endpoint_circuit{endpoint="e"}': "1x30"},), ({'lastro_endpoint_circuit{endpoint="e"}': "1x9 0 1x30"},), 20,
    ),
    "LastroEndpointFails": Case(
        ({_ATTEMPTS % "timeout": "0+6x40", _ATTEMPTS % "acknowledged": "0+5x40"}, {_ATTEMPTS % "timeout": "0+6x40"}),
        ({_ATTEMPTS % "timeout": "0+5x40", _ATTEMPTS % "acknowledged": "0+6x40"},), 30,
    ),
    "LastroEventsGivenUp": Case(
        ({'lastro_undelivered_events{status="failed"}': "4x65 5x30"},),
        ({'lastro_undelivered_events{status="failed"}': "4x99"}, {'lastro_undelivered_events{status="pending"}': "4x65 5x30"}), 70,
    ),
    "LastroAnswers5xx": Case(
        ({_REQUESTS % "5xx": "0+2x30", _REQUESTS % "2xx": "0+100x30"},), ({_REQUESTS % "5xx": "0+1x30", _REQUESTS % "2xx": "0+100x30"},), 20,
    ),
    "LastroSlow": Case(
        ({_BUCKETS % ("create_order", "1"): "0+98x30", _BUCKETS % ("create_order", "2.5"): "0+100x30", _BUCKETS % ("create_order", "+Inf"): "0+100x30"},),
        (
            {_BUCKETS % ("create_order", "1"): "0+100x30", _BUCKETS % ("create_order", "+Inf"): "0+100x30"},
            {_BUCKETS % ("list_orders", "1"): "0+98x30", _BUCKETS % ("list_orders", "+Inf"): "0+100x30"},
        ), 20,
    ),
    "LastroTurnedAway": Case(
        ({'lastro_requests_turned_away_total{status="503"}': "0+61x30"},), ({'lastro_requests_turned_away_total{status="503"}': "0+60x30"},), 15,
    ),
    "LastroPayoutInReview": _gauge("lastro_payouts_in_review_oldest_seconds", 3600),
    "LastroStatementMissing": _gauge("lastro_statements_untaken_oldest_seconds", 21600),
    "LastroBooksDiffer": _gauge("lastro_statement_differences_oldest_seconds", 3600),
    "LastroMoneyStranded": _gauge("lastro_stranded_returns_oldest_seconds", 86400),
    "LastroAnnouncedForLong": _gauge("lastro_announced_payments_oldest_seconds", 864000),
    "LastroNoticeUndecided": _left("lastro_undecided_notices_left_seconds", 172800),
    "LastroReimbursementUndecided": _left("lastro_undecided_reimbursements_left_seconds", 43200),
    "LastroCancellationUnanswered": _gauge("lastro_unanswered_cancellations_oldest_seconds", 43200),
    "LastroStatementsBehind": _gauge("lastro_unentered_oldest_seconds", 300),
    "LastroLawBroken": _gauge("lastro_law_breaches", 0, '{law="debits equal credits"}'),
    # Promtool's time begins in 1970, in minutes here.
    "LastroLawsUnread": Case(
        ({'lastro_law_checked_at_seconds{law="a"}': "0x9999", 'lastro_law_checked_at_seconds{law="b"}': "0+60x9999"}, {"up" + _API: "1x9999"}),
        ({'lastro_law_checked_at_seconds{law="a",instance="a"}': "0x9999", 'lastro_law_checked_at_seconds{law="a",instance="b"}': "0+60x9999"},), 4400,
    ),
    # Lines that were lost yesterday are no news; a process that was started again has lost none.
    "LastroLogLinesLost": Case(
        ({_LOST + _API: "0x15 3x15"}, {_LOST + _API: "0+1x30"}, {_LOST + _API: "7x15 8x15", _LOST + _WORKER: "0x30"}),
        ({_LOST + _API: "0x30"}, {_LOST + _API: "9x30"}, {_LOST + _API: "9x15 0x15"}), 20,
    ),
    "LastroClockMoved": Case(({"lastro_clock_offset_seconds" + _API: "-5x9"},), ({"lastro_clock_offset_seconds" + _API: "0x9"},)),
}  # fmt: skip


async def ran(folder: Path, *words: str) -> tuple[int, str]:
    """Its exit status and what it said."""
    process = await asyncio.create_subprocess_exec(*words, cwd=folder, stdout=PIPE, stderr=STDOUT)
    said, _ = await process.communicate()
    return process.returncode or 0, said.decode()


async def promtool(folder: Path) -> str:
    async def look() -> str | None:
        """Its file is there before it is whole, too: whether it runs tells."""
        program = shutil.which("promtool")
        return program if program is not None and (await ran(folder, program, "--version"))[0] == 0 else None

    if not os.environ.get("CI") and await look() is None:
        pytest.skip("promtool is not installed here; .ci/run installs it")
    return await until(look, "promtool", 300.0) or ""  # it is installed beside the first tests


def told(series: Series, name: str, minutes: int, *, fires: bool) -> dict[str, Any]:
    expected = [{"labels": "{}", "value": 1}] if fires else []
    return {
        "interval": "1m",
        "input_series": [{"series": one, "values": values} for one, values in series.items()],
        "promql_expr_test": [
            {
                "expr": f'count(ALERTS{{alertname="{name}",alertstate="firing"}})',
                "eval_time": f"{minutes}m",
                "exp_samples": expected,
            }
        ],
    }


def test_every_alert_has_its_case() -> None:
    assert {rule["alert"] for rule in alerts()} == CASES.keys()


async def test_an_alert_fires_for_what_it_is_for(tmp_path: Path) -> None:
    """Each with its own rule alone: to ask all rules of three days' minutes takes a minute. One run tells all that fail."""
    program, files = await promtool(tmp_path), []
    for rule in alerts():
        name = rule["alert"]
        case, ruled = CASES[name], tmp_path / f"{name}.rules.yml"
        ruled.write_text(json.dumps({"groups": [{"name": name, "rules": [rule]}]}), encoding="utf-8")
        tests = [told(series, name, case.minutes, fires=True) for series in case.fires]
        tests += [told(series, name, case.minutes, fires=False) for series in case.silent]
        asked = {"rule_files": [str(ruled)], "evaluation_interval": "1m", "tests": tests}
        (tmp_path / f"{name}.yml").write_text(json.dumps(asked), encoding="utf-8")
        files.append(f"{name}.yml")
    status, said = await ran(tmp_path, program, "test", "rules", *files)
    assert (status, said.count("SUCCESS")) == (0, len(CASES)), said
