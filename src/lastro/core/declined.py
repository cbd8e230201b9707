"""Exceptions that tell a person why a process or command did nothing."""


class StartRefused(Exception):  # noqa: N818 it says what happened to the start
    """Nothing was started. Its text is for people: one sentence a line, each saying what to do."""


class CommandFailed(Exception):  # noqa: N818 - reads as what happened
    """The command could not do what it was asked; its text is one sentence for the person who asked."""
