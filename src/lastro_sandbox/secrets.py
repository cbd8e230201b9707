"""The secrets of a sandbox, made on its first start: a key ring and the token of the simulated network."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from lastro.core.secrets import KeyRing, new_machine_secret
from lastro_sandbox.embedded import StartRefused

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path


def ensure(home: Path) -> Mapping[str, str]:
    """Creates missing key files for the owner alone, and returns their variables."""
    keys, token = home / "keys", home / "network.token"
    if not keys.exists() and (home / "demo.json").exists():
        raise StartRefused(f"The key file {keys} is gone, and what the database holds was sealed with it: put it back.")
    _once(keys, lambda: KeyRing.generate("k1", os.urandom).text().reveal())
    _once(token, lambda: new_machine_secret("lnt_", os.urandom).reveal())
    return {"LASTRO_KEYS_FILE": str(keys), "LASTRO_NETWORK_TOKEN": token.read_text(encoding="utf-8").strip()}


def _once(file: Path, make: Callable[[], str]) -> None:
    if file.exists():
        return
    fresh = file.with_name(f".{file.name}.new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
        stream.write(make() + "\n")
        stream.flush()
        os.fsync(stream.fileno())
    fresh.replace(file)
