"""Refusals of this room, each declared once."""

from __future__ import annotations

from lastro.core.errors import Kind, Refusal, conflict, invalid

# fmt: off
EMAIL_INVALID = invalid("email", "INVALID", "must be an e-mail address")
EMAIL_DUPLICATE = conflict("email", "DUPLICATE", "{why}")
NAME_INVALID = invalid("name", "INVALID", "must have 1 to {longest} characters that can be seen")
ROLES_REQUIRED = invalid("roles", "REQUIRED", "must name at least one")
PERSON_CONFLICT = conflict("person", "CONFLICT", "was changed by somebody else just now: look again")
# A person that could hand out a new link and take the factor off could enter as anybody there, and approve in that name.
BY_COMMAND_LINE = Refusal(Kind.FORBIDDEN, "person", "NOT_ALLOWED",
    description="has a password: another link, and taking the second factor off, are for the command line alone")
