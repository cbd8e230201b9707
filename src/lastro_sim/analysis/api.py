"""Endpoints of the analyst: a protocol for participants, a list for tests."""

import re
from typing import Any

from litestar import Response, get, put
from litestar.datastructures import UploadFile
from litestar.di import NamedDependency
from litestar.params import FromPath

from lastro_sim import logs
from lastro_sim.answers import Asked, answer
from lastro_sim.collecting import movements
from lastro_sim.forms import Form
from lastro_sim.guard import PARTICIPANT_ONLY
from lastro_sim.network import Network
from lastro_sim.refusals import Problem, malformed
from lastro_sim.routes import listing

from . import requests, verdicts

REFERENCE = re.compile(r"[0-9A-Za-z-]{8,64}")
DIGEST = re.compile(r"[0-9a-f]{64}")
LARGEST_UPLOAD = 64 * 1024 * 1024  # a re-encoded picture may be larger than the original


@put("/analysis/v1/requests/{reference:str}", opt=PARTICIPANT_ONLY)
async def request_put(request: Asked, network: NamedDependency[Network], reference: FromPath[str]) -> Response[bytes]:
    """Submits a request; the answer names the missing documents."""
    logs.about(_named(reference))
    is_new = requests.hand_over(network, reference, _body(await request.body()))
    return answer(requests.shown(network, requests.find(network, reference)), 201 if is_new else 200)


@put(
    "/analysis/v1/requests/{reference:str}/documents/{document_id:str}",
    opt=PARTICIPANT_ONLY,
    request_max_body_size=LARGEST_UPLOAD,
)
async def document_put(
    request: Asked, network: NamedDependency[Network], reference: FromPath[str], document_id: FromPath[str]
) -> Response[bytes]:
    """Uploads a document of the request, from a form with one file."""
    logs.about(_named(reference))
    file = (await request.form()).get("file")
    if not isinstance(file, UploadFile):
        raise malformed(Problem("file", "REQUIRED", "A form with a file is expected"))
    requests.take_document(network, reference, document_id, await file.read())
    return answer(requests.shown(network, requests.find(network, reference)))


@get("/analysis/v1/requests/{reference:str}", opt=PARTICIPANT_ONLY)
async def request_get(network: NamedDependency[Network], reference: FromPath[str]) -> Response[bytes]:
    """Returns one request and its status."""
    return answer(requests.shown(network, requests.find(network, _named(reference))))


@get("/analysis/v1/movements", opt=PARTICIPANT_ONLY)
async def movement_list(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """Returns verdicts after a position and confirms those up to it."""
    return answer({"movements": await movements.pulled(request, network, requests.ANALYST)})


ROUTES = (listing("/analyses", requests.listed, usual=100),)


def _named(reference: str) -> str:
    if REFERENCE.fullmatch(reference) is None:
        raise malformed(Problem("reference", "INVALID", "A reference has 8 to 64 letters, digits and hyphens"))
    return reference


def _body(raw: bytes) -> dict[str, Any]:
    form = Form.read(raw)
    found: dict[str, Any] = {"holderType": form.choice("holderType", verdicts.FLAGGED)}
    holder = form.child("holder")
    document = holder.child("document")
    found["holder"] = {
        "name": holder.text("name"), "email": holder.text("email"), "phone": holder.text("phone"),
        "document": {"type": document.choice("type", {"CPF", "CNPJ"}), "number": document.text("number", 14)},
    }  # fmt: skip
    documents = form.given("documents")
    if not isinstance(documents, list) or not documents:
        form.refuse("documents", "REQUIRED", "At least one document is expected")
        documents = []
    found["documents"] = []
    for place, given in enumerate(documents):
        one = Form(given if isinstance(given, dict) else {}, f"documents[{place}].", form.problems)
        found["documents"].append(
            {"id": one.text("id", 64), "type": one.text("type", 64), "sha256": one.text("sha256", 64, DIGEST)}
        )
    form.check()
    return found
