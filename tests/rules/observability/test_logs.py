"""What a process says: one JSON object a line, whose it was and how it ended, and nothing that is a person's."""

import json
import subprocess
import sys
from typing import Any

import pytest

from lastro.observability import logs

_BEGIN = """
import logging, sys
import structlog
from uuid import UUID
from lastro.core import trace
from lastro.core.work_queue import Worked
from lastro.core.secrets import Secret
from lastro.observability import logs
from lastro.api_kit.http import RequestNotes
ORDER, PAYMENT, COMPANY = UUID(int=1), UUID(int=2), UUID(int=3)
log = structlog.get_logger()
"""


def said(script: str, level: str = "debug") -> list[dict[str, Any]]:
    """The lines that a process of its own writes, since a configuration lasts as long as the process."""
    told = subprocess.run(
        [sys.executable, "-c", f"{_BEGIN}\nlogs.configure({level!r})\n{script}"], capture_output=True, check=True, timeout=60
    )
    assert told.stderr == b""
    return [json.loads(line) for line in told.stdout.splitlines()]


REQUESTS = {
    "a plain read": ('RequestNotes("GET", "/x/{id}", "r")', 200, "debug"),
    "an old copy will do": ('RequestNotes("GET", "/x/{id}", "r")', 304, "debug"),
    "a head": ('RequestNotes("HEAD", "/x/{id}", "r")', 200, "debug"),
    "a read that is refused": ('RequestNotes("GET", "/x/{id}", "r")', 404, "info"),
    "a read that failed": ('RequestNotes("GET", "/x/{id}", "r")', 500, "info"),
    "a write": ('RequestNotes("PUT", "/x", "r")', 200, "info"),
    "a write that is refused": ('RequestNotes("POST", "/x", "r")', 400, "info"),
}


def test_what_a_request_is_worth() -> None:
    script = "\n".join(f"logs.request({seen}, {status}, 0.01)" for seen, status, _ in REQUESTS.values())
    assert [line["level"] for line in said(script)] == [level for *_, level in REQUESTS.values()]
    assert len(said(script, "info")) == 4
    assert said(script, "warning") == []


def test_a_request_in_full() -> None:
    (line,) = said(
        'logs.request(RequestNotes("PUT", "/order", "req-1", "create_order", COMPANY, "lc_1", [ORDER]), 200, 0.0123456)'
    )
    assert line.pop("timestamp").endswith("Z")
    assert line == {
        "event": "request", "level": "info", "method": "PUT", "path": "/order", "operation": "create_order", "status": 200,
        "duration_ms": 12.35, "request_id": "req-1", "company_id": "00000000-0000-0000-0000-000000000003",
        "client_id": "lc_1", "id": "00000000-0000-0000-0000-000000000001",
    }  # fmt: skip


def test_several_objects_and_why_not() -> None:
    two, refused = said(
        'logs.request(RequestNotes("PUT", "/x", "r", objects=[PAYMENT, ORDER]), 200, 0)\n'
        'logs.request(RequestNotes("PUT", "/x", "r", issues=("REQUIRED", "TOO_LONG")), 400, 0)'
    )
    assert (two["id"][-1], [i[-1] for i in two["ids"]], "issues" in two) == ("2", ["2", "1"], False)
    assert (refused["issues"], "id" in refused, "company_id" in refused) == (["REQUIRED", "TOO_LONG"], False, False)


@pytest.mark.parametrize(
    ("lane", "outcome", "level"),
    [
        ("inbox", "handled", "info"), ("inbox", "alarmed", "info"), ("inbox", "broke", "debug"), ("outbox", "sent", "info"),
        ("outbox", "not_sent", "debug"), ("due", "done", "info"), ("deliveries", "delivered", "debug"),
        ("deliveries", "retrying", "info"), ("deliveries", "failed", "debug"),
    ],
)  # fmt: skip
def test_what_an_end_of_work_is_worth(lane: str, outcome: str, level: str) -> None:
    (line,) = said(f'logs.worked(Worked("{lane}", "pix.ask", "{outcome}", 0.5, COMPANY, (ORDER,), PAYMENT, "E1", 2))')
    assert (line["level"], line["lane"], line["outcome"], line["kind"]) == (level, lane, outcome, "pix.ask")
    assert (line["id"][-1], line["request_id"][-1], line["company_id"][-1]) == ("1", "2", "3")
    assert (line["network_id"], line["sends"], line["duration_ms"]) == ("E1", 2, 500.0)


