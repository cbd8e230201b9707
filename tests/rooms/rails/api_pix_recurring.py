"""The small bank with recurrences and the charges of their cycles. A test plays payer and payer's bank by its methods."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from lastro.standards import brcode

from .api_pix_bank import Bank, instant, problem


@dataclass
class RecurringBank(Bank):
    """recurrences, recurring: as it would show them, by idRec and txid."""

    recurrences: dict[str, dict[str, Any]] = field(default_factory=dict)
    recurring: dict[str, dict[str, Any]] = field(default_factory=dict)
    locations: list[str] = field(default_factory=list)

    def application(self) -> web.Application:
        app = super().application()
        app.router.add_post("/locrec", self._post_location)
        app.router.add_post("/rec", self._post_recurrence)
        app.router.add_get("/rec", self._recurrences)
        app.router.add_get("/rec/{name}", self._get_recurrence)
        app.router.add_patch("/rec/{name}", self._patch_recurrence)
        app.router.add_put("/cobr/{txid}", self._put_recurring)
        app.router.add_get("/cobr/{txid}", self._get_recurring)
        app.router.add_patch("/cobr/{txid}", self._patch_recurring)
        app.router.add_post("/cobr/{txid}/retentativa/{day}", self._retry)
        return app

    def became(self, name: str, status: str, **more: Any) -> None:
        """Moves a recurrence, as its payer or a bank would."""
        known = self.recurrences[name]
        known |= {"status": status} | more
        known["atualizacao"].append({"status": status, "data": instant(self.now)})

    def tried(self, txid: str, kind: str, day: str, status: str, **more: Any) -> str:
        """Adds or moves a try to collect a charge; returns its endToEndId."""
        tries = self.recurring[txid].setdefault("tentativas", [])
        one = next((t for t in tries if (t["tipo"], t["dataLiquidacao"]) == (kind, day)), None)
        if one is None:
            name = f"E12345678{self.now:%Y%m%d%H%M}{len(tries):011d}"
            one = {"dataLiquidacao": day, "tipo": kind, "endToEndId": name, "atualizacao": []}
            tries.append(one)
        one |= {"status": status} | more
        one["atualizacao"].append({"status": status, "data": instant(self.now)})
        return str(one["endToEndId"])

    def ended(self, txid: str, status: str, **more: Any) -> None:
        """Moves the charge of a cycle."""
        known = self.recurring[txid]
        known |= {"status": status} | more
        known["atualizacao"].append({"status": status, "data": instant(self.now)})

    async def _post_location(self, _: web.Request) -> web.Response:
        self.locations.append(f"bank.example/qr/v2/rec/{len(self.locations) + 1:032d}")
        body = {"id": len(self.locations), "location": self.locations[-1], "criacao": instant(self.now)}
        return web.json_response(body, status=201)

    async def _post_recurrence(self, request: web.Request) -> web.Response:
        asked = await request.json()
        letter = "N" if asked["politicaRetentativa"] == "NAO_PERMITE" else "R"
        name = f"R{letter}12345678{self.now:%Y%m%d}{os.urandom(8).hex()[:11]}"
        loc = {"id": asked["loc"], "location": self.locations[asked["loc"] - 1], "criacao": instant(self.now)}
        made = {"idRec": name, "status": "CRIADA", "loc": loc, "atualizacao": []}
        journey = asked.get("ativacao")
        activation = {"tipoJornada": "AGUARDANDO_DEFINICAO"} | (journey or {})
        self.recurrences[name] = asked | made | {"ativacao": activation}
        self.recurrences[name]["recebedor"] = {"cnpj": "11222333000181", "nome": "Loja da Ana"}
        self.became(name, "CRIADA")
        return web.json_response(self.recurrences[name], status=201)

    async def _recurrences(self, request: web.Request) -> web.Response:
        document = request.query.get("cpf") or request.query.get("cnpj")
        found = [
            one for one in self.recurrences.values()
            if document in {None, *one["vinculo"]["devedor"].values()}
            and request.query.get("status") in {None, one["status"]}
        ]  # fmt: skip
        return self._listed(request, "recs", found)

    async def _get_recurrence(self, request: web.Request) -> web.Response:
        known = self.recurrences.get(request.match_info["name"])
        if known is None:
            return problem(404, "NaoEncontrado")
        txid = request.query.get("txid")
        charge = None if txid is None else self.charges[txid]
        code = brcode.encode(brcode.BrCode(
            merchant_name="ANA", merchant_city="SP", location=None if charge is None else charge["loc"]["location"],
            recurrence_location=known["loc"]["location"],
        ))  # fmt: skip
        shown = {"jornada": "JORNADA_2" if txid is None else "JORNADA_3", "pixCopiaECola": code}
        return web.json_response(known | {"dadosQR": shown})

    async def _patch_recurrence(self, request: web.Request) -> web.Response:
        known, asked = self.recurrences.get(request.match_info["name"]), await request.json()
        if known is None:
            return problem(404, "NaoEncontrado")
        if known["status"] in {"REJEITADA", "CANCELADA", "EXPIRADA"}:
            return problem(400, "RecOperacaoInvalida")
        reason = {"solicitante": "USUARIO_RECEBEDOR", "codigo": "SLCR", "descricao": "by the receiver"}
        self.became(known["idRec"], asked["status"], encerramento={"cancelamento": reason})
        return web.json_response(known)

    async def _put_recurring(self, request: web.Request) -> web.Response:
        txid, asked = request.match_info["txid"], await request.json()
        if txid in self.recurring:
            return problem(400, "CobROperacaoInvalida")
        calendar = asked["calendario"] | {"criacao": f"{self.now:%Y-%m-%d}"}
        made = {"txid": txid, "status": "CRIADA", "politicaRetentativa": "NAO_PERMITE", "atualizacao": []}
        account = {"conta": "107262", "tipoConta": "CORRENTE"}
        self.recurring[txid] = {"recebedor": account} | asked | made | {"calendario": calendar}
        self.ended(txid, "CRIADA")
        return web.json_response(self.recurring[txid], status=201)

    async def _get_recurring(self, request: web.Request) -> web.Response:
        known = self.recurring.get(request.match_info["txid"])
        return problem(404, "CobRNaoEncontrado") if known is None else web.json_response(known)

    async def _patch_recurring(self, request: web.Request) -> web.Response:
        known, asked = self.recurring.get(request.match_info["txid"]), await request.json()
        if known is None:
            return problem(404, "CobRNaoEncontrado")
        if known["status"] not in {"CRIADA", "ATIVA"}:
            return problem(400, "CobROperacaoInvalida")
        reason = {"solicitante": "USUARIO_RECEBEDOR", "codigo": "SLCR", "descricao": "by the receiver"}
        self.ended(known["txid"], asked["status"], encerramento={"cancelamento": reason})
        return web.json_response(known)

    async def _retry(self, request: web.Request) -> web.Response:
        known = self.recurring.get(request.match_info["txid"])
        if known is None:
            return problem(404, "CobRNaoEncontrado")
        day = request.match_info["day"]
        if any(one["dataLiquidacao"] == day for one in known.get("tentativas", ())):
            return problem(400, "CobROperacaoInvalida")
        self.tried(known["txid"], "NTAG", day, "SOLICITADA")
        return web.json_response(known, status=201)
