"""The file of connections of a sandbox: the account of the second demo company at the simulated bank."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from lastro_sandbox.run_settings import Running

NAME = "simbank"  # the connection; an order names it as SIMBANK
COMPANY = 2
_POLL_SECONDS = 5
_WINDOW_DAYS = 31
_REQUESTS_PER_MINUTE = 6_000
_CAPABILITIES = ["cob", "refund", "rec"]
_GIVEN = (
    "dialect",
    "ispb",
    "base_url",
    "token_url",
    "client_id",
    "client_secret_file",
    "certificate_file",
    "key_file",
    "ca_file",
)


def write(running: Running, sandbox: Mapping[str, Any]) -> Path | None:
    """Writes the file anew and returns it; None: the simulated bank has told of no customer."""
    told = running.home / "simulator" / "bank" / "customer.json"
    if not told.exists():
        return None
    customer = json.loads(told.read_text(encoding="utf-8"))
    number = sandbox["otherAccounts"][0]["number"]
    lines = [
        "# Made at each start by `lastro run`: the account of the second demo company at the simulated bank.",
        f"[{NAME}]",
        f"company = {COMPANY}",
        *(f"{name} = {json.dumps(customer[name])}" for name in _GIVEN),
        f"poll_seconds = {_POLL_SECONDS}",
        # A day's statement asks for the returns of ninety days: a month of days, at a bank's pace, takes minutes.
        f"window_days = {_WINDOW_DAYS}",
        f"requests_per_minute = {_REQUESTS_PER_MINUTE}",
        f"capabilities = {json.dumps(_CAPABILITIES)}",
        f"bank_account = {json.dumps(customer['account'])}",
        f"bank_branch = {json.dumps(customer['branch'])}",
        f"[{NAME}.keys]",
        *(f"{json.dumps(key)} = {json.dumps(number)}" for key in customer["keys"]),
    ]
    file = running.home / "banks.toml"
    fresh = file.with_name(".banks.toml.new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
        stream.write("\n".join(lines) + "\n")
    fresh.replace(file)
    return file
