"""A small bank that speaks API Pix and misbehaves as a test says. It remembers each exchange, for the official document."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

from aiohttp import web
from tests.oracles import pix_api
from tests.oracles.contract import Exchange

from lastro.core.secrets import Secret
from lastro.rails.api_pix import DIALECTS, Ambient, BankLine, Connection
from lastro.standards import brcode

if TYPE_CHECKING:
    from lastro.rails.port import ForeignPayment

TYPE = "https://pix.bcb.gov.br/api/v2/error/"
_TOKEN_PATH = "/oauth/token"
AT = datetime(2026, 11, 23, 13, 0, tzinfo=UTC)
# What the next request of a kind gets instead: a status and a body, or a change of the charge that the bank has.
Behaviour = Callable[["Bank", web.Request], "web.Response | None"]


def problem(status: int, name: str, **more: Any) -> web.Response:
    body = {"type": TYPE + name, "title": "no", "status": status, "detail": "no"} | more
    return web.json_response(body, status=status, content_type="application/problem+json")


def instant(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass
class Bank:
    """charges, payments, returns: as it would show them. instead: what the next requests get, by method and resource.

    most: items that a page has, whatever is asked. now: its clock.
    """

    charges: dict[str, dict[str, Any]] = field(default_factory=dict)
    payments: dict[str, dict[str, Any]] = field(default_factory=dict)
    instead: dict[str, list[Behaviour]] = field(default_factory=dict)
    exchanges: list[tuple[str, str, bytes, int, str, bytes]] = field(default_factory=list)
    lists_charge: Callable[[dict[str, Any]], dict[str, Any]] = lambda charge: charge
    most: int = 100
    now: datetime = AT
    # What the official document has against our requests, and against them and the answers: some tests want wrong ones.
    asked_wrongly: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    url: str = ""

    @property
    def asked(self) -> list[str]:
        return [f"{method} {target.partition('?')[0]}" for method, target, *_ in self.exchanges]

    def sent(self, method: str) -> list[Any]:
        return [json.loads(sent) for way, _, sent, *_ in self.exchanges if way == method and sent]

    def next(self, what: str, *behaviours: Behaviour) -> None:
        self.instead.setdefault(what, []).extend(behaviours)

    def pay(self, number: int, at: datetime, amount: str = "10.50", **more: Any) -> str:
        """Lists a payment, and returns its endToEndId."""
        name = f"E12345678{at:%Y%m%d%H%M}{number:011d}"
        self.payments[name] = {"endToEndId": name, "valor": amount, "horario": instant(at)} | more
        return name

    def shows(self, one: ForeignPayment, **more: Any) -> None:
        """Lists a payment as it was found before."""
        told = {"endToEndId": one.payment_id, "valor": str(one.amount), "horario": instant(one.paid_at)}
        named = {"txid": one.txid, "chave": one.pix_key}
        self.payments[one.payment_id] = told | {name: text for name, text in named.items() if text is not None} | more

    def application(self) -> web.Application:
        app = web.Application(middlewares=[self._kept])
        app.router.add_post(_TOKEN_PATH, self._token)
        app.router.add_put("/cob/{txid}", self._put_charge)
        app.router.add_get("/cob/{txid}", self._get_charge)
        app.router.add_patch("/cob/{txid}", self._patch_charge)
        app.router.add_get("/cob", self._charges)
        app.router.add_get("/pix", self._payments)
        app.router.add_get("/pix/{e2eid}", self._payment)
        app.router.add_put("/pix/{e2eid}/devolucao/{id}", self._put_return)
        app.router.add_get("/pix/{e2eid}/devolucao/{id}", self._get_return)
        return app

    @web.middleware
    async def _kept(self, request: web.Request, handler: Callable[[web.Request], Any]) -> web.StreamResponse:
        sent = await request.read()
        if request.path == _TOKEN_PATH:  # no part of the document
            return cast("web.StreamResponse", await handler(request))
        resource = request.path.split("/")[1] + ("" if request.path.count("/") > 1 else "s")
        resource = "return" if "/devolucao/" in request.path else resource
        waiting = self.instead.get(f"{request.method} {resource}")
        answer = waiting.pop(0)(self, request) if waiting else None
        if answer is not None and answer.reason == "hang":
            await asyncio.sleep(60)
        if answer is None:
            answer = await handler(request)
        elif answer.reason == "lost":
            await handler(request)
            assert request.transport is not None
            request.transport.abort()
        body = answer.body if isinstance(answer.body, bytes) else b""
        self.exchanges.append((request.method, request.path_qs, sent, answer.status, answer.content_type, body))
        if pix_api.found() is not None:
            exchange = Exchange(request.method, request.path_qs, sent, answer.status, answer.content_type, body)
            self.asked_wrongly += pix_api.oracle().target_problems(request.method, request.path_qs)
            self.wrong += pix_api.oracle().problems_of(exchange)
            self.asked_wrongly += [problem for problem in self.wrong if " request " in problem]
        return answer

    async def _token(self, _: web.Request) -> web.Response:
        return web.json_response({"access_token": "a-token", "token_type": "Bearer", "expires_in": 3600})

    async def _put_charge(self, request: web.Request) -> web.Response:
        txid, asked = request.match_info["txid"], await request.json()
        known = self.charges.get(txid)
        if known is None:
            location = f"bank.example/qr/v2/{txid}"
            code = brcode.encode(brcode.BrCode(merchant_name="ANA", merchant_city="SP", location=location))
            calendar = {"criacao": instant(self.now), "expiracao": asked["calendario"]["expiracao"]}
            loc = {"id": len(self.charges) + 1, "location": location, "tipoCob": "cob", "criacao": instant(self.now)}
            made = {"txid": txid, "revisao": 0, "status": "ATIVA", "loc": loc, "location": location, "pixCopiaECola": code}
            known = self.charges[txid] = asked | made | {"calendario": calendar}
        return web.json_response(self.lists_charge(known), status=201)

    async def _get_charge(self, request: web.Request) -> web.Response:
        known = self.charges.get(request.match_info["txid"])
        return problem(404, "CobNaoEncontrado") if known is None else web.json_response(self.lists_charge(known))

    async def _patch_charge(self, request: web.Request) -> web.Response:
        known, asked = self.charges.get(request.match_info["txid"]), await request.json()
        if known is None:
            return problem(404, "CobNaoEncontrado")
        if known["status"] != "ATIVA":
            return problem(400, "CobOperacaoInvalida")
        known |= asked | {"revisao": known["revisao"] + 1}
        return web.json_response(known)

    async def _charges(self, request: web.Request) -> web.Response:
        status = request.query.get("status")
        found = [
            c
            for c in self.charges.values()
            if status in {None, c["status"]} and _within(request, c["calendario"]["criacao"])
        ]
        return self._listed(request, "cobs", found)

    async def _payments(self, request: web.Request) -> web.Response:
        found = [one for one in self.payments.values() if _within(request, one["horario"])]
        if request.query.get("devolucaoPresente") == "true":
            found = [one for one in found if one.get("devolucoes")]
        if "txid" in request.query:
            found = [one for one in found if one.get("txid") == request.query["txid"]]
        return self._listed(request, "pix", sorted(found, key=lambda one: one["horario"], reverse=True))

    def _listed(self, request: web.Request, name: str, found: list[dict[str, Any]]) -> web.Response:
        size = min(self.most, int(request.query.get("paginacao.itensPorPagina", "100")))
        page = int(request.query.get("paginacao.paginaAtual", "0"))
        paging = {
            "paginaAtual": page, "itensPorPagina": size, "quantidadeDePaginas": max(1, -(-len(found) // size)),
            "quantidadeTotalDeItens": len(found),
        }  # fmt: skip
        parameters = {"inicio": request.query["inicio"], "fim": request.query["fim"], "paginacao": paging}
        return web.json_response({"parametros": parameters, name: found[page * size : (page + 1) * size]})

    async def _payment(self, request: web.Request) -> web.Response:
        known = self.payments.get(request.match_info["e2eid"])
        return problem(404, "PixNaoEncontrado") if known is None else web.json_response(known)

    async def _put_return(self, request: web.Request) -> web.Response:
        known, asked = self.payments.get(request.match_info["e2eid"]), await request.json()
        if known is None:
            return problem(404, "PixNaoEncontrado")
        returns, name = known.setdefault("devolucoes", []), request.match_info["id"]
        found = next((one for one in returns if one["id"] == name), None)
        if found is None:
            found = asked | {
                "id": name, "rtrId": f"D12345678{self.now:%Y%m%d%H%M}{len(returns):011d}", "status": "EM_PROCESSAMENTO",
                "horario": {"solicitacao": instant(self.now)},
            }  # fmt: skip
            returns.append(found)
        return web.json_response(found, status=201)

    async def _get_return(self, request: web.Request) -> web.Response:
        known = self.payments.get(request.match_info["e2eid"], {}).get("devolucoes", [])
        found = next((one for one in known if one["id"] == request.match_info["id"]), None)
        return problem(404, "PixDevolucaoNaoEncontrada") if found is None else web.json_response(found)


def _within(request: web.Request, at: str) -> bool:
    since, until = (datetime.fromisoformat(request.query[name]) for name in ("inicio", "fim"))
    return since <= datetime.fromisoformat(at) <= until


def line_to(url: str) -> BankLine:
    """The line to a bank without TLS, as production makes it."""
    connection = Connection(
        "efi1", 7, DIALECTS["standard"], url, f"{url}/oauth/token", "client", Secret("a-secret"), None, None, {},
        requests_per_minute=60_000,
    )  # fmt: skip
    return BankLine(connection, Ambient(time.monotonic, lambda: datetime.now(UTC), lambda: "request-1"))


@asynccontextmanager
async def serving(bank: Bank) -> AsyncIterator[BankLine]:
    """Serves the bank on a free port. What we ask it is as the official document has it, where that is here."""
    runner = web.AppRunner(bank.application(), shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    bank.url = f"http://{host}:{port}"
    line = line_to(bank.url)
    try:
        yield line
    finally:
        await line.close()
        await runner.cleanup()
    assert not bank.asked_wrongly, bank.asked_wrongly
