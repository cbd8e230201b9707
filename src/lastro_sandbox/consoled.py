"""The sandbox's plugins of the console: one list of pages behind its sign-in.

A module with further pages makes a `Plugin` of them, and is added to the sum below. A page is an async function of a `User`
and a `PageRequest`, as in `lastro.console`; a page that does something is an `Act`, whose form includes `form.html`.
Templates extend `base.html` or `of-company.html` and stand in `lastro_sandbox/templates`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from lastro.console import Plugin
from lastro_sandbox import api_explorer, controls

if TYPE_CHECKING:
    from lastro.app.wiring import AppContext
    from lastro.config.settings import Settings
    from lastro.core.db import Database

TEMPLATES: Final = Path(__file__).with_name("templates")


def plugin(settings: Settings, app_context: AppContext, work: Database) -> Plugin:
    """Joins the sandbox's plugins. work: the role that sees ids and due times across companies."""
    return (
        Plugin(templates=(TEMPLATES,))
        + controls.plugin(settings, app_context, work)
        + api_explorer.plugin(app_context, settings.home)
    )
