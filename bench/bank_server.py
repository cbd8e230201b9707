"""A bank that speaks API Pix as fast as it can: `python -m bench.bank_server PORT`. No simulator is measured.

Charges are kept; POST /play/pay pays all of them. With ?items=N among the parameters of GET /pix it makes up so many Pix.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from typing import Any

from aiohttp import web

from lastro.standards import brcode

_TOKEN = {"access_token": "token-of-a-bench", "token_type": "Bearer", "expires_in": 3600}
_SIZE = 1000
_AT = "2026-01-02T12:00:00.000Z"


class Bank:
    """Its charges by txid, and what was paid."""

    def __init__(self) -> None:
        self._charges: dict[str, dict[str, Any]] = {}
        self._paid: list[str] = []

    def application(self) -> web.Application:
        """Returns the server's application."""
        app = web.Application()
        app.router.add_post("/oauth/token", self._token)
        app.router.add_put("/v2/cob/{txid}", self._put)
        app.router.add_get("/v2/cob", self._no_charges)
        app.router.add_get("/v2/pix", self._pix)
        app.router.add_get("/health", self._token)
        app.router.add_post("/play/pay", self._pay)
        return app

    async def _token(self, _: web.Request) -> web.Response:
        return web.json_response(_TOKEN)

    async def _put(self, request: web.Request) -> web.Response:
        txid, asked = request.match_info["txid"], json.loads(await request.read())
        location = f"bank.example/qr/v2/{txid}"
        code = brcode.encode(brcode.BrCode(merchant_name="PADARIA", merchant_city="SP", location=location))
        calendar = {"criacao": _now(), "expiracao": asked["calendario"]["expiracao"]}
        made = {"txid": txid, "revisao": 0, "status": "ATIVA", "location": location, "pixCopiaECola": code}
        self._charges[txid] = asked | made | {"calendario": calendar}
        return web.json_response(self._charges[txid], status=201)

    async def _no_charges(self, request: web.Request) -> web.Response:
        return _page(request, "cobs", [], 0)

    async def _pay(self, _: web.Request) -> web.Response:
        at = datetime.now(UTC)
        for number, (txid, charge) in enumerate(self._charges.items()):
            name = f"E12345678{at:%Y%m%d%H%M}{number:011d}"
            value = charge["valor"]["original"]
            self._paid.append(f'{{"endToEndId":"{name}","txid":"{txid}","valor":"{value}","horario":"{_now()}"}}')
        self._charges.clear()
        return web.json_response({"paid": len(self._paid)})

    async def _pix(self, request: web.Request) -> web.Response:
        number = int(request.query.get("paginacao.paginaAtual", "0"))
        first, made_up = number * _SIZE, int(request.query.get("items", "0"))
        if made_up:
            rows = [
                f'{{"endToEndId":"E12345678202601021200{n:011d}","txid":"{n:032d}","valor":"10.50","horario":"{_AT}"}}'
                for n in range(first, min(first + _SIZE, made_up))
            ]
            return _page(request, "pix", rows, made_up)
        begins, ends = request.query["inicio"][:19], request.query["fim"][:19]
        found = [one for one in self._paid if begins <= one.rpartition('"horario":"')[2][:19] <= ends]
        return _page(request, "pix", found[first : first + _SIZE], len(found))


def _now() -> str:
    return f"{datetime.now(UTC).isoformat(timespec='milliseconds').removesuffix('+00:00')}Z"


def _page(request: web.Request, name: str, rows: list[str], total: int) -> web.Response:
    """Returns a list's page. rows: JSON."""
    paging = {
        "paginaAtual": int(request.query.get("paginacao.paginaAtual", "0")), "itensPorPagina": _SIZE,
        "quantidadeDePaginas": max(1, -(-total // _SIZE)), "quantidadeTotalDeItens": total,
    }  # fmt: skip
    said = json.dumps({"inicio": request.query["inicio"], "fim": request.query["fim"], "paginacao": paging})
    text = f'{{"parametros":{said},"{name}":[{",".join(rows)}]}}'
    return web.Response(text=text, content_type="application/json")


if __name__ == "__main__":
    web.run_app(Bank().application(), host="127.0.0.1", port=int(sys.argv[1]), print=None, access_log=None)