def test_what_is_not_on_the_list_is_not_said() -> None:
    (line,) = said(
        'log.info("x", reason="fine", name="Bento", body=b"{}", document="52998224725", query="a=b", password="p")'
    )
    assert set(line) == {"event", "level", "timestamp", "reason"}
    assert not {"name", "body", "document", "query", "url", "amount"} & logs.ALLOWED


@pytest.mark.parametrize(
    ("reason", "shown"),
    [
        ("account of 529.982.247-25 closed", "account of *** closed"),
        ("52998224725", "***"),
        ("CNPJ 11222333000181.", "CNPJ ***."),
        ("12.ABC.345/01DE-35 unknown", "*** unknown"),
        ("call +5511999999999", "call ***"),
        ("ana.maria@example.com.br did it", "*** did it"),
        ("E9999902020260131120300000E058eP", "E9999902020260131120300000E058eP"),
        ("0196a4f0-6c1e-7a31-9d2f-123456789012", "0196a4f0-6c1e-7a31-9d2f-123456789012"),
        ("answered with HTTP status 503", "answered with HTTP status 503"),
        ("127.0.0.1:5432 refused", "127.0.0.1:5432 refused"),
        ("x" * 300, "x" * 200),
    ],
)
def test_what_others_word_is_masked(reason: str, shown: str) -> None:
    assert logs._masked(None, "", {"reason": reason}) == {"reason": shown}


def test_secrets_say_nothing_and_nothing_breaks_a_line() -> None:
    secret, odd = said('log.info("x", code=Secret("lsk_1"), reason="a")\nlog.info("x", reason="half \\ud800 of a pair")')
    assert secret["code"] == "***"
    assert odd["reason"].startswith("half ")


def test_a_failure_is_its_kind_and_its_place() -> None:
    (line,) = said(
        "def deep():\n    raise ValueError('52998224725')\n"
        "try:\n    deep()\nexcept ValueError:\n    log.exception('failed', path='/x')"
    )
    assert line["level"] == "error"
    assert line["exception"][0].startswith("ValueError <string>:")
    assert "deep" in line["exception"][0]
    assert "52998224725" not in json.dumps(line)


def test_a_task_says_for_whom_it_works() -> None:
    nobody, somebody, told = said(
        'log.info("x")\ntrace.carry(trace.Trace("row-1", COMPANY))\nlog.info("x")\nlog.info("x", request_id="own")'
    )
    assert "request_id" not in nobody
    assert (somebody["request_id"], somebody["company_id"][-1]) == ("row-1", "3")
    assert (told["request_id"], told["company_id"][-1]) == ("own", "3")


def test_a_line_names_its_trace_where_there_are_any() -> None:
    off, on, bound = said(
        "import os, time\nfrom lastro.observability.tracing import tracer_of\nfrom lastro.config.watching import Watching\n"
        'trace.take_up("r")\nlog.info("x")\ntracer_of(Watching("http://c/v1/traces"), "s", time.time_ns, os.urandom)\n'
        'trace.take_up("r")\nlog.info("x")\ntrace.about(ORDER)\nlog.info("x")'
    )
    assert "trace_id" not in off
    assert len(on["trace_id"]) == 32
    assert bound["trace_id"] == "00000000000000000000000000000001"


def test_libraries_are_quoted_without_values() -> None:
    (line,) = said(
        'logging.getLogger("asyncio").warning("lost %s of 52998224725\\nBento", "Bento")\n'
        'logging.getLogger("asyncio").info("chatter")'
    )
    assert (line["event"], line["logger"], line["level"]) == ("lost %s of ***", "asyncio", "warning")
