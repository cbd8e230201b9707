"""The settings of `lastro run`, and the addresses of what runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lastro.core.servers import address_problem
from lastro_sandbox.embedded import StartRefused


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The settings of a run, from the environment."""

    home: Path
    port: int
    simulator_port: int
    bind: str
    database_url: str | None

    @classmethod
    def from_env(cls, env: Mapping[str, str]) -> "RunSettings":
        """Raises StartRefused when a variable makes no sense."""
        settings = cls(
            home=Path(env.get("LASTRO_HOME") or ".lastro").expanduser().absolute(),
            port=_port(env, "LASTRO_PORT", 8080),
            simulator_port=_port(env, "LASTRO_SIM_PORT", 8090),
            bind=env.get("LASTRO_BIND") or "127.0.0.1",
            database_url=env.get("LASTRO_DATABASE_URL") or None,
        )
        if settings.database_url is not None and (problem := address_problem(settings.database_url)) is not None:
            raise StartRefused(f"LASTRO_DATABASE_URL {problem}.")
        if settings.port == settings.simulator_port:
            raise StartRefused(f"LASTRO_PORT and LASTRO_SIM_PORT are both {settings.port}; give them different numbers.")
        return settings

    @property
    def base_url(self) -> str:
        """The URL of the API and the console."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def simulator_url(self) -> str:
        """The URL of the simulated networks."""
        return f"http://127.0.0.1:{self.simulator_port}"


@dataclass(frozen=True, slots=True)
class Running:
    """The running service, as the demo data needs it."""

    home: Path
    base_url: str
    simulator_url: str
    database_url: str


def _port(env: Mapping[str, str], variable: str, otherwise: int) -> int:
    text = env.get(variable) or str(otherwise)
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 65535:
        raise StartRefused(f"{variable} is {text!r}, which is no port number; give one from 1 to 65535.")
    return int(text)
