"""lastro banks: a list of the Central Bank's is imported, and every no in a sentence."""

from pathlib import Path

import pytest

from lastro.standards.banks import packaged

from .office import Office

HEAD = "ISPB,Nome_Reduzido,Número_Código,Participa_da_Compe,Acesso_Principal,Nome_Extenso,Início_da_Operação"


def saved(folder: Path, *lines: str, leave_out: str = "", encoding: str = "utf-8") -> str:
    """A file as the Central Bank gives it: everybody who is in the STR already, and more."""
    rows = [
        f'{b.ispb},"{b.short_name}",{b.compe or "n/a"},Sim,RSFN,"{b.name}",22/04/2002'
        for b in packaged().all_banks()
        if b.in_str and b.ispb != leave_out
    ]
    file = folder / "ParticipantesSTR.csv"
    file.write_text("\n".join((HEAD, *rows, *lines, "")), encoding=encoding)
    return str(file)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "latin-1"])
def test_a_newer_list_is_imported(office: Office, tmp_path: Path, encoding: str) -> None:
    new = "87654321,BANCO NOVO,888,Sim,RSFN,Banco Novo S.A.,01/12/2026"
    said = office.asks("banks", "import", saved(tmp_path, new, leave_out="60701190", encoding=encoding))
    in_str = sum(b.in_str for b in packaged().all_banks())
    assert said == {
        "network": "STR", "participants": in_str, "banks": len(packaged().all_banks()) + 1,
        "added": ["87654321"], "removed": [], "changed": ["60701190"],
    }  # fmt: skip
    listed = {bank["ispb"]: bank for bank in office.asks("banks", "list")}
    assert listed["87654321"] == {
        "ispb": "87654321", "compe": "888", "ted": True, "pix": False, "shortName": "BANCO NOVO", "name": "Banco Novo S.A.",
    }  # fmt: skip
    assert (listed["60701190"]["compe"], listed["60701190"]["ted"], listed["60701190"]["pix"]) == (None, False, True)
    assert listed["99999020"]["compe"] == "991"
    again = office.asks("banks", "import", saved(tmp_path))
    assert (again["added"], again["removed"], again["changed"]) == ([], ["87654321"], ["60701190"])
    assert "added         -\nremoved       -\nchanged       -" in office.types("banks", "import", saved(tmp_path))


def test_what_cannot_be_imported_is_said_in_a_sentence(office: Office, tmp_path: Path) -> None:
    assert "cannot be read" in office.declined("banks", "import", str(tmp_path / "nowhere.csv"))
    other, short = tmp_path / "other.csv", tmp_path / "short.csv"
    other.write_text("a,b\n1,2\n")
    assert "no line of this file names the columns" in office.declined("banks", "import", str(other))
    short.write_text(f"{HEAD}\n00000000,BCO DO BRASIL S.A.,001,Sim,RSFN,Banco do Brasil S.A.,22/04/2002\n")
    assert "not the whole list: it names 1 participants" in office.declined("banks", "import", str(short))
    assert len(office.asks("banks", "list")) == len(packaged().all_banks()) + 3
    assert office.asks("banks", "import", str(short), "--cut-short")["participants"] == 1
