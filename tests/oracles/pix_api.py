"""The Central Bank's API Pix 2.9.0 as an oracle: what requests and answers have to look like, by a document nobody here wrote.

The document is Apache 2.0 and no part of the project. It stands in `shared/oracles` beside the checkout (or beside a folder
around it), or where LASTRO_PIX_SPEC points; elsewhere tests marked with `needed` are skipped and say so.

    pytestmark = pix_api.needed

    oracle = pix_api.oracle()
    oracle.validator_of("PUT", "/cob/{txid}", 201).problems(answer)       # [] where the answer is as documented
    oracle.of_request("PUT", "/cob/{txid}").problems(body)
    oracle.of_callback("listaPix").problems(body)
    oracle.target_problems("GET", "/v2/pix?inicio=…&fim=…", base="/v2")   # path, parameters, query
    oracle.problems_of(Exchange("GET", "/pix?inicio=…", None, 200, "application/json", b"{…}"))   # all of it
    pix_api.corrected_file(tmp_path)                                      # for Prism and schemathesis

`corrections.py` says what is corrected, `contract.py` has Oracle, Body and Exchange. It is all read once a process, in 0.1 seconds.
"""

import hashlib
import json
import os
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import pytest
import yaml

from .contract import Oracle
from .corrections import Document, corrected

WHERE = "LASTRO_PIX_SPEC"
SHA256 = "4047ae07a639dea4c13cdb60f79e2b849b4825aa6ebebbe96938b9a22d9f1ca8"
_PLACE = Path("shared/oracles/pix-api-2.9.0/openapi.yaml")


def found() -> Path | None:
    """Finds the document. FileNotFoundError where LASTRO_PIX_SPEC points at none."""
    if given := os.environ.get(WHERE):
        if not Path(given).is_file():
            raise FileNotFoundError(f"{WHERE} points at {given}, which is no file")
        return Path(given)
    return next((folder / _PLACE for folder in Path(__file__).resolve().parents if (folder / _PLACE).is_file()), None)


needed = pytest.mark.skipif(
    found() is None, reason=f"API Pix 2.9.0 is not here: set {WHERE} to its openapi.yaml, or put it at ../{_PLACE}"
)


class _Loader(yaml.CSafeLoader):  # type: ignore[misc]
    """YAML whose dates stay text, as JSON has them."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {
        first: [(tag, shape) for tag, shape in resolvers if tag != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
    }


def published() -> bytes:
    """Reads the document as it was published. FileNotFoundError where it is not here."""
    path = found()
    if path is None:
        raise FileNotFoundError("API Pix is not here; mark the test with pix_api.needed")
    return path.read_bytes()


@cache
def raw() -> Document:
    """Gives what the document says, uncorrected; not to be changed. ValueError where it is another edition."""
    text = published()
    if hashlib.sha256(text).hexdigest() != SHA256:
        raise ValueError("this is not API Pix 2.9.0")
    read: Document = yaml.load(text, Loader=_Loader)
    return read


@cache
def oracle(*, without: str = "") -> Oracle:
    """Gives the corrected document to hold requests and answers against. without: a correction that is left out."""
    return Oracle(corrected(raw(), without=without))


def corrected_file(folder: Path) -> Path:
    """Writes the corrected document as JSON, which is YAML too, for tools that read a file."""
    path = folder / "pix-api-2.9.0-corrected.json"
    path.write_text(json.dumps(oracle().document, ensure_ascii=False), encoding="utf-8")
    return path
