from lastro.base.outgoing.addresses import (
    MAX_URL_CHARACTERS,
    address_allowed,
    is_loopback,
    port_allowed,
    url_problem,
)
from lastro.base.outgoing.answers import Answer, Failure
from lastro.base.outgoing.client import OutgoingClient
from lastro.base.outgoing.resolver import Resolver, SystemResolver
from lastro.base.outgoing.tunnel import Proxy

__all__ = [
    "MAX_URL_CHARACTERS",
    "Answer",
    "Failure",
    "OutgoingClient",
    "Proxy",
    "Resolver",
    "SystemResolver",
    "address_allowed",
    "is_loopback",
    "port_allowed",
    "url_problem",
]
