"""The letter box: a mail server and an SMS gateway take what is sent, and anybody may read it."""

import asyncio
import smtplib
from asyncio import to_thread
from contextlib import suppress
from email.message import EmailMessage
from typing import Any

import pytest

from lastro_sim.messages.smtp import PORT_FILE

from .stage import Sim

SMS = {"id": "m1", "to": "+5511987650001", "text": "052731 é o código para registrar sua chave Pix."}


async def arrived(sim: Sim, to: str) -> list[dict[str, Any]]:
    data: list[dict[str, Any]] = (await sim.http.get("/messages", params={"to": to})).json()["data"]
    return data


async def mail(sim: Sim, to: str, text: str, message_id: str = "<m1@lastro.example>") -> None:
    letter = EmailMessage()
    letter["From"], letter["To"], letter["Subject"], letter["Message-ID"] = "a@lastro.example", to, "código", message_id
    letter.set_content(text)
    port = int((sim.network.settings.home / PORT_FILE).read_text())

    def hand_in() -> None:
        with smtplib.SMTP("127.0.0.1", port, timeout=10) as server:
            server.send_message(letter)

    await to_thread(hand_in)


async def test_a_letter_arrives_whole(sim: Sim) -> None:
    await mail(sim, "Bia@Example.com", "052731 é o código.\n.\n..ponto\nfim")
    (one,) = await arrived(sim, "bia@example.com")
    assert (one["channel"], one["code"], one["text"]) == ("EMAIL", "052731", "052731 é o código.\n.\n..ponto\nfim")
    assert "052731" in (await sim.http.get("/phone")).text
    assert await arrived(sim, "another@example.com") == []


async def test_a_form_of_a_browser_is_no_letter(sim: Sim) -> None:
    """A page could have it sent here, with a letter in its body."""
    letter = b"MAIL FROM:<a@x>\r\nRCPT TO:<eve@example.com>\r\nDATA\r\n\r\n052731\r\n.\r\nQUIT\r\n"
    reader, writer = await asyncio.open_connection("127.0.0.1", int((sim.network.settings.home / PORT_FILE).read_text()))
    writer.write(b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" + letter)
    assert await reader.readline() == b"220 lastro-sim\r\n"
    with suppress(ConnectionResetError):  # it has hung up on what was still to be read
        assert await reader.read() == b""
    writer.close()
    assert await arrived(sim, "eve@example.com") == []


async def test_a_text_message_arrives_once(sim: Sim) -> None:
    assert (await sim.http.post("/sms/v1/messages", json=SMS)).status_code == 401
    assert [(await sim.ask("POST", "/sms/v1/messages", SMS)).status_code for _ in range(2)] == [201, 200]
    (one,) = await arrived(sim, SMS["to"])
    assert (one["channel"], one["code"], one["text"]) == ("SMS", "052731", SMS["text"])
    assert (await sim.ask("POST", "/sms/v1/messages", SMS | {"to": "5511987650001"})).status_code == 400


@pytest.mark.parametrize(("behaviour", "status", "count"), [("down", 503, 0), ("reject", 400, 0), ("lost-answer", 503, 1)])
async def test_faults_of_the_gateway(sim: Sim, behaviour: str, status: int, count: int) -> None:
    await sim.act("/faults", {"operation": "message", "behaviour": behaviour, "match": {"key": SMS["to"]}})
    assert (await sim.ask("POST", "/sms/v1/messages", SMS)).status_code == status
    assert len(await arrived(sim, SMS["to"])) == count
    assert (await sim.ask("POST", "/sms/v1/messages", SMS)).status_code == 201 - count


@pytest.mark.parametrize(
    ("behaviour", "says", "count"),
    [
        ("down", smtplib.SMTPResponseException, 0), ("reject", smtplib.SMTPRecipientsRefused, 0),
        ("lost-answer", smtplib.SMTPServerDisconnected, 1),
    ],
)  # fmt: skip
async def test_faults_of_the_mail_server(sim: Sim, behaviour: str, says: type[Exception], count: int) -> None:
    await sim.act("/faults", {"operation": "message", "behaviour": behaviour})
    with pytest.raises((says, smtplib.SMTPRecipientsRefused)):
        await mail(sim, "bia@example.com", "1")
    assert len(await arrived(sim, "bia@example.com")) == count
    await mail(sim, "bia@example.com", "1", "<m2@lastro.example>")
    assert len(await arrived(sim, "bia@example.com")) == count + 1
