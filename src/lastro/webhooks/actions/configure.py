"""The settings of a company's event URLs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.api_kit.routes import render
from lastro.core.runner import Act, Done
from lastro.core.write import Row, Touch, Write
from lastro.webhooks import store
from lastro.webhooks.catalogue import INTERFACES
from lastro.webhooks.model import Setting
from lastro.webhooks.rendering import set_webhook, webhook_now

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lastro.core.db import Session
    from lastro.core.runner import RequestContext
    from lastro.webhooks.model import Troubled

_TABLE = "webhook_settings"
_UNSET = (None, True)  # a type that nobody has set

SettingsByEvent = dict[str, Setting]


class ReadSettings(Act[tuple[SettingsByEvent, "tuple[Troubled, ...]"]]):
    """Reads every type of event with its URL, and the silent endpoints."""

    async def read(self, session: Session, context: RequestContext) -> tuple[SettingsByEvent, tuple[Troubled, ...]]:
        """Reads the settings, and the circuits that are not closed."""
        return await store.settings_of(session, context.company_id), await store.troubled(session, context.company_id)

    def decide(self, known: tuple[SettingsByEvent, tuple[Troubled, ...]], context: RequestContext) -> Done:
        """Returns the settings."""
        return Done(None, render(webhook_now(*known)))


@dataclass(frozen=True)
class SetSettings(Act[SettingsByEvent]):
    """Sets some types of events, each whole. wanted: URL and its switch, by type.

    is_whole: types that are not named lose their URL; else they stay as they are.
    """

    wanted: Mapping[str, tuple[str | None, bool]]
    is_whole: bool = False

    async def read(self, session: Session, context: RequestContext) -> SettingsByEvent:
        """Reads the settings."""
        return await store.settings_of(session, context.company_id)

    def decide(self, known: SettingsByEvent, context: RequestContext) -> Done:
        """Writes the settings that differ. Events that are numbered from now on go by them."""
        unnamed = sorted(known.keys() - self.wanted.keys()) if self.is_whole else []
        wanted = {**self.wanted, **{event: (None, known[event].active) for event in unnamed}}
        changed = {
            event: Setting(url, active, known[event].version + 1 if event in known else 1, context.now)
            for event, (url, active) in wanted.items()
            if (url, active) != ((known[event].url, known[event].active) if event in known else _UNSET)
        }
        body = render(set_webhook({**known, **changed}, changed))
        if not changed:
            return Done(None, body)
        rows = tuple(
            Row(
                _TABLE,
                {
                    "event": event,
                    "url": s.url,
                    "active": s.active,
                    "is_extra": event not in INTERFACES,
                    "updated_at": s.updated_at,
                },
            )
            for event, s in changed.items()
            if event not in known
        )
        touches = tuple(
            Touch(
                _TABLE,
                event,
                known[event].version,
                {"url": s.url, "active": s.active, "version": s.version, "updated_at": s.updated_at},
                key="event",
            )
            for event, s in changed.items()
            if event in known
        )
        return Done(Write(context.company_id, rows=rows, touches=touches), body, object_id=context.company_id)
