"""A partner of crypto that quotes at once, so that a create costs what it costs us. `python -m bench.quoter PORT`."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import cast

import uvloop

_BLANK = b"\r\n\r\n"
_LENGTH = b"content-length:"


class Quoter(asyncio.Protocol):
    """One connection: every PUT is answered with a rate for what it asks, everything else with nothing new."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Somebody asks."""
        self._transport, self._buffer = cast("asyncio.Transport", transport), b""

    def data_received(self, data: bytes) -> None:
        """Answers each request that is whole."""
        self._buffer += data
        while _BLANK in self._buffer:
            head, _, rest = self._buffer.partition(_BLANK)
            lengths = [line[len(_LENGTH) :] for line in head.lower().split(b"\r\n") if line.startswith(_LENGTH)]
            length = int(lengths[0]) if lengths else 0
            if len(rest) < length:
                return
            self._buffer = rest[length:]
            said = _quote(head.split(b" ")[1].decode(), rest[:length])
            about = b"content-type: application/json\r\ncontent-length: %d" % len(said)
            self._transport.write(b"HTTP/1.1 200 OK\r\n" + about + _BLANK + said)


def _quote(path: str, body: bytes) -> bytes:
    if not body:
        return b'{"movements":[]}'
    wish, reference = json.loads(body), path.rpartition("/")[2]
    link = f"https://app.example/{reference}"
    told = {
        "reference": reference, "amount": wish["amount"], "asset": "USDT", "assetAmount": "9.186017", "rate": "5.4321",
        "validUntil": wish["validUntil"], "deeplink": f"binance://pay/{reference}", "universalUrl": link, "qrcodeData": link,
    }  # fmt: skip
    return json.dumps(told).encode()


async def _serve(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(Quoter, "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(_serve(int(sys.argv[1])))
