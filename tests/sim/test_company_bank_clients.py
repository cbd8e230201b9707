"""Strangers' clients at the companies' bank: two that talk to real banks every day, each over mTLS in its own token style.

`efipay` is Efí's own SDK; `pypix-api` speaks to Banco do Brasil, Inter, Sicoob and Sicredi. They make a charge, see that it
was paid, list and give back. Nobody here wrote them, so they know nothing of what lastro takes for granted.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import efipay
import pytest
from efipay.constants import Constants
from pypix_api.auth.oauth2 import OAuth2Client
from pypix_api.banks.bb import BBPixAPI
from pypix_api.banks.inter import InterPixAPI
from pypix_api.banks.sicoob import SicoobPixAPI
from pypix_api.banks.sicredi import SicrediPixAPI

from lastro_sim.api_pix import listener
from lastro_sim.clock import moment

from .company_bank import new_tx_id, terms
from .stage import Sim, running

PAID = "12.34"
SCOPES = "cob.read cob.write pix.read pix.write webhook.read webhook.write"


@dataclass(frozen=True)
class Shop:
    """A customer of the bank, in one dialect."""

    sim: Sim
    said: dict[str, Any]

    @property
    def url(self) -> str:
        url: str = self.said["base_url"].removesuffix("/v2")
        return url

    @property
    def secret(self) -> str:
        return Path(self.said["client_secret_file"]).read_text("utf-8")

    @property
    def terms(self) -> dict[str, Any]:
        return terms(PAID, key=self.said["keys"][0])

    def day(self) -> tuple[str, str]:
        """Beginning and end of what is listed, without fractions of a second."""
        now = moment(self.sim.network.clock.business())
        begins, ends = (now + timedelta(hours=hours) for hours in (-6, 6))
        return begins.strftime("%Y-%m-%dT%H:%M:%SZ"), ends.strftime("%Y-%m-%dT%H:%M:%SZ")

    async def pay(self, tx_id: str) -> str:
        paid = await self.sim.act("/bank/company/payments", {"txid": tx_id})
        name: str = paid["endToEndId"]
        return name


@pytest.fixture
async def sim(tmp_path: Path) -> AsyncIterator[Sim]:
    async with running(tmp_path, bank_port=0) as made, listener.listening(made.network, "127.0.0.1"):
        yield made


async def shop(sim: Sim, dialect: str, monkeypatch: pytest.MonkeyPatch) -> Shop:
    said = await sim.act(
        "/bank/company/customers", {"clientId": dialect, "dialect": dialect, "keys": [f"{dialect}@shop.example"]}
    )
    # requests trusts the bank's authority by this alone.
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", said["ca_file"])
    for name in ("HTTPS_PROXY", "https_proxy", "CLIENT_ID", "CLIENT_SECRET", "CERT", "PVK", "CERT_PFX", "PWD_PFX"):
        monkeypatch.delenv(name, raising=False)
    return Shop(sim, said)


async def test_efipay_charges_is_paid_lists_and_gives_back(sim: Sim, monkeypatch: pytest.MonkeyPatch) -> None:
    made = await shop(sim, "efi", monkeypatch)
    monkeypatch.setitem(Constants.APIS["PIX"]["URL"], "sandbox", made.url)
    options = {"client_id": "efi", "client_secret": made.secret, "sandbox": True, "certificate": made.said["bundle_file"]}
    efi, tx_id = efipay.EfiPay(options), new_tx_id()

    charge = await asyncio.to_thread(efi.pix_create_charge, params={"txid": tx_id}, body=made.terms)
    assert (charge["status"], charge["pixCopiaECola"][:6]) == ("ATIVA", "000201")
    name = await made.pay(tx_id)
    assert (await asyncio.to_thread(efi.pix_detail_charge, params={"txid": tx_id}))["status"] == "CONCLUIDA"
    begins, ends = made.day()
    listed = await asyncio.to_thread(efi.pix_received_list, params={"inicio": begins, "fim": ends})
    assert [(one["endToEndId"], one["valor"]) for one in listed["pix"]] == [(name, PAID)]
    returned = await asyncio.to_thread(efi.pix_devolution, params={"e2eId": name, "id": "R1"}, body={"valor": "2.34"})
    assert (returned["status"], returned["valor"]) == ("DEVOLVIDO", "2.34")
    # What Efí refuses, it says in its own words.
    refused = await asyncio.to_thread(efi.pix_devolution, params={"e2eId": name, "id": "R2"}, body={"valor": "99.00"})
    assert refused["nome"] == "pix_devolucao_invalida"


def _bb(made: Shop, **oauth: Any) -> Any:
    api = BBPixAPI(OAuth2Client(**oauth, client_secret=made.secret), scopes=SCOPES)
    api.session.params = {"gw-dev-app-key": "d27b"}  # which pypix-api leaves to who uses it
    return api


CLIENTS: dict[str, Callable[..., Any]] = {
    "bb": _bb,
    "inter": lambda made, **oauth: InterPixAPI(OAuth2Client(**oauth, client_secret=made.secret, client_auth="body")),
    "sicoob": lambda _, **oauth: SicoobPixAPI(OAuth2Client(**oauth)),
    "sicredi": lambda made, **oauth: SicrediPixAPI(OAuth2Client(**oauth, client_secret=made.secret)),
}
BASES = {"bb": "/pix/v2", "inter": "/pix/v2", "sicoob": "/pix/api/v2", "sicredi": "/api"}


@pytest.mark.parametrize("bank", CLIENTS)
async def test_pypix_charges_is_paid_lists_and_gives_back(sim: Sim, monkeypatch: pytest.MonkeyPatch, bank: str) -> None:
    made = await shop(sim, bank, monkeypatch)
    api = CLIENTS[bank](
        made, token_url=made.said["token_url"], client_id=bank, cert=made.said["certificate_file"], pvk=made.said["key_file"]
    )
    monkeypatch.setattr(type(api), "BASE_URL", made.url + BASES[bank])
    tx_id, (begins, ends) = new_tx_id(), made.day()

    charge = await asyncio.to_thread(api.criar_cob, tx_id, made.terms)
    assert (charge["txid"], charge["status"]) == (tx_id, "ATIVA")
    assert charge["brcode" if bank == "sicoob" else "pixCopiaECola"].startswith("000201")
    name = await made.pay(tx_id)
    assert (await asyncio.to_thread(api.consultar_cob, tx_id))["status"] == "CONCLUIDA"
    listed = await asyncio.to_thread(api.consultar_pix, begins, ends, txid=tx_id)
    assert [(one["endToEndId"], one["valor"]) for one in listed["pix"]] == [(name, PAID)]
    returned = await asyncio.to_thread(api.solicitar_devolucao_pix, name, "R1", {"valor": PAID})
    assert (returned["id"], returned["status"]) == ("R1", "DEVOLVIDO")
    assert (await asyncio.to_thread(api.consultar_devolucao_pix, name, "R1"))["rtrId"] == returned["rtrId"]
    await asyncio.to_thread(api.configurar_webhook, made.said["keys"][0], "https://shop.example/pix")
    assert (await asyncio.to_thread(api.consultar_webhook, made.said["keys"][0]))["webhookUrl"] == "https://shop.example/pix"
