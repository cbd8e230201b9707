"""Settings of the entry point: ports, secrets, time-outs. Nothing below it reads the environment."""

from dataclasses import dataclass
from datetime import time
from pathlib import Path

LASTRO_ISPB = "99999010"
PAYER_BANK_ISPB = "99999020"
OUTSIDE_BANK_ISPB = "99999030"
COMPANY_BANK_ISPB = "99999040"
SPI_ISPB = "00038166"

BANK_NAMES = {
    LASTRO_ISPB: "LASTRO SANDBOX IP",
    PAYER_BANK_ISPB: "BANCO DO PAGADOR SIMULADO",
    OUTSIDE_BANK_ISPB: "BANCO DE FORA SIMULADO",
    COMPANY_BANK_ISPB: "BANCO DE EMPRESAS SIMULADO",
}

SIMULATED_BANKS = frozenset({PAYER_BANK_ISPB, OUTSIDE_BANK_ISPB, COMPANY_BANK_ISPB})


@dataclass(frozen=True)
class ChargeHours:
    """The hours for collecting charges of Pix Automático, in Brasília time.

    Source: institutions publish them. A window that opens is worked through from `*_tried` on. A charge not collected by the
    end of the second one is not collected that day. receiver_cancels, payer_cancels: the last hour of the day before.
    """

    first_opens: time = time(0)
    first_tried: time = time(0, 30)
    first_closes: time = time(8)
    second_opens: time = time(18)
    second_tried: time = time(18, 30)
    second_closes: time = time(21)
    receiver_cancels: time = time(22)
    payer_cancels: time = time(23, 59)


@dataclass(frozen=True)
class Settings:
    """The settings that differ between a sandbox, a test and another machine."""

    home: Path
    token: str
    port: int = 8090
    lastro_url: str = "http://127.0.0.1:8080"
    public_hosts: tuple[str, ...] = ()
    ask_seconds: float = 10.0
    """How long the network waits for the receiver's yes or no."""
    lease_seconds: float = 30.0
    """After this an unconfirmed message is given to whoever asks."""
    answer_seconds: float = 12.0
    """How long the phone waits for the end of a payment."""
    fetch_seconds: float = 10.0
    """How long the payer's bank waits for a location."""
    id_hours: float = 12.0
    """How far the minute in an endToEndId may lie from when its payment is worked on, before or behind."""
    keys_seconds: float = 60.0
    """How long the payer's bank trusts the keys it fetched."""
    charge_hours: ChargeHours = ChargeHours()
    bank_port: int = 8091
    """The port of the bank that speaks API Pix; 0: a free one."""

    @property
    def store_path(self) -> Path:
        """The file of the store."""
        return self.home / "simulator" / "network.db"

    @property
    def bank_folder(self) -> Path:
        """The folder of the bank's certificates and its first customer's credentials."""
        return self.home / "simulator" / "bank"

    @property
    def sandbox_file(self) -> Path:
        """The file with lastro's sandbox data, the webhook secret included."""
        return self.home / "sandbox.json"
