"""The parts of a sandbox alone: its paths and its clock. A production install lacks this package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.app.networks import statement_rails
from lastro_sandbox.api_explorer import TRIED_AT
from lastro_sandbox.clock import Pending, Stepper
from lastro_sandbox.consoled import plugin
from lastro_sandbox.docs import OPEN_PATHS
from lastro_sandbox.order_tools import OrderTools
from lastro_sandbox.paths import ClockPath, Welcome
from lastro_sandbox.payout_tools import PayoutTools
from lastro_sandbox.postman import Environment, collection
from lastro_sandbox.secret_file import SecretFile
from lastro_sandbox.tutorial import Tutorial, TutorialHandlers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from uuid import UUID

    from lastro.api_kit.http import Answer
    from lastro.app.wiring import AppContext
    from lastro.config.settings import Settings
    from lastro.core.db import Database
    from lastro.web.operations import Operations

__all__ = ["OPEN_PATHS", "TRIED_AT", "collection", "on_secret", "paths", "plugin", "stepper"]


def paths(
    settings: Settings, app_context: AppContext, operations: Operations, work: Database
) -> dict[str, Mapping[str, Answer]]:
    """Returns further paths of the API process. work: the role that sees ids and due times across companies."""
    clock = ClockPath(Pending(app_context.database, work, statement_rails(settings)))
    payout_tools = PayoutTools(app_context, settings.network_url)
    tools = OrderTools(app_context, operations, settings.network_url, payout_tools)
    return {
        "/": {"GET": Welcome(settings.network_url).answer},
        "/sandbox/clock": {"GET": clock.show, "PUT": clock.step},
        "/sandbox/postman-environment.json": {"GET": Environment(settings.home).answer},
        "/order-tools/v1/order/status": {"PUT": tools.answer},
        **Tutorial(TutorialHandlers(settings.home)).paths(),
    }


def on_secret(settings: Settings) -> Callable[[UUID, str], None]:
    """Returns the worker's callback with a company's signing secret, before it signs."""
    return SecretFile(settings.home / "sandbox.json").signs


def stepper(settings: Settings, database: Database, work: Database) -> Stepper:
    """Returns the worker's stepper of the clock."""
    return Stepper(settings, work, database)
