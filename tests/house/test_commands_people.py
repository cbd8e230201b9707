"""lastro admin and lastro audit: what they print, what they keep, and every no."""

from .office import Office

RITA = "rita@ana.example"


def test_people_are_let_in_permitted_and_turned_away_and_each_act_is_told(office: Office) -> None:
    made = office.asks("admin", "invite", "Rita@Ana.Example", "--name", "Rita")
    assert (made["email"], made["roles"], made["companyId"]) == (RITA, ["administer"], None)
    assert made["link"].startswith(f"{office.settings.public_url}/console/link/lsl_")
    again = office.asks("admin", "invite", RITA)
    assert again["link"] != made["link"]
    assert again["roles"] == ["administer"]
    ana = office.asks("company", "add", "Ana Flores")
    for other in (("--role", "read"), ("--name", "Bia"), ("--company", str(ana["number"]))):
        assert "which no link changes" in office.declined("admin", "invite", RITA, *other), other
    own = office.asks(
        "admin", "invite", "bia@ana.example", "--company", str(ana["number"]), "--role", "read", "--role", "operate"
    )
    assert (own["roles"], own["companyId"]) == (["read", "operate"], ana["id"])
    assert office.asks("admin", "permit", RITA, "approve")["roles"] == ["approve"]
    assert office.asks("admin", "sign-out", RITA)["endedAt"] is None
    assert office.asks("admin", "remove-factor", RITA)["endedAt"] is None
    assert office.asks("admin", "end", RITA)["endedAt"] is not None
    listed = {one["email"]: (one["hasPassword"], one["endedAt"] is None) for one in office.asks("admin", "list")}
    assert listed == {"bia@ana.example": (False, True), RITA: (False, False)}
    told = [one["act"] for one in office.asks("audit", "list") if one["person"] == RITA]
    assert told == ["ENDED", "FACTOR_REMOVED", "SIGNED_OUT", "ROLES", "INVITATION_LINK", "INVITATION_LINK", "INVITED"]
    assert len(office.asks("audit", "list", "--last", "2")) == 2
    assert office.asks("audit", "list", "--company", str(ana["number"])) == []
    for words, said in (
        (("admin", "end", RITA), "Nobody who may enter has the address"),
        (("admin", "invite", RITA), "may not be let in"),
        (("admin", "invite", "nobody"), "email must be an e-mail address"),
        (("admin", "permit", "nobody@ana.example", "read"), "Nobody who may enter"),
        (("admin", "invite", "x@ana.example", "--company", "77"), "There is no company '77'"),
    ):
        assert said in office.declined(*words), words
