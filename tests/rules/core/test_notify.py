"""How long one waits before it connects again."""

import asyncio
from collections.abc import Coroutine
from types import SimpleNamespace
from typing import Any

import pytest

from lastro.core import notify
from lastro.core.db import Dsn

_MOST = 8


@pytest.mark.parametrize(
    ("steady", "pauses"),
    [
        (60.0, [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]),  # LISTEN at a standby: connected, and refused at once
        (0.0, [0.1] * _MOST),  # it worked for long enough
    ],
)
def test_who_fails_at_once_waits_ever_longer(monkeypatch: pytest.MonkeyPatch, steady: float, pauses: list[float]) -> None:
    stop, waited = asyncio.Event(), []

    async def connect(_settings: object) -> Any:
        return SimpleNamespace(terminate=lambda: None)

    async def wait(waiting: Coroutine[Any, Any, Any], pause: float) -> None:
        waiting.close()
        waited.append(pause)
        if len(waited) == _MOST:
            stop.set()

    async def act(*_: object) -> None:
        raise OSError("refused")

    monkeypatch.setattr(notify, "Servers", lambda _: SimpleNamespace(connect=connect))
    monkeypatch.setattr(notify, "_STEADY_SECONDS", steady, raising=False)
    monkeypatch.setattr(asyncio, "wait_for", wait)
    asyncio.run(notify._connected(Dsn("postgresql://db1/lastro"), stop, act))
    assert waited == pytest.approx(pauses)
