"""Ways to break the law of people."""

_PERSON = (
    "INSERT INTO people (id, email, name, only_company, roles, created_at, version)"
    " VALUES (gen_random_uuid(), 'rita@ana.example', 'Rita', $1, '{{READ}}', now(), {})"
)
_TOLD = (
    "WITH p AS ({} RETURNING id) INSERT INTO people_acts (id, person_id, act, version, created_at)"
    " SELECT gen_random_uuid(), p.id, 'INVITED', {}, now() FROM p"
)
_SAID_TO_END = (
    "INSERT INTO people_ended (act_id, ended_at, person_id) SELECT gen_random_uuid(), now() - interval '2 days', {}"
)


def _person(version: int) -> str:
    return _PERSON.format(version).replace("{READ}", "{{READ}}")  # what follows is formatted once more


PEOPLE_LAWS = {
    "law_every_change_of_a_person_is_told": [
        _person(1),
        _TOLD.format(_person(2), 1),
        _TOLD.format(_person(1), 2),
        _TOLD.format(_person(2), 2),
        _TOLD.format(_person(1), "NULL"),
    ],
    "law_who_has_ended_is_known_everywhere": [
        _TOLD.format(_person(1).replace("created_at, ", "created_at, ended_at, ").replace("now(), ", "now(), now(), "), 1),
        f"WITH p AS ({_person(1)} RETURNING id) {_SAID_TO_END.format('p.id FROM p')}",
        _SAID_TO_END.format("$1::uuid"),  # nobody's
    ],
}
