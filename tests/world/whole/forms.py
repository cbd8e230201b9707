"""Forms with a file, as browsers send them."""

import io

from PIL import Image

_BOUNDARY = "----storm"
MEDIA = f"multipart/form-data; boundary={_BOUNDARY}"


def picture(shade: int) -> bytes:
    made = io.BytesIO()
    Image.new("L", (8, 8), shade).save(made, "PNG")
    return made.getvalue()


def form_of(parts: dict[str, bytes]) -> bytes:
    form = b""
    for name, content in parts.items():
        more = '; filename="x.png"' if name == "file" else ""
        form += f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"{more}\r\n\r\n'.encode() + content + b"\r\n"
    return form + f"--{_BOUNDARY}--\r\n".encode()
