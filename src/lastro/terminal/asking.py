"""Asks a person at a terminal before something is done; a script is not asked."""

import sys


def agreed(question: str) -> bool:
    """Tells whether somebody at the terminal says yes. Without a terminal nobody is asked, and it is a no."""
    if not sys.stdin.isatty():
        return False
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes", "s", "sim")
