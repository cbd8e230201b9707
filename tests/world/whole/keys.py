"""Our keys against the directory's entries: each key that is ACTIVE here leads there to the same account, and each entry of ours is ACTIVE here."""

from collections.abc import Iterable, Mapping
from typing import Any

from tests.journeys.play import _ISPB, Play

_KEYS = """
SELECT k.key, a.branch, a.number FROM pix_keys k JOIN accounts a ON a.company_id = k.company_id AND a.id = k.account_id
 WHERE k.status = 'ACTIVE'
"""


async def compared(play: Play) -> list[str]:
    """What is on one side alone, or otherwise than on the other."""
    theirs = (await play.act("/directory", method="GET"))["data"]
    return differences([dict(row) for row in await play.books.fetch(_KEYS)], theirs)


def differences(ours: Iterable[Mapping[str, Any]], theirs: Iterable[Mapping[str, Any]]) -> list[str]:
    """ours: keys that are ACTIVE here. theirs: all entries, as the simulator lists them, of every bank."""
    entries = {entry["key"]: entry["bank"] for entry in theirs}
    wrong: list[str] = []
    here: set[str] = set()
    for key in ours:
        name, place = key["key"], (_ISPB, key["branch"], key["number"])
        bank = entries.get(name)
        found = None if bank is None else (bank["ispb"], bank["branch"], bank["account"])
        if name in here:
            wrong.append(f"key {name} is ACTIVE here twice")
        elif found != place:
            wrong.append(f"key {name} is ACTIVE here at {place}, and the directory has it at {found or 'no bank'}")
        here.add(name)
    return wrong + [
        f"key {name} is ours in the directory, and not ACTIVE here"
        for name, bank in entries.items()
        if bank["ispb"] == _ISPB and name not in here
    ]
