"""Every file of connections in the guide to one's own bank is read as lastro reads it, and its addresses are the dialects'."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.authority import Authority
from tests.house.tree import ROOT

from lastro.config.settings import read as settings_of
from lastro.core.declined import StartRefused
from lastro.rails.api_pix import DIALECTS, read
from lastro.rails.api_pix.files import FileRead

GUIDE = (ROOT / "docs" / "guides" / "own-bank.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```toml\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)
PASSWORD = b"open sesame"


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], FileRead]:
    """Plays the files that the guide names: what each holds shows in the end of its name."""
    made = tmp_path_factory.mktemp("guide")
    authority = Authority(made)
    halves = authority.halves("halves")
    files = {
        ".p12": authority.bundle("plain"), ".pfx": authority.bundle("sealed", PASSWORD), ".crt": halves[0], ".pem": halves[0],
        ".key": halves[1],
    }  # fmt: skip

    def played(path: Path) -> FileRead:
        if path.suffix in files:
            return FileRead(files[path.suffix].read_bytes(), 0o100600)
        return FileRead(PASSWORD if path.name.endswith("-password") else b"0123456789abcdef0123456789abcdef", 0o100600)

    return played


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.split("]")[0].lstrip("["))
def test_each_file_of_the_guide_is_read(block: str, reader: Callable[[Path], FileRead]) -> None:
    found, problems = read(block, Path("/etc/lastro"), is_sandbox=False, reader=reader)
    assert problems == ()
    [connection] = found
    assert connection.name.startswith(connection.dialect.name) or connection.dialect.name == "standard"
    assert connection.certificate is not None


@pytest.mark.parametrize("page", ["own-bank.md", "own-bank.pt.md"])
def test_the_environment_of_banks_alone_is_whole(page: str) -> None:
    """Nothing is missing in it but the file of banks itself, which is not on this machine."""
    text = (ROOT / "docs" / "guides" / page).read_text(encoding="utf-8")
    [block] = re.findall(r"^```sh\n(LASTRO_MODE=.*?)^```", text, re.MULTILINE | re.DOTALL)
    given = dict(line.split("=", 1) for line in block.splitlines())
    with pytest.raises(StartRefused) as refusal:
        settings_of({name: value.strip('"') for name, value in given.items()})
    (sentence,) = str(refusal.value).splitlines()
    assert sentence.startswith("LASTRO_BANKS_FILE names a file that cannot be read")


def test_each_dialect_has_its_block() -> None:
    named = re.findall(r'^dialect = "(\w+)"$', "".join(BLOCKS), re.MULTILINE)
    assert sorted(named) == sorted(DIALECTS)


def test_the_addresses_of_tokens_in_the_text_are_the_dialects() -> None:
    prose = re.sub(r"^```.*?^```", "", GUIDE, flags=re.MULTILINE | re.DOTALL)
    named = set(re.findall(r"`(https://[^`]*token)`", prose))
    assert len(named) > 2
    assert named <= {dialect.token_url for dialect in DIALECTS.values()}
