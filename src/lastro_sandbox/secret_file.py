"""Keeps the webhook secret of sandbox.json up to date: the file has it before its first signature."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
    from uuid import UUID


class SecretFile:
    """The `webhookSecret` of a sandbox.json, which the simulated merchant checks signatures by. file: where it is.

    Whichever way a secret is rotated (API, console, command), the worker hears of it with the next delivery.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._written: dict[UUID, str] = {}

    def signs(self, company_id: UUID, secret: str) -> None:
        """Writes a company's new signing secret into the company's file.

        A missing file is written by the start that lays the data.
        """
        if self._written.get(company_id) == secret:
            return
        with suppress(OSError, ValueError, KeyError, TypeError):  # a file that a person has spoilt stops no delivery
            said = json.loads(self._file.read_text(encoding="utf-8"))
            if said["companyId"] == str(company_id) and said["webhookSecret"] != secret:
                self._replace(said | {"webhookSecret": secret})
            self._written[company_id] = secret

    def _replace(self, said: dict[str, object]) -> None:
        """Replaces the file as a whole; only its owner may read it."""
        fresh = self._file.with_name(f".{self._file.name}.{os.getpid()}.new")
        fresh.unlink(missing_ok=True)
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
            json.dump(said, stream, indent=2, ensure_ascii=False)
            stream.write("\n")
        fresh.replace(self._file)
