"""Ways to break the laws of bodies of events: forgotten when their time is over, without a person who was erased."""

EVENT = "WHERE company_id = $1 AND id = '{paid_event}'"

BODY_LAWS = {
    "law_a_forgotten_body_leaves_its_hash": [
        f"UPDATE events SET body = NULL {EVENT}",
        "UPDATE event_cursors SET forgotten_below = 2 WHERE company_id = $1",
        f"INSERT INTO forgotten_bodies SELECT company_id, id, '', now() FROM events {EVENT}",
    ],
    "law_an_erased_body_is_as_it_was_left": [
        f"INSERT INTO erased_bodies SELECT company_id, id, 1, gen_random_uuid(), '', '' FROM events {EVENT}",
        f"INSERT INTO erased_bodies SELECT company_id, id, n, id, 'x', sha256(body) FROM events, generate_series(1, 2) n {EVENT}",
    ],
}
