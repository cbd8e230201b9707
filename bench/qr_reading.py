"""Is our QR read as well as one whose mask zxing-cpp chose, and what would one fixed mask for all cost?

Draws the same seeded payloads in the three ways, spoils the pictures alike, and counts what two independent readers
(zxing-cpp and OpenCV) miss. Run: python bench/qr_reading.py [payloads] [seed] [fixed mask]. Three minutes for 2,000.
"""

import random
import string
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import cv2
import numpy as np
import zxingcpp

from lastro.standards.brcode import BrCode, encode
from lastro.standards.pix_ids import location_token, static_txid
from lastro.standards.qrcode import png

Picture = Any
Reader = Callable[[Picture, str], bool]
Spoil = Callable[[Picture, np.random.Generator], Picture]

_NAMES = ("Padaria Pao Quente", "FULANO DE TAL", "Mercado Sao Jorge Ltda", "Oficina do Ze", "Clinica Vida Nova SA")
_CITIES = ("SAO PAULO", "BRASILIA", "Rio de Janeiro", "Belo Horizonte", "Uruacu")
_HOSTS = ("pix.lastro.example.com", "qr.example.com.br", "127.0.0.1:8080", "pix.banco-exemplo.com.br")


def realistic_payload(chance: random.Random) -> str:
    """Four of five dynamic, as orders are; the rest static with a random or telephone key."""
    name, city, host = chance.choice(_NAMES), chance.choice(_CITIES), chance.choice(_HOSTS)
    amount = f"{chance.randint(1, 5_000)}.{chance.randint(0, 99):02d}" if chance.random() < 0.8 else None
    if chance.random() < 0.8:
        location = f"{host}/qr/v2/{location_token(chance.randbytes(24))}"
        again = f"{host}/qr/v2/rec/{location_token(chance.randbytes(24))}" if chance.random() < 0.2 else None
        code = BrCode(
            location=location,
            recurrence_location=again,
            amount=amount,
            merchant_name=name,
            merchant_city=city,
            single_use=True,
        )
    else:
        digits = "".join(chance.choices(string.hexdigits[:16], k=32))
        evp = f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
        key = chance.choice((evp, f"+55119{chance.randint(0, 99_999_999):08d}"))
        txid = static_txid(chance.randrange(10_000), chance.randbytes(24))
        code = BrCode(key=key, txid=txid, amount=amount, merchant_name=name, merchant_city=city)
    return encode(code)


def ours(payload: str) -> Picture:
    """The picture that the service serves."""
    return cv2.imdecode(np.frombuffer(png(payload), np.uint8), cv2.IMREAD_GRAYSCALE)


def symbol(payload: str, mask: int | None) -> Picture:
    """The same picture by zxing-cpp alone, 4 pixels a module; `mask` None leaves the choice to it."""
    options = {} if mask is None else {"data_mask": mask}
    drawn: Any = zxingcpp.create_barcode(payload, zxingcpp.BarcodeFormat.QRCode, ec_level="M", **options)
    modules = np.pad(np.array(drawn.to_image(scale=1, add_quiet_zones=False)), 4, constant_values=255)
    return np.kron(modules, np.ones((4, 4), np.uint8))


def mask_of(picture: Picture) -> int:
    """The mask a symbol says it has: bits 10 to 12 of its format information, in row 8, columns 2 to 4."""
    modules = (picture[2::4, 2::4] == 0).astype(int)[4:-4, 4:-4]
    bits = [int(modules[8, column]) for column in (2, 3, 4)]
    return (bits[0] << 2 | bits[1] << 1 | bits[2]) ^ 0b101


def _scaled(factor: float) -> Spoil:
    def spoil(picture: Picture, _: np.random.Generator) -> Picture:
        return cv2.resize(picture, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)

    return spoil


def _blurred(sigma: float) -> Spoil:
    return lambda picture, _: cv2.GaussianBlur(picture, (0, 0), sigma)


def _turned(picture: Picture, chance: np.random.Generator) -> Picture:
    wide = cv2.copyMakeBorder(picture, 60, 60, 60, 60, cv2.BORDER_CONSTANT, value=255)
    side = wide.shape[0]
    matrix = cv2.getRotationMatrix2D((side / 2, side / 2), float(chance.uniform(-40, 40)), 1.0)
    return cv2.warpAffine(wide, matrix, (side, side), flags=cv2.INTER_LINEAR, borderValue=255)


