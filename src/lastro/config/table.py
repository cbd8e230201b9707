"""The table of settings, settings.md: the parser, `lastro settings` and the guide's page are made of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lastro.terminal.parsing import closest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_NEEDED = "**needed**"
# Of commands that call an API from outside; `lastro sandbox env` sets them.
_OF_CALLERS = frozenset({
    "LASTRO_API_URL", "LASTRO_CLIENT_ID", "LASTRO_CLIENT_SECRET", "LASTRO_CLIENT_SECRET_FILE", "LASTRO_WEBHOOK_SECRET",
    "LASTRO_SIMULATOR_URL", "LASTRO_ACCOUNT_ID", "LASTRO_PIX_KEY",
})  # fmt: skip
_DOCS = "../../../docs/"  # the target of the sentences' links, from the table's own folder
_ENGLISH = """# Settings

Environment variables, read once at start by every command; `lastro settings` prints them too. A start that is refused says
everything that is wrong, one sentence a line. **needed** means: outside the sandbox.

Where the sandbox has no default of its own, the other holds. `$NAME` in a default is the value of that setting.

| variable | value | default | in the sandbox | |
|---|---|---|---|---|
"""
_PORTUGUESE = """# Configurações

Variáveis de ambiente, lidas uma vez, no início, por todo comando; `lastro settings --portuguese` também as mostra. Um início
recusado diz tudo o que está errado, uma frase por linha. **necessária** quer dizer: fora do sandbox.

Onde o sandbox não tem padrão próprio, vale o outro. `$NAME` num padrão é o valor daquela configuração.

| variável | valor | padrão | no sandbox | |
|---|---|---|---|---|
"""


@dataclass(frozen=True, slots=True)
class Row:
    """One setting, as it stands in the table."""

    name: str
    form: str
    production: str
    sandbox: str
    english: str
    portuguese: str

    @property
    def is_needed(self) -> bool:
        """True if production does not start without it."""
        return self.production == _NEEDED

    @property
    def words(self) -> tuple[str, ...]:
        """The words that it may be; none where it is no word."""
        return tuple(re.findall(r"`(\w+)`", self.form))

    @property
    def range(self) -> tuple[int, int]:
        """The least and the most that a whole number may be."""
        least, _, most = self.form.partition("..")
        return int(least), int(most)

    def default(self, *, sandbox: bool) -> str:
        """Returns the default of an unset value; empty: none."""
        cell = (self.sandbox if sandbox else "") or self.production
        return "" if cell == _NEEDED else cell.strip("`")

    def sentence(self, language: str) -> str:
        """Returns its description, in Markdown."""
        return (self.portuguese if language == "pt" else self.english).replace(_DOCS, "")


@cache
def rows() -> Mapping[str, Row]:
    """Returns every setting by its name, in the table's order."""
    lines = Path(__file__).with_name("settings.md").read_text(encoding="utf-8").splitlines()
    cells = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| `"))
    return {name.strip("`"): Row(name.strip("`"), *others) for name, *others in cells}


def unknown(environment: Mapping[str, str]) -> list[str]:
    """Returns the variables that are named like a setting and are none."""
    # A secret's name without _FILE is the secret itself.
    known = {name for row in rows().values() for name in (row.name, row.name.removesuffix("_FILE"))} | _OF_CALLERS
    return sorted(name for name in environment if name.startswith("LASTRO_") and name not in known)


def meant(name: str, cutoff: float = 0.6) -> str | None:
    """Returns the setting that a name is most like; None: none is. cutoff: of difflib's ratio."""
    short = {one.removeprefix("LASTRO_"): one for one in rows()}
    found = closest(name.upper().removeprefix("LASTRO_"), short, cutoff)
    return None if found is None else short[found]


def page(language: str) -> str:
    """Returns the table in one language, as a page of the guide."""
    lines = [
        f"| `{row.name}` | {row.form} | {row.production} | {row.sandbox} | {row.sentence(language)} |\n"
        for row in rows().values()
    ]
    if language == "pt":
        return _PORTUGUESE + "".join(lines).replace(_NEEDED, "**necessária**")
    return _ENGLISH + "".join(lines)


def shown(environment: Mapping[str, str], word: str, language: str) -> list[dict[str, Any]]:
    """Returns the settings whose name has the word. It tells whether each is set; values may be secret and are left out."""
    is_sandbox = environment.get("LASTRO_MODE", "").strip() != "production"
    return [
        {
            "name": row.name,
            "value": row.form.replace("`", ""),
            "default": row.default(sandbox=is_sandbox) or None,
            "isNeeded": row.is_needed and not is_sandbox,
            "isSet": bool(environment.get(row.name, "").strip()),
            "description": re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", row.sentence(language)).replace("`", ""),
        }
        for row in rows().values()
        if word.upper() in row.name
    ]


def as_lines(settings: Iterable[Mapping[str, Any]]) -> str:
    """Returns the same as text, two lines a setting."""
    lines = []
    for one in settings:
        marks = ", ".join(text for text, is_so in (("needed", one["isNeeded"]), ("set", one["isSet"])) if is_so)
        first = f"{one['name']}  {one['value']}  [{one['default'] or ''}]"
        lines += [f"{first}  {marks}".rstrip(), f"    {one['description']}"]
    return "\n".join(lines)
