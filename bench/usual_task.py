"""The usual way: a Celery task posts with httpx and keeps its attempt. It runs in an environment without lastro.

As a program it puts tasks into the queue: bench.usual_task FIRST COUNT URL...
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import sys
import time
from functools import cache
from uuid import uuid4

import httpx  # type: ignore[import-not-found,unused-ignore] # these three are in the other environment
import psycopg  # type: ignore[import-not-found]
from celery import Celery  # type: ignore[import-not-found]

_SECRET = b"whsec_bench"
_INSERT = (
    "INSERT INTO attempts (event_id, url, number, status_code, message, requested_at, duration_ms)"
    " VALUES (%s, %s, %s, %s, %s, now(), %s)"
)

app = Celery("usual", broker=os.environ["USUAL_BROKER"])
# A task that a killed worker had in hand runs again, as a delivery of ours does.
app.conf.update(task_ignore_result=True, task_acks_late=True, broker_connection_retry_on_startup=True)


@cache
def _client() -> httpx.Client:
    """One for each process, with its kept connections: a new one for each task costs several times as much."""
    return httpx.Client(timeout=10)


@cache
def _database() -> psycopg.Connection:
    return psycopg.connect(os.environ["USUAL_DATABASE"], autocommit=True)


@app.task(name="deliver", bind=True, max_retries=4)  # type: ignore[untyped-decorator,unused-ignore]
def deliver(self: object, event_id: str, kind: str, url: str, body: str) -> None:
    """One attempt: sign, post, keep how it went; again later if it was not acknowledged."""
    raw = body.encode()
    headers = {
        "content-type": "application/json",
        "x-event-id": event_id,
        "x-event-type": kind,
        "x-signature-sha256": "sha256=" + hmac.new(_SECRET, raw, hashlib.sha256).hexdigest(),
    }
    began = time.monotonic()
    try:
        answer = _client().post(url, content=raw, headers=headers)
        status, said = answer.status_code, answer.text[:1000]
    except httpx.HTTPError as error:
        status, said = 0, type(error).__name__
    number = self.request.retries + 1  # type: ignore[attr-defined]
    took = round((time.monotonic() - began) * 1000)
    _database().execute(_INSERT, (event_id, url, number, status, said, took))
    if status != 200 or json.loads(said).get("returnCode") != "SUCCESS":
        raise self.retry(countdown=60)  # type: ignore[attr-defined]


def main() -> None:
    """Puts so many tasks into the queue."""
    body = sys.stdin.read()
    kind, count, urls = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    with app.producer_pool.acquire() as producer:
        for number in range(count):
            deliver.apply_async((str(uuid4()), kind, urls[number % len(urls)], body), producer=producer)


if __name__ == "__main__":
    main()
