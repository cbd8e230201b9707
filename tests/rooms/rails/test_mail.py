"""Letters, handed in at a real mail server: one is there or comes again, a refusal is for good, and nothing goes in the clear."""

import random
import socket
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from lastro.core.secrets import Secret
from lastro.rails.mail import Mail, MailServer
from lastro.rails.port import Permanent, Transient
from lastro_sim import faults
from lastro_sim.bells import Bells
from lastro_sim.chance import Dice
from lastro_sim.clock import Clock
from lastro_sim.forms import Form
from lastro_sim.messages import box
from lastro_sim.messages.smtp import MailServer as Simulated
from lastro_sim.network import Network
from lastro_sim.settings import Settings
from lastro_sim.store import Store

TO = "ana@example.com"


class Town:
    def __init__(self, network: Network, port: int) -> None:
        self.network = network
        self.port = port

    async def carry(self, message_id: str = "v.1", to: str = TO, **changes: Any) -> None:
        given = {"host": "127.0.0.1", "port": self.port, "tls": "none", "sender": "codigo@lastro.example", **changes}
        mail = Mail(lambda: MailServer(**given))
        await mail.carry(message_id=message_id, to=to, subject="Seu código: 052731", text="052731 é o código.\n.\nAté já")

    def fault(self, behaviour: str) -> None:
        asked = Form({"operation": "message", "behaviour": behaviour, "match": {"key": TO}})
        faults.order(self.network, asked, faults.BEHAVIOURS)

    @property
    def everything(self) -> list[dict[str, Any]]:
        return box.listed(self.network, None, 10)

    @property
    def letters(self) -> list[str]:
        return [one["text"] for one in box.listed(self.network, TO, 10)]


@pytest.fixture
async def town(tmp_path: Path) -> AsyncIterator[Town]:
    settings = Settings(home=tmp_path, token="x")
    store = Store(settings.store_path)
    network = Network(settings, store, Clock(lambda: time.time_ns() // 1000), Dice(random.SystemRandom()), Bells())
    server = Simulated(network)
    yield Town(network, await server.open())
    await server.close()
    store.close()


async def test_a_letter_is_there_as_it_was_written(town: Town) -> None:
    await town.carry()
    assert town.letters == ["052731 é o código.\n.\nAté já"]


@pytest.mark.parametrize(
    ("behaviour", "says", "first"), [("down", Transient, 0), ("reject", Permanent, 0), ("lost-answer", Transient, 1)]
)
async def test_what_a_server_may_do(town: Town, behaviour: str, says: type[Exception], first: int) -> None:
    town.fault(behaviour)
    with pytest.raises(says) as told:
        await town.carry()
    assert TO not in str(told.value)
    assert len(town.letters) == first
    await town.carry()
    assert len(town.letters) == 1, "the same letter again is the same letter"


@pytest.mark.parametrize("changes", [{"tls": "starttls"}, {"tls": "tls"}, {"user": "me", "password": Secret("word")}])
async def test_nothing_goes_out_in_the_clear(town: Town, changes: dict[str, Any]) -> None:
    with pytest.raises(Transient) as told:
        await town.carry(**changes)
    assert "word" not in str(told.value)
    assert town.letters == []


@pytest.mark.parametrize(
    "to", ["=?utf-8?q?ana?=@example.com", "=?utf-8?q?=0a?=@example.com", "ana@example.com, b@example.com"]
)
async def test_a_letter_that_would_go_elsewhere_goes_nowhere(town: Town, to: str) -> None:
    with pytest.raises(Permanent) as told:
        await town.carry(to=to)
    assert to not in str(told.value)
    assert town.everything == []


@pytest.mark.parametrize("to", ["a..b'c@example.com", f"{'a' * 60}@example.com.br"])
async def test_odd_addresses_are_reached(town: Town, to: str) -> None:
    await town.carry(to=to)
    assert [one["to"] for one in town.everything] == [to]


async def test_a_server_that_is_not_there(town: Town) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        with pytest.raises(Transient):
            await town.carry(port=free.getsockname()[1])
