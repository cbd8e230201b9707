"""Prism, a validating proxy that nobody here wrote, between a client of API Pix and a bank.

Every request that passes keeps the corrected document, and so does every answer; Prism answers the others itself, with its
own errors: 422 for a request, 500 for an answer (`Proxy.errors` lists them). It lets nothing pass without `authorization`.
Of statuses that are not documented it refuses those of 200 to 299 alone; `Oracle.problems_of` refuses all.
It knows no TLS towards its client, and no /oauth/token: a token is fetched from the bank itself.

    @pytest.fixture(scope="module")
    def proxy(bank, tmp_path_factory):
        with prism.proxy(bank.url, tmp_path_factory.mktemp("prism")) as running:
            yield running
"""

import re
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

from tests import npm

from .pix_api import corrected_file

_PACKAGE = Path(__file__).parent / "prism"
_LOG_SECONDS = 60
_LISTENS = "Prism is listening on "
_ENDED = "Request terminated with error: "


class Proxy:
    """One that runs. url: what stands before `/cob`."""

    def __init__(self, written: Iterator[str]) -> None:
        self.url = ""
        self._lines: list[str] = []
        self._is_over = False
        self._grown = threading.Condition()
        self._reader = threading.Thread(target=self._follow, args=(written,), daemon=True)
        self._reader.start()

    def wait(self) -> None:
        """Waits until it listens, and learns its URL. RuntimeError where it does not."""
        self.url = self._line(_LISTENS).partition(_LISTENS)[2]

    def errors(self) -> list[str]:
        """Lists what Prism refused so far, of either side: `put /cob/…: …#VIOLATIONS: Request/Response not valid`.

        Its log comes later than its answers, so a question of our own is put behind them and waited for.
        """
        last = f"/none/{len(self._lines)}"
        with suppress(HTTPError), urlopen(self.url + last):
            pass
        self._line(f"get {last} ")
        found = [line for line in self._lines if _ENDED in line and " get /none/" not in line]
        return [re.sub(r".*\[HTTP SERVER\] (\S+ \S+).*" + _ENDED, r"\1: ", line) for line in found]

    def join(self) -> None:
        """Waits until the log has ended."""
        self._reader.join(_LOG_SECONDS)

    def _follow(self, written: Iterator[str]) -> None:
        for line in written:
            with self._grown:
                self._lines.append(line.strip())
                self._grown.notify_all()
        with self._grown:
            self._is_over = True
            self._grown.notify_all()

    def _line(self, part: str) -> str:
        """Waits for a line with these words. RuntimeError where none comes in time, or the log ends."""

        def seen() -> str:
            return next((line for line in self._lines if part in line), "")

        with self._grown:
            self._grown.wait_for(lambda: seen() or self._is_over, _LOG_SECONDS)
            if not seen():
                raise RuntimeError(f"Prism never wrote {part!r}, but {self._lines[-5:]}")
            return seen()


@contextmanager
def proxy(upstream: str, folder: Path) -> Iterator[Proxy]:
    """Runs Prism before a bank on a port of its own choice. Skips the test, and says so, where it cannot be had.

    upstream: the bank's URL, with what stands before `/cob`; folder: for the corrected document.
    """
    program = str(npm.installed(_PACKAGE) / "node_modules/.bin/prism")
    command = [program, "proxy", str(corrected_file(folder)), upstream, "--errors", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8")
    assert process.stdout is not None
    running = Proxy(process.stdout)
    try:
        running.wait()
        yield running
    finally:
        process.terminate()
        process.wait(_LOG_SECONDS)
        running.join()
        process.stdout.close()
