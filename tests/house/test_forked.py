"""What a forked program sees and how its end is told, beside the same one as Python starts it (tests/forked.py)."""

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests import forked

pytestmark = pytest.mark.skipif(not forked.FORKS, reason="nothing is forked here")

_SEES = """
import asyncio, json, os, random, signal, sys, threading
print(json.dumps({
    "name": __name__, "arguments": sys.argv, "environment": dict(os.environ), "folder": os.getcwd(), "path": sys.path[0],
    "leads": os.getsid(0) == os.getpid(), "open": sorted(os.listdir("/proc/self/fd")), "mask": os.umask(0o22),
    "threads": len(os.listdir("/proc/self/task")), "terminal": sys.stdin.isatty(), "through": sys.stdout.write_through,
    "signals": [str(signal.getsignal(n)) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD, signal.SIGPIPE)],
    "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])), "wakes": signal.set_wakeup_fd(-1),
    "loop": str(asyncio._get_running_loop()), "main": threading.current_thread() is threading.main_thread(),
    "is_main": sys.modules["__main__"].__dict__ is globals(),
}))
"""
_ENDS = {
    "well": ("", 0, "", ""),
    "a number": ("import sys\nprint('so')\nsys.exit(3)", 3, "so\n", ""),
    "a sentence": ("import sys\nsys.exit('It is closed.')", 1, "", "It is closed.\n"),
    "an error": ("1 / 0", 1, "", "ZeroDivisionError: division by zero\n"),
    "kill -9": ("import os\nos.kill(os.getpid(), 9)", -signal.SIGKILL, "", ""),
    "a signal": ("import os\nos.kill(os.getpid(), 15)", -signal.SIGTERM, "", ""),
    "what is said at exit": ("import atexit\natexit.register(print, 'bye')", 0, "bye\n", ""),
}


def seen(program: tuple[str, ...], *, anew: bool, **environment: str) -> Any:
    ended = forked.run(program, env=environment, anew=anew)
    assert (ended.returncode, ended.stderr) == (0, "")
    return json.loads(ended.stdout)


@pytest.mark.parametrize("environment", [{"PATH": "/bin", "LASTRO_HOME": "/nowhere"}, {"PYTHONUNBUFFERED": "1"}], ids=str)
@pytest.mark.parametrize("how", ["by its name", "by its file"])
def test_it_sees_what_it_would_see(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str, environment: dict[str, str]
) -> None:
    file = tmp_path / "what_is_seen.py"
    file.write_text(_SEES)
    monkeypatch.chdir(tmp_path)
    program = ("-m", "what_is_seen") if how == "by its name" else (str(file),)
    here = dict(environment) | {"LC_CTYPE": "C.UTF-8"}
    assert seen((*program, "a", "--b"), anew=False, **here) == seen((*program, "a", "--b"), anew=True, **here)


def test_no_two_draw_the_same(tmp_path: Path) -> None:
    file = tmp_path / "draws.py"
    file.write_text("import json, os, random, secrets, uuid\n"
                    "print(json.dumps([os.getpid(), random.random(), secrets.token_hex(8), str(uuid.uuid4())]))")  # fmt: skip
    for one, other in zip(*(seen((str(file),), anew=False) for _ in range(2)), strict=True):
        assert one != other


@pytest.mark.parametrize("name", _ENDS)
def test_its_end_is_told(tmp_path: Path, name: str) -> None:
    source, status, out, last = _ENDS[name]
    file = tmp_path / "ends.py"
    file.write_text(source)
    ended = forked.run((str(file),), env={})
    assert (ended.returncode, ended.stdout) == (status, out)
    assert ended.stderr.endswith(last)
    assert bool(ended.stderr) == bool(last)


async def test_it_is_spoken_with(tmp_path: Path) -> None:
    file = tmp_path / "speaks.py"
    file.write_text("import sys\nfor line in sys.stdin:\n    print(line.upper(), end='')\nprint('no', file=sys.stderr)")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = await forked.begin((str(file),), env={}, **pipes)
    assert await process.communicate(b"a\nb\n") == (b"A\nB\n", b"no\n")
    assert process.returncode == 0


def test_it_is_killed_alone(tmp_path: Path) -> None:
    file = tmp_path / "waits.py"
    file.write_text("import sys\nprint('here', flush=True)\nsys.stdin.read()")
    first, second = (
        forked.start((str(file),), env={}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, own_session=True)
        for _ in range(2)
    )
    for each in (first, second):
        assert each.stdout is not None
        assert each.stdout.readline() == "here\n"
        assert os.getsid(each.pid) == each.pid
    first.kill()
    assert first.wait(10) == -signal.SIGKILL
    assert second.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        second.wait(0.0)
    assert second.stdin is not None
    second.stdin.close()
    assert second.wait(10) == 0
    second.send_signal(signal.SIGKILL)
    assert second.wait() == 0
