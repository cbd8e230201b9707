"""Names each list of allowed words in the document.

So generated clients have one type for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

# A list that stands in several places: its name, and the place that has its words in our order.
_NAMES: Final[Mapping[str, str]] = {
    "AccountStatus": "Account.status",
    "AccountType": "Bank.accountType",
    "AmountCurrency": "Money.currency",
    "BalanceCurrency": "Balance.currency",
    "BankMethod": "BankListed.methods",
    "CancellationReason": "Cancellation.reason",
    "ClaimKeyType": "Claim.type",
    "ClaimRole": "Claim.role",
    "ClaimStatus": "Claim.status",
    "ClaimType": "Claim.claimType",
    "CodeChannel": "CreateKey.channel",
    "CompanyAccountType": "CompanyBalance.accountType",
    "DeliveryFailure": "NumberedAttempt.failure",
    "DeliveryStatus": "Event.status",
    "Direction": "Entry.operation",
    "DocumentType": "Document.type",
    "EventType": "SetWebhooks.changed",
    "FeedEventType": "FeedEvent.event",
    "Flag": "list_med.onlyPending",
    "ForeignPaymentStatus": "ForeignPayment.status",
    "Frequency": "FullSubscription.frequencyType",
    "HolderType": "Account.holderType",
    "MedAnalysisResult": "MedCase.analysisResult",
    "MedEventType": "MedCase.eventType",
    "MedObjectType": "MedCase.objectType",
    "MedReason": "MedCase.reason",
    "MedRole": "MedCase.role",
    "MedSituationType": "MedCase.type",
    "MedStatus": "MedCase.status",
    "ObjectKind": "Timeline.object",
    "OpeningDocument": "DocumentTaken.documentType",
    "OpeningStatus": "OpeningRequest.status",
    "OrderStatus": "Order.status",
    "PayerDocumentType": "PayerDocument.type",
    "PayoutCurrency": "FullPayout.currency",
    "PayoutStatus": "FullPayout.status",
    "PixKeyType": "PixKey.type",
    "PlanFormat": "FullPlan.format",
    "PlanLineStatus": "PlanLine.status",
    "PlanStatus": "FullPlan.status",
    "RefundStatus": "Refund.status",
    "ScheduledPaymentReason": "SubscriptionPayment.reason",
    "ScheduledPaymentStatus": "SubscriptionPayment.status",
    "Sort": "list_orders.sort",
    "SubscriptionStatus": "Subscription.status",
    "SubscriptionType": "Subscription.type",
    "WebhookStatus": "WebhookNow.status",
}
_SHOWN: Final = ("example", "examples")  # values, no schemas
# What a place may say beside its words. The bounds of a text say nothing more.
_KEPT: Final = ("description", "default", "examples", "x-alias-of")


@dataclass(frozen=True, slots=True)
class _Found:
    place: str
    words: tuple[str, ...]


def with_names(document: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the document with every list of words as a component.

    References stand in its places. A list of one word becomes that word, `const`. A list that stands once is named by its
    place. ValueError: one that stands more often has no name here, or a name here is a type's.
    """
    found = list(_lists(document))
    named = _named(found)
    schemas = document["components"]["schemas"]
    taken = [name for name, _ in named.values() if name in schemas]
    if taken:
        raise ValueError(f"named as a type is: {taken}")
    made: dict[str, Any] = _replaced(document, {words: name for words, (name, _) in named.items()})
    enums = {name: {"type": "string", "enum": list(words)} for name, words in named.values()}
    every = made["components"]["schemas"] | enums
    made["components"]["schemas"] = {name: every[name] for name in sorted(every)}
    return made


def without_names(document: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the document as it was before: every list of words in its places, for whoever reads one place alone."""
    schemas = document["components"]["schemas"]
    lists = {f"#/components/schemas/{name}": one for name, one in schemas.items() if _is_list(one)}
    made: dict[str, Any] = _inlined(document, lists)
    kept = {name: one for name, one in made["components"]["schemas"].items() if not _is_list(one)}
    made["components"]["schemas"] = kept
    return made


def _inlined(part: Any, lists: Mapping[str, Mapping[str, Any]]) -> Any:
    if isinstance(part, list | tuple):
        return [_inlined(value, lists) for value in part]
    if not isinstance(part, Mapping):
        return part
    said = {name: value if name in _SHOWN else _inlined(value, lists) for name, value in part.items()}
    if isinstance(said.get("$ref"), str) and said["$ref"] in lists:
        return {**lists[said.pop("$ref")], **said}
    return said


def _named(found: list[_Found]) -> dict[frozenset[str], tuple[str, tuple[str, ...]]]:
    """Returns name and ordered words of each list. They are found by the words in any order."""
    by_place = {one.place: one.words for one in reversed(found)}
    named = {frozenset(by_place[place]): (name, by_place[place]) for name, place in _NAMES.items() if place in by_place}
    places: dict[frozenset[str], list[_Found]] = {}
    for one in found:
        places.setdefault(frozenset(one.words), []).append(one)
    for words, here in places.items():
        if words in named:
            continue
        if len({one.place for one in here}) > 1:
            raise ValueError(f"{[one.place for one in here]} allow the same words: give the list a name")
        named[words] = (_own_name(here[0].place), here[0].words)
    return named


def _own_name(place: str) -> str:
    """Returns the name of a list that stands in one place: `NextStep.action` is `NextStepAction`."""
    owner, _, field = place.partition(".")
    return "".join(word[:1].upper() + word[1:] for word in (*owner.split("_"), field))


def _lists(document: Mapping[str, Any]) -> Iterator[_Found]:
    for name, schema in document["components"]["schemas"].items():
        for field, said in schema.get("properties", {}).items():
            yield from _within(said, f"{name}.{field}")
    for item in document["paths"].values():
        for operation in (one for one in item.values() if "x-same-as" not in one):
            for parameter in operation["parameters"]:
                yield from _within(parameter["schema"], f"{operation['operationId']}.{parameter['name']}")
            for content in operation.get("requestBody", {}).get("content", {}).values():
                for field, said in content.get("schema", {}).get("properties", {}).items():
                    yield from _within(said, f"{operation['operationId']}.{field}")


def _within(part: Any, place: str) -> Iterator[_Found]:
    if isinstance(part, Mapping):
        if _is_list(part) and len(part["enum"]) > 1:
            yield _Found(place, tuple(part["enum"]))
        for name, value in part.items():
            if name not in _SHOWN:
                yield from _within(value, place)
    elif isinstance(part, list | tuple):
        for value in part:
            yield from _within(value, place)


def _is_list(part: Mapping[str, Any]) -> bool:
    return isinstance(part.get("enum"), list)


def _replaced(part: Any, names: Mapping[frozenset[str], str]) -> Any:
    if isinstance(part, list | tuple):
        return [_replaced(value, names) for value in part]
    if not isinstance(part, Mapping):
        return part
    if not _is_list(part):
        return {name: value if name in _SHOWN else _replaced(value, names) for name, value in part.items()}
    words = part["enum"]
    if len(words) == 1:
        return {"type": "string", "const": words[0], **{name: part[name] for name in _KEPT if name in part}}
    kept = {name: part[name] for name in _KEPT if name in part}
    return {"$ref": f"#/components/schemas/{names[frozenset(words)]}", **kept}
