"""The trusted signers of charges: participants' registered hosts, and their published keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from lastro.rails.locations.fetching import Unfit
from lastro.rails.locations.judging import host_of, unfit
from lastro.rails.ttl_cache import CachedAnswer, TtlCache, max_age

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from lastro.rails.locations.fetching import Fetcher
    from lastro.rails.port import Participants

_HOSTS_SECONDS = 60.0
_KEYS_SECONDS = 300.0  # the default, if their host names none
_LONGEST_SECONDS = 86_400.0
# No host is asked again sooner, whatever codes a stranger shows us: for a host that is not known yet, or a new key.
_REST_SECONDS = 10.0
_MOST_KEY_SETS = 1000
KeySet = dict[str, Any]


class Trust:
    """The trusted hosts and key sets of one process. clock: seconds that only go forward."""

    def __init__(self, participants: Participants, fetcher: Fetcher, clock: Callable[[], float]) -> None:
        self._participants = participants
        self._fetcher = fetcher
        self._hosts: TtlCache[Mapping[str, frozenset[str]]] = TtlCache(clock, 1)
        self._keys: TtlCache[KeySet] = TtlCache(clock, _MOST_KEY_SETS)

    async def signers(self, *urls: str) -> frozenset[str]:
        """Returns the participants that registered the host of each URL. Transient: the directory was silent."""
        hosts = [host_of(url) for url in urls]
        if not all(hosts):
            return frozenset()
        found = _of_all(hosts, await self._hosts.get("", self._ask_hosts))
        return found or _of_all(hosts, await self._hosts.get("", self._ask_hosts, oldest=_REST_SECONDS))

    async def keys(self, jku: str, *, fresh: bool = False) -> KeySet:
        """Returns the JWK Set at a trusted URL, kept by its Cache-Control.

        fresh: they may have been replaced since they were fetched. Transient: silence. Unfit: no set is there.
        """
        return await self._keys.get(jku, lambda: self._ask_keys(jku), oldest=_REST_SECONDS if fresh else None)

    async def _ask_hosts(self) -> CachedAnswer[Mapping[str, frozenset[str]]]:
        found = await self._participants.registered_hosts()
        return CachedAnswer({host_of(f"https://{host}"): of for host, of in found.items()}, _HOSTS_SECONDS)

    async def _ask_keys(self, jku: str) -> CachedAnswer[KeySet]:
        answer = await self._fetcher.get(jku, gone=unfit("its signer publishes no keys any more"))
        try:
            found = msgspec.json.decode(answer.body, type=KeySet)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as broken:
            raise Unfit(unfit("the keys of its signer cannot be read")) from broken
        allowed = max_age(answer.cache_control)
        seconds = _KEYS_SECONDS if allowed is None else float(allowed)
        return CachedAnswer(found, min(max(seconds, _REST_SECONDS), _LONGEST_SECONDS))


def _of_all(hosts: Iterable[str], registered: Mapping[str, frozenset[str]]) -> frozenset[str]:
    return frozenset.intersection(*(registered.get(host, frozenset()) for host in hosts))
