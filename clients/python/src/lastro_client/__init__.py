"""Calls lastro: typed operations, with tokens, idempotency keys, retries, pages and webhooks."""

from lastro_client import models
from lastro_client.async_client import AsyncClient
from lastro_client.calls import File
from lastro_client.client import Client
from lastro_client.errors import (
    ApiError,
    Conflict,
    Forbidden,
    InvalidRequest,
    LastroError,
    NotFound,
    Problem,
    ServerError,
    TooManyRequests,
    Unauthorized,
    Unreachable,
)
from lastro_client.webhooks import Event, WebhookRefused, verified

__all__ = [
    "ApiError",
    "AsyncClient",
    "Client",
    "Conflict",
    "Event",
    "File",
    "Forbidden",
    "InvalidRequest",
    "LastroError",
    "NotFound",
    "Problem",
    "ServerError",
    "TooManyRequests",
    "Unauthorized",
    "Unreachable",
    "WebhookRefused",
    "models",
    "verified",
]
