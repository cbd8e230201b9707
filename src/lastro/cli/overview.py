"""Lists every command in its group, with its sentence."""

from __future__ import annotations

from lastro.cli import GROUPS

COMMANDS = {
    "To try it": {
        "run": "everything in one go: database, API, worker, simulated networks (sandbox)",
        "demo": "play journeys and show each step (sandbox, while it runs)",
        "sandbox": "print what a script needs of it; keep the whole as it is now, go back to it",
        "timeline": "everything that happened to an object, in time order",
        "events": "list, show, follow, forward your events and send them again, as a client of the API",
        "mcp": "the API as tools of an agent, by the Model Context Protocol; it sends no money",
        "certify": "play a webhook receiver its duties; print what passed and what to mend",
    },
    "To run it": {
        "settings": "every setting with its default and a sentence, and which are set",
        "migrate": "bring the database to this version's schema",
        "api": "the API process",
        "worker": "a worker process",
        "doctor": "say what is wrong with this installation, a line a fault and its cure",
        "verify": "check the laws of money over the whole database",
        "backup": "copy the whole server while it works, and check the copy",
        "restore": "put a backup back into an empty data folder, and check the laws over it",
        "era": "begin the numbers anew above all that were given out, after a restore by hand",
        "distribute": "put companies on several servers: spread, add a server, move, repair",
    },
    "To administer it": {name: summary for name, (_, summary) in GROUPS.items()},
    "For your shell": {"completion": "print the script that completes these commands: bash, zsh, fish"},
}
_MORE = """`lastro COMMAND --help` says more of one. Most take --json. Colours: NO_COLOR=1 switches them off.
Progress is shown on a terminal alone, by standard error; `lastro --quiet COMMAND` hides it, and what went well.
Exit status: 0 done, 1 a no or something is broken, 2 no such command or not known.
The guide stands at /docs/guide of a running lastro."""


def overview() -> str:
    """Returns every command in its group; then what holds for all."""
    width = max(len(name) for group in COMMANDS.values() for name in group)
    groups = [
        "\n".join([title, *(f"  {name:<{width}}  {summary}" for name, summary in group.items())])
        for title, group in COMMANDS.items()
    ]
    return "\n\n".join([*groups, _MORE])
