"""Assembly of one ASGI application: routes, guard, HTTP client and timer."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import aiohttp
from litestar import Litestar, Response, get
from litestar.di import Provide
from litestar.exceptions import HTTPException
from litestar.types import ASGIApp

from lastro_sim import answers, faults, logs, pages, routes, statements, timer
from lastro_sim.analysis import api as analysis_api
from lastro_sim.api_pix import api as company_bank_api
from lastro_sim.api_pix import calling as company_bank_calls
from lastro_sim.api_pix import opening as company_bank
from lastro_sim.api_pix import pages as company_bank_pages
from lastro_sim.api_pix.recurring import pages as company_bank_recurring_pages
from lastro_sim.api_pix.recurring import post as company_bank_post
from lastro_sim.bank import api as bank_api
from lastro_sim.bank.acts import Bank
from lastro_sim.bank.authorizing import Authorizing
from lastro_sim.bank.fetching import Fetcher
from lastro_sim.bank.location import Locations
from lastro_sim.card import api as card_api
from lastro_sim.collecting import api as collecting_api
from lastro_sim.crypto import api as crypto_api
from lastro_sim.directory import api as directory_api
from lastro_sim.directory import claiming, entries
from lastro_sim.frequent import Frequent
from lastro_sim.guard import OwnHostOnly
from lastro_sim.med import api as med_api
from lastro_sim.med import refund_api
from lastro_sim.merchant import api as merchant_api
from lastro_sim.messages import api as messages_api
from lastro_sim.messages.smtp import MailServer
from lastro_sim.network import Network
from lastro_sim.outside import acts as outside_acts
from lastro_sim.outside import api as outside_api
from lastro_sim.outside import serving as outside_locations
from lastro_sim.phone import pages as phone_pages
from lastro_sim.refusals import RefusedError
from lastro_sim.spi import api as spi_api
from lastro_sim.spi import statements as spi_statements
from lastro_sim.ted import api as ted_api
from lastro_sim.ted import statements as ted_statements
from lastro_sim.tracing import Traced


@get("/health")
async def health() -> Response[bytes]:
    """Answers that the server is ready."""
    return answers.answer({"status": "ok"})


MODULES = (
    spi_api, spi_statements, ted_api, ted_statements, analysis_api, card_api, crypto_api, collecting_api, statements,
    directory_api, claiming, bank_api, company_bank_api, outside_api, outside_locations, med_api, refund_api, merchant_api,
    messages_api, pages, phone_pages, company_bank_pages, company_bank_recurring_pages,
)  # fmt: skip
ROUTES = (health, *(handler for module in MODULES for handler in routes.of_module(module)))


def build(network: Network, say: logs.Say = logs.ignore_worked, over: Litestar | None = None) -> ASGIApp:
    """Builds the application over a network. say: takes a line for each request.

    over: what `routed` made and no other simulator uses now; without it, routes of its own.
    """
    made = routed() if over is None else over
    made.state.network = network
    # Around everything, so that a path that is nobody's is noted too.
    app = Frequent(made)
    return logs.Noted(app if network.tracer is None else Traced(app, network.tracer), network, say)


def routed() -> Litestar:
    """Builds the routes and their middleware, the slow part; `build` sets their network."""
    return Litestar(
        ROUTES,
        dependencies={name: _kept_as(name) for name in ("network", "bank", "authorizing", "outside")},
        exception_handlers={
            RefusedError: answers.refused,
            HTTPException: answers.from_framework,
            Exception: answers.broken,
        },
        middleware=[OwnHostOnly],
        lifespan=[_alive],
        openapi_config=None,
        logging_config=None,
        request_max_body_size=answers.LARGEST_BODY,
    )


@asynccontextmanager
async def _alive(app: Litestar) -> AsyncIterator[None]:
    network: Network = app.state.network
    entries.seed(network)
    faults.remember(network)
    async with aiohttp.ClientSession(trust_env=False, cookie_jar=aiohttp.DummyCookieJar()) as client:
        fetcher = Fetcher()
        locations = Locations(network, fetcher)
        app.state.bank = Bank(network, locations)
        app.state.authorizing = Authorizing(network, locations)
        app.state.outside = outside_acts.open_bank(network)
        company_bank.open_bank(network)
        mail = MailServer(network)
        await mail.open()
        running = [
            asyncio.create_task(timer.run(network)),
            asyncio.create_task(company_bank_calls.run(network, client)),
            asyncio.create_task(company_bank_post.run(network)),
        ]
        if network.tracer is not None:
            running.append(asyncio.create_task(network.tracer.run()))
        yield
        await mail.close()
        fetcher.close()
        for task in running:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


def _kept_as(name: str) -> Provide:
    """Provides handlers with what the application keeps under this name."""

    def kept(request: answers.Asked) -> Any:
        return getattr(request.app.state, name)

    return Provide(kept, sync_to_thread=False)
