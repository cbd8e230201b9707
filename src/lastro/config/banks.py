"""Settings of the bank accounts that are reached by API Pix: a file of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.rails import api_pix

if TYPE_CHECKING:
    from lastro.config.given import Given

_NAME = "LASTRO_BANKS_FILE"


def connections(given: Given) -> tuple[api_pix.Connection, ...]:
    """Reads the connections to banks. None where no file is named; each mistake of the file is a problem."""
    if not given.text(_NAME):
        return ()
    path = given.folder(_NAME)
    try:
        text = api_pix.settings_text(path)
    except api_pix.FileUnfit as unfit:
        given.problems.append(f"{_NAME} {unfit}.")
        return ()
    found, problems = api_pix.read(text, path.parent, is_sandbox=given.is_sandbox)
    if not given.text("LASTRO_CLIENT_CERTIFICATE_HEADER"):
        problems += tuple(
            f"[{one.name}] peers needs LASTRO_CLIENT_CERTIFICATE_HEADER: without it, no call of the bank could be let in."
            for one in found
            if one.peers
        )
    given.problems.extend(f"{_NAME}: {problem}" for problem in problems)
    return found
