"""A name server on loopback that answers over UDP what a test has written down, and a client's way to ask it."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import cast

import dns.asyncresolver
import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdatatype
import dns.rrset

# What a name has: records such as "A 10.0.0.1" or "0 CNAME other.test", a TTL before them if it matters; or, alone, the
# word for what went wrong: SERVFAIL, REFUSED, SILENT for no answer at all, TRUNCATED for one that did not fit.
Records = Sequence[str]
# For each name what is answered to its first question of a kind, to its second and so on; the last to all others.
Zone = Mapping[str, Sequence[Records]]

_TTL = 3600
_LONGEST_CHAIN = 9


class NameServer(asyncio.DatagramProtocol):
    """Answers as a recursive server does: with the whole chain from the name that was asked for to its addresses."""

    def __init__(self, zone: Zone) -> None:
        self._zone = {dns.name.from_text(name): rounds for name, rounds in zone.items()}
        self._asked: Counter[tuple[dns.name.Name, str]] = Counter()
        self.questions: list[tuple[str, str]] = []
        self.port = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.DatagramTransport", transport)
        self.port = transport.get_extra_info("sockname")[1]

    def datagram_received(self, data: bytes, peer: tuple[str, int]) -> None:
        query = dns.message.from_wire(data)
        name, kind = query.question[0].name, dns.rdatatype.to_text(query.question[0].rdtype)
        self.questions.append((name.to_text(), kind))
        answer = dns.message.make_response(query, recursion_available=True)
        for _ in range(_LONGEST_CHAIN):
            said = self._said(name, kind)
            if said == ["SILENT"]:
                return
            further = _add(answer, name, kind, said)
            if further is None:
                break
            name = further
        self._transport.sendto(answer.to_wire(), peer)

    def _said(self, name: dns.name.Name, kind: str) -> Records:
        if name not in self._zone:
            return ["NXDOMAIN"]
        rounds = self._zone[name]
        self._asked[name, kind] += 1
        return rounds[min(self._asked[name, kind], len(rounds)) - 1]


def _add(answer: dns.message.Message, name: dns.name.Name, kind: str, said: Records) -> dns.name.Name | None:
    """Add what a name has of a kind. The name to go on with, where it stands for another one."""
    if len(said) == 1 and said[0].isalpha():
        if said[0] == "TRUNCATED":
            answer.flags |= dns.flags.TC
        else:
            answer.set_rcode(dns.rcode.from_text(said[0]))
        return None
    for text in said:
        *ttl, record, value = text.split()
        if record == "CNAME":
            value += "."
        if record in {kind, "CNAME"}:
            answer.answer.append(dns.rrset.from_text(name, int(ttl[0]) if ttl else _TTL, "IN", record, value))
        if record == "CNAME":
            return dns.name.from_text(value)
    return None


class Asking:
    """A resolver for the client that asks one name server, and remembers nothing."""

    def __init__(self, server: NameServer, patience_seconds: float = 5) -> None:
        self._stub = dns.asyncresolver.Resolver(configure=False)
        self._stub.nameservers, self._stub.port = ["127.0.0.1"], server.port
        self._stub.timeout = self._stub.lifetime = patience_seconds

    async def addresses(self, host: str) -> Sequence[str]:
        found: list[str] = []
        try:
            for kind in ("A", "AAAA"):
                answer = await self._stub.resolve(f"{host.rstrip('.')}.", kind, raise_on_no_answer=False)
                found += [row.address for row in answer.rrset or ()]
        except dns.exception.DNSException as error:
            raise OSError(str(error)) from error
        return found


@asynccontextmanager
async def name_server(zone: Zone) -> AsyncIterator[NameServer]:
    transport, server = await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: NameServer(zone), local_addr=("127.0.0.1", 0)
    )
    try:
        yield server
    finally:
        transport.close()
