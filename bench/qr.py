"""How long a payload and its picture take: microseconds of CPU, the median of interleaved rounds and their range.

Beside them zxing-cpp's symbol alone, without a picture, and what the first pictures cost. Run: python bench/qr.py
"""

import random
import resource
import statistics
import time
from collections.abc import Callable

import zxingcpp

from lastro.standards.brcode import BrCode, decode, encode
from lastro.standards.pix_ids import location_token
from lastro.standards.qrcode import png, prepare

ROUNDS, EACH = 15, 300


def order(chance: random.Random) -> BrCode:
    """A dynamic code as an order makes it: 150 to 170 characters."""
    return BrCode(
        location=f"pix.lastro.example.com/qr/v2/{location_token(chance.randbytes(24))}",
        amount=f"{chance.randint(1, 5_000)}.{chance.randint(0, 99):02d}",
        merchant_name="Padaria Pão Quente",
        merchant_city="São Paulo",
        single_use=True,
    )


def by_zxing(payload: str) -> object:
    """The symbol as zxing-cpp divides and masks it; no picture."""
    return zxingcpp.create_barcode(payload, zxingcpp.BarcodeFormat.QRCode, ec_level="M")


def milliseconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1e3


def main() -> None:
    chance = random.Random(1)
    codes = [order(chance) for _ in range(EACH)]
    payloads = {code: encode(code) for code in codes}
    at_start = _peak()
    print(f"prepare: {milliseconds(prepare):.1f} ms,", end=" ")
    print(f"first picture after it: {milliseconds(lambda: png(payloads[codes[0]])):.1f} ms")
    ways: dict[str, Callable[[BrCode], object]] = {
        "payload": encode,
        "read back": lambda code: decode(payloads[code]),
        "picture": lambda code: png(payloads[code]),
        "payload+picture": lambda code: png(encode(code)),
        "symbol by zxing": lambda code: by_zxing(payloads[code]),
    }
    rounds: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(ROUNDS + 1):
        for way, work in ways.items():
            start = time.process_time()
            for code in codes:
                work(code)
            rounds[way].append((time.process_time() - start) / EACH * 1e6)
    sizes = sorted(len(png(payload)) for payload in payloads.values())
    print(f"payloads of {min(map(len, payloads.values()))}-{max(map(len, payloads.values()))} characters,", end=" ")
    print(f"pictures of {sizes[0]}-{sizes[-1]} bytes; microseconds of CPU, median [range] of {ROUNDS} rounds")
    for way, (_, *after) in rounds.items():
        print(f"{way:15} {statistics.median(after):7.1f} [{min(after):.1f}-{max(after):.1f}]")
    print(f"memory since before prepare: {(_peak() - at_start) / 1e3:.1f} MB")


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    main()
