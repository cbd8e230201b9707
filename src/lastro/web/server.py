"""The HTTP server: uvicorn, by its documented settings alone (docs/decisions/http-edge.md)."""

from typing import Any

import uvicorn

LARGEST_HEAD = 64 * 1024  # bytes of a request line and its headers; behind a proxy the proxy has a limit of its own


def server(app: Any, *, behind_proxy: bool, connections: int | None = None, **more: Any) -> uvicorn.Server:
    """Builds the server of an API process.

    behind_proxy: a proxy has parsed the requests, so the quick parser will do. Direct callers get h11, which limits heads,
    drops trailers and ignores upgrades. connections: above so many each request gets 503.
    """
    return uvicorn.Server(
        uvicorn.Config(
            app, http="httptools" if behind_proxy else "h11", h11_max_incomplete_event_size=LARGEST_HEAD, ws="none",
            limit_concurrency=connections, access_log=False, log_config=None, log_level="error", server_header=False,
            proxy_headers=False, timeout_graceful_shutdown=3, backlog=1024, **more,
        )
    )  # fmt: skip