def _photographed(picture: Picture, chance: np.random.Generator) -> Picture:
    """Seen from the side, out of focus, unevenly lit and noisy: a screen under a telephone's camera."""
    wide = cv2.copyMakeBorder(picture, 50, 50, 50, 50, cv2.BORDER_CONSTANT, value=255)
    side = wide.shape[0]
    corners = np.array([[0, 0], [side, 0], [side, side], [0, side]], np.float32)
    moved = corners + chance.uniform(-0.08 * side, 0.08 * side, (4, 2)).astype(np.float32)
    seen = cv2.warpPerspective(wide, cv2.getPerspectiveTransform(corners, moved), (side, side), borderValue=255)
    light = np.linspace(float(chance.uniform(0.5, 0.9)), 1.0, side)[None, :]
    noisy = cv2.GaussianBlur(seen, (0, 0), 1.2) * light * 0.8 + 20 + chance.normal(0, 10, seen.shape)
    return np.clip(noisy, 0, 255).astype(np.uint8)


SPOILS: dict[str, Spoil] = {
    "as drawn": lambda picture, _: picture,
    "half size": _scaled(0.5),
    "0.61 of size": _scaled(0.61),
    "blur 1.2 px": _blurred(1.2),
    "blur 1.7 px": _blurred(1.7),
    "turned": _turned,
    "photographed": _photographed,
}


def read_by_zxing(picture: Picture, payload: str) -> bool:
    """Whether zxing-cpp's reader finds the payload."""
    return any(found.text == payload for found in zxingcpp.read_barcodes(picture))


def read_by_opencv(picture: Picture, payload: str) -> bool:
    """Whether OpenCV's reader finds the payload; its own failures inside count as not read."""
    try:
        return bool(cv2.QRCodeDetector().detectAndDecode(picture)[0] == payload)
    except (cv2.error, UnicodeDecodeError):
        return False


READERS: dict[str, Reader] = {"zxing": read_by_zxing, "opencv": read_by_opencv}


def misses(seed: int, count: int, fixed: int) -> Counter[tuple[str, str, str]]:
    """For each (spoil, reader): how many were missed in each way, and only ours or only zxing's of the two."""
    cv2.setNumThreads(1)
    chance = random.Random(seed)
    missed: Counter[tuple[str, str, str]] = Counter()
    for _ in range(count):
        payload, spoil_seed = realistic_payload(chance), chance.getrandbits(64)
        pictures = {"ours": ours(payload), "zxing": symbol(payload, None), "fixed": symbol(payload, fixed)}
        for way, picture in pictures.items():
            missed["mask", str(mask_of(picture)), way] += 1
        for spoil_name, spoil in SPOILS.items():
            spoiled = {way: spoil(picture, np.random.default_rng(spoil_seed)) for way, picture in pictures.items()}
            for reader_name, read in READERS.items():
                lost = {way: not read(picture, payload) for way, picture in spoiled.items()}
                for way, is_lost in lost.items():
                    missed[spoil_name, reader_name, way] += is_lost
                missed[spoil_name, reader_name, "only ours"] += lost["ours"] and not lost["zxing"]
                missed[spoil_name, reader_name, "only zxing"] += lost["zxing"] and not lost["ours"]
    return missed


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    fixed = int(sys.argv[3]) if len(sys.argv) > 3 else 2
    chunks = 20
    total: Counter[tuple[str, str, str]] = Counter()
    with ProcessPoolExecutor(2) as pool:
        numbers = range(chunks)
        for part in pool.map(misses, (seed * 1000 + n for n in numbers), [count // chunks] * chunks, [fixed] * chunks):
            total.update(part)
    ways = ("ours", "zxing", "fixed", "only ours", "only zxing")
    print(f"{count} payloads, seed {seed}, fixed mask {fixed}: pictures that a reader missed")
    print(f"{'':14} {'reader':8}" + "".join(f"{way:>12}" for way in ways))
    for spoil_name in SPOILS:
        for reader_name in READERS:
            row = (total[spoil_name, reader_name, way] for way in ways)
            print(f"{spoil_name:14} {reader_name:8}" + "".join(f"{number:12}" for number in row))
    for way in ("ours", "zxing"):
        print(f"masks 0 to 7, {way}:", [total["mask", str(mask), way] for mask in range(8)])


if __name__ == "__main__":
    main()
