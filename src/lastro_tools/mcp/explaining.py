"""The tool that explains an error: by its issue and field, by a network's code, or by a request id."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from lastro.core.declined import CommandFailed
from lastro_tools.mcp.arguments import CODE, Arguments
from lastro_tools.mcp.refusals import network_codes
from lastro_tools.mcp.results import Done
from lastro_tools.mcp.tool import Tool

if TYPE_CHECKING:
    from lastro_tools.mcp.api import Api, Remembered
    from lastro_tools.mcp.refusals import Known

_MOST = 20
_DOCUMENTED = frozenset({"cause", "cure", "means", "next_step", "network"})  # the documents' own sentences
_FOR_THE_OPERATOR = (
    "explain_error: this server was given no refusal under the request id {number};"
    " whoever runs this lastro finds it in the log, and the story of an object names the requests that changed it."
)


class ExplainError(Arguments, frozen=True, kw_only=True):
    """Arguments of explain_error: at least one of issue, code and requestId."""

    issue: Annotated[str, CODE, Meta(description="The issue of details[], such as LIMIT_EXCEEDED.")] | UnsetType = UNSET
    field: Annotated[str, Meta(min_length=1, max_length=128, description="The field, beside an issue.")] | UnsetType = UNSET
    operation: (
        Annotated[str, CODE, Meta(description="The operationId of /openapi.json, such as create_order_payin.")] | UnsetType
    ) = UNSET
    code: (
        Annotated[str, CODE, Meta(description="A network's code: the errorCode of a payout or refund, such as AC07.")]
        | UnsetType
    ) = UNSET
    request_id: (
        Annotated[str, Meta(min_length=1, max_length=128, description="The request id that a refusal here named.")]
        | UnsetType
    ) = UNSET


async def _explained(api: Api, wanted: ExplainError) -> Done:
    if wanted.issue is UNSET and wanted.code is UNSET and wanted.request_id is UNSET:
        raise CommandFailed("explain_error needs an issue, a code or a requestId.")
    every = await api.known()
    if not every:
        raise CommandFailed(f"explain_error: the documents of {api.url} cannot be read now.")
    found: list[dict[str, Any]] = []
    if wanted.request_id is not UNSET:
        met = api.remembered(wanted.request_id.rstrip("."))  # the sentence ends there
        if met is None:
            raise CommandFailed(_FOR_THE_OPERATOR.format(number=wanted.request_id))
        found += _of_request(every, met)
    if wanted.issue is not UNSET:
        found += [asdict(one) for one in every if _fits(one, wanted)]
    codes = []
    if wanted.code is not UNSET:
        codes = [asdict(one) for one in network_codes(await api.network_page()) if one.code == wanted.code]
    if not found and not codes:
        raise CommandFailed("explain_error: this server's documents name no such error; /docs/guide/errors lists them all.")
    told = {"refusals": found[:_MOST], "networkCodes": codes[:_MOST], "isWhole": max(len(found), len(codes)) <= _MOST}
    return Done(told, own=_DOCUMENTED)


def _fits(one: Known, wanted: ExplainError) -> bool:
    return (
        one.issue == wanted.issue
        and (wanted.field is UNSET or one.field == wanted.field)
        and (wanted.operation is UNSET or one.operation in (wanted.operation, ""))
    )


def _of_request(every: tuple[Known, ...], met: Remembered) -> list[dict[str, Any]]:
    """Returns each problem of a refusal, with the document's words about it."""
    if not met.problems:
        return [{"operation": met.operation, "status": met.status, "field": "", "issue": "", "cause": "", "cure": ""}]
    told = []
    for field, issue, description in met.problems:
        same = [one for one in every if (one.operation, one.field, one.issue) == (met.operation, field, issue)]
        known = asdict(same[0]) if same else {"cause": "", "cure": ""}
        own = {"operation": met.operation, "status": met.status, "field": field, "issue": issue, "said": description}
        told.append(known | own)
    return told


TOOLS = (
    Tool(
        "explain_error", "Explain an error",
        "Says what an error means, what causes it and how to cure it, from the server's own documents: by issue (with field"
        " and operation), by a network's code, or by the request id of a refusal that a tool here met. Free.",
        ExplainError, (), _explained,
        "refusals: operation, status, field, issue, cause, cure; networkCodes: network, code, again, means, next_step.",
    ),
)  # fmt: skip
