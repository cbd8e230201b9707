"""Describes the API and its events as OpenAPI 3.1 and as pages."""

from lastro.web.openapi.document import document
from lastro.web.openapi.enumerations import without_names
from lastro.web.openapi.event_schemas import event_schema
from lastro.web.openapi.open_paths import OPEN_PATHS, UNTOLD, Gives, Open
from lastro.web.openapi.postman import collection
from lastro.web.openapi.serving import Reference, Schemas

__all__ = [
    "OPEN_PATHS", "UNTOLD", "Gives", "Open", "Reference", "Schemas", "collection", "document", "event_schema",
    "without_names",
]  # fmt: skip
