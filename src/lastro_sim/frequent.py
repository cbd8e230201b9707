"""The two requests that each paid order makes, answered ahead of Litestar.

Its way to a handler took a tenth of an order's CPU. Checks, answers and refusals are those of any other request.
"""

import re
from collections.abc import Awaitable, Callable
from typing import Any

from litestar import Litestar
from litestar.types import Receive, Scope, Send

from lastro_sim import answers, guard
from lastro_sim.answers import Encoded
from lastro_sim.forms import Form
from lastro_sim.spi import api as spi_api

PAY = "/phone/pay"
MESSAGE_IN = "/spi/v1/in/{ispb}/msgs"
_MESSAGE_IN = re.compile(r"/spi/v1/in/([0-9A-Z]{8})/msgs")


class Frequent:
    """ASGI application: what is frequent by itself, all else through Litestar."""

    def __init__(self, app: Litestar) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Answers, or passes the request on."""
        is_post = scope["type"] == "http" and scope["method"] == "POST"
        message = _MESSAGE_IN.fullmatch(scope["path"]) if is_post else None
        if message is not None:
            scope["path_template"] = MESSAGE_IN
            answered = await self._answered(scope, receive, self._message_in, message[1])
        elif is_post and scope["path"] == PAY:
            scope["path_template"] = PAY
            answered = await self._answered(scope, receive, self._pay)
        else:
            await self._app(scope, receive, send)
            return
        await answered.sent(scope, receive, send)

    async def _answered(
        self, scope: Scope, receive: Receive, does: Callable[..., Awaitable[Encoded]], *of_path: str
    ) -> Encoded:
        try:
            guard.check_place(scope, self._app.state.network.settings)
            return await does(scope, receive, *of_path)
        except Exception as error:  # noqa: BLE001 as in Litestar's own handlers: a bug is logged and answered 500
            return answers.failed(error)

    async def _message_in(self, scope: Scope, receive: Receive, ispb: str) -> Encoded:
        network = self._app.state.network
        guard.check_token(scope, network.settings.token)
        return await spi_api.taken(network, ispb, receive)

    async def _pay(self, _: Scope, receive: Receive) -> Encoded:
        return answers.answer(await self._app.state.bank.pay(Form.read(await answers.body(receive))))
