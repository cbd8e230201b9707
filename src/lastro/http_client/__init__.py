from lastro.http_client.addresses import (
    MAX_URL_CHARACTERS,
    address_allowed,
    is_loopback,
    port_allowed,
    url_problem,
)
from lastro.http_client.answers import Failure, Outcome
from lastro.http_client.client import OutgoingClient
from lastro.http_client.connector import NotThere
from lastro.http_client.direct import DirectClient
from lastro.http_client.resolver import Resolver, SystemResolver
from lastro.http_client.tunnel import Proxy

__all__ = [
    "MAX_URL_CHARACTERS",
    "DirectClient",
    "Failure",
    "NotThere",
    "Outcome",
    "OutgoingClient",
    "Proxy",
    "Resolver",
    "SystemResolver",
    "address_allowed",
    "is_loopback",
    "port_allowed",
    "url_problem",
]
