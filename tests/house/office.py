"""Where an operator types commands, and the environment in which they run."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lastro.cli import CommandFailed, perform
from lastro.config.settings import Settings
from lastro.core.secrets import KeyRing

HOLDER = (
    "--holder-type", "organization", "--name", "Ana Flores Ltda", "--document", "11.222.333/0001-81",
    "--email", "ana@example.com", "--phone", "+55 (11) 99999-0000",
)  # fmt: skip


@dataclass
class Office:
    """Where an operator types."""

    settings: Settings

    def types(self, *words: str) -> str:
        """What a command prints."""
        said: list[str] = []
        perform(words, lambda: self.settings, said.append)
        (text,) = said
        return text

    def asks(self, *words: str) -> Any:
        return json.loads(self.types(*words, "--json"))

    def declined(self, *words: str) -> str:
        with pytest.raises(CommandFailed) as declined:
            self.types(*words)
        sentence = str(declined.value)
        assert sentence.endswith(".")
        assert "\n" not in sentence
        return sentence


def environment(database: Any, home: Path) -> dict[str, str]:
    keys = home / "keys"
    if not keys.exists():
        keys.touch(mode=0o600)
        keys.write_text(KeyRing.generate("k1", os.urandom).text().reveal())
    told = {"LASTRO_DATABASE_URL": database.admin.url, "LASTRO_KEYS_FILE": str(keys), "LASTRO_HOME": str(home)}
    return told if database.is_external else told | {"LASTRO_APP_DATABASE_URL": database.app.url}
