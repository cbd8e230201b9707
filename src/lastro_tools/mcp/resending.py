"""The tool that sends webhooks of an object again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from lastro_tools.mcp.arguments import CODE, ID, Arguments
from lastro_tools.mcp.results import Done
from lastro_tools.mcp.tool import Tool

if TYPE_CHECKING:
    from lastro_tools.mcp.api import Api


class ResendEvents(Arguments, frozen=True, kw_only=True):
    """Arguments of resend_events."""

    reference_id: Annotated[str, ID, Meta(description="The object whose events are sent again.")]
    status: (
        Annotated[
            Literal["DELIVERED", "FAILED", "RETRYING"],
            Meta(description="Only those that stand so; left out, RETRYING and FAILED: what did not arrive."),
        ]
        | UnsetType
    ) = UNSET
    event: Annotated[str, CODE, Meta(description="Only those of this type, such as ORDER-PAYIN.PAID.")] | UnsetType = UNSET
    dry_run: Annotated[bool, Meta(description="Whether to count alone and send nothing.")] | UnsetType = UNSET


async def _resent(api: Api, wanted: ResendEvents) -> Done:
    fitting: dict[str, Any] = {"referenceId": wanted.reference_id.lower()}
    fitting |= {} if wanted.status is UNSET else {"status": wanted.status}
    fitting |= {} if wanted.event is UNSET else {"event": wanted.event}
    body = {"filter": fitting, "dryRun": wanted.dry_run is True}
    return Done(*await api.call("resend_webhook_events", body=body, is_once=True))


TOOLS = (
    Tool(
        "resend_events", "Send an object's webhooks again",
        "Queues the events of one object once more, byte for byte under the same ids, to the URLs that they had: no URL can"
        " be named. The receiver may hear of them twice, and knows them by x-event-id. Free; one request.",
        ResendEvents, ("resend_webhook_events",), _resent, "How many are queued, or would be: count, hasMore.",
        reads_only=False, is_idempotent=False,
    ),
)  # fmt: skip
