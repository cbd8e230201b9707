"""The people of the console: their rights, proofs of identity, and acts."""

from lastro.people.actions.administering import By, Register
from lastro.people.actions.sign_in import INVITATION, SANDBOX, SESSION_PREFIX, Entered, Entrance, Slow
from lastro.people.model import ConsoleAct, Person, PersonAct, Presence, Role, Stage
from lastro.people.rules import LONGEST_PASSWORD, SHORTEST_PASSWORD, may, may_administer, roles_of
from lastro.people.store import choose, console_acts, end, forget_not_ended, people_acts, prefer, prove

__all__ = [
    "INVITATION", "LONGEST_PASSWORD", "SANDBOX", "SESSION_PREFIX", "SHORTEST_PASSWORD", "By", "ConsoleAct", "Entered",
    "Entrance", "Person", "PersonAct", "Presence", "Register", "Role", "Slow", "Stage", "choose", "console_acts", "end",
    "forget_not_ended", "may", "may_administer", "people_acts", "prefer", "prove", "roles_of",
]  # fmt: skip
