from lastro.base.outgoing.addresses import address_allowed, is_loopback, port_allowed, url_problem
from lastro.base.outgoing.answers import Answer, Failure
from lastro.base.outgoing.client import OutgoingClient, Resolver, SystemResolver

__all__ = [
    "Answer",
    "Failure",
    "OutgoingClient",
    "Resolver",
    "SystemResolver",
    "address_allowed",
    "is_loopback",
    "port_allowed",
    "url_problem",
]
