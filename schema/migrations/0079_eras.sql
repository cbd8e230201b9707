-- Eras: what a restore lost may have been given out, so that every number goes on above it. begin_era moves the counters of the
-- installation, begin_era_of what one company has. Processes remember beats, and know by them a copy that is behind.
--
-- An older process knows nothing of it: it starts on a copy that was put back by hand, as before.

CREATE TABLE eras (                                   -- reference table: times in which nothing was lost. No number is given out in two of them
  began_at timestamptz PRIMARY KEY,                   -- machine time; it is the era's name
  lost_from timestamptz,                              -- what came later than this, in machine time, did not come back; NULL: the first era
  network_ids_before bigint NOT NULL DEFAULT 0,       -- of each counter: the last number that came back …
  network_ids_from bigint NOT NULL DEFAULT 1,         -- … and the first that this era gives out; those between may be known outside
  account_numbers_before bigint NOT NULL DEFAULT 0,
  account_numbers_from bigint NOT NULL DEFAULT 1,
  company_numbers_before integer NOT NULL DEFAULT 0,
  company_numbers_from integer NOT NULL DEFAULT 1,
  CHECK (network_ids_from > network_ids_before AND account_numbers_from > account_numbers_before AND company_numbers_from > company_numbers_before)
);
INSERT INTO eras (began_at) VALUES (machine_now());

CREATE TABLE beats (                                  -- one row: what every process remembers of this database, to know it from an older copy of it
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  database_id uuid NOT NULL DEFAULT gen_random_uuid(),
  era timestamptz NOT NULL REFERENCES eras,
  beat bigint NOT NULL DEFAULT 0,                     -- rises every few seconds while a process lives
  at timestamptz NOT NULL DEFAULT machine_now(),      -- of the last beat, machine time
  server text,                                        -- the system identifier of the server it was made at; NULL: none since the era began
  timeline integer                                    -- that server's timeline then: a standby that is promoted begins another
);
INSERT INTO beats (era) SELECT began_at FROM eras;

CREATE TABLE event_eras (                             -- numbers that a company's feed leaves out, since events that were lost may have had them
  company_id uuid NOT NULL REFERENCES companies,
  id uuid NOT NULL,
  era timestamptz NOT NULL REFERENCES eras,           -- as it began
  last_before bigint NOT NULL,                        -- the last number that came back
  first_sequence bigint NOT NULL CHECK (first_sequence > last_before + 1), -- the first of the era
  told_at timestamptz,                                -- when the company was told of it, business time; NULL: it is due
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (company_id, id),
  UNIQUE (company_id, era)
);
CREATE INDEX event_eras_untold ON event_eras (company_id) WHERE told_at IS NULL;

ALTER TABLE event_eras ENABLE ROW LEVEL SECURITY;
ALTER TABLE event_eras FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON event_eras TO lastro_app USING (company_id = tenant()) WITH CHECK (company_id = tenant());
CREATE POLICY audit ON event_eras FOR SELECT TO lastro_audit USING (true);
CREATE POLICY work ON event_eras FOR SELECT TO lastro_work USING (true);
GRANT SELECT ON eras, beats, event_eras TO lastro_app, lastro_work, lastro_audit;
GRANT INSERT, UPDATE ON event_eras TO lastro_app;
GRANT UPDATE (beat, at, server, timeline) ON beats TO lastro_app;

-- Begins an era, after a restore: the counters of the whole installation are moved on, above all that can have been given out since
-- lost_since (without it: since the last beat that came back). For each second lost, 4,000 numbers for networks, one account number
-- and one company number; some more, so that clocks need not agree to ten seconds. Run as the owner, begin_era_of of each company
-- behind it in the same transaction.
CREATE FUNCTION begin_era(lost_since timestamptz DEFAULT NULL) RETURNS eras LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  b beats;
  made eras;
  lost bigint;
BEGIN
  SELECT * INTO b FROM beats FOR UPDATE;
  made.began_at := greatest(machine_now(), b.at, b.era + interval '1 microsecond');
  made.lost_from := least(b.at, lost_since);
  lost := lost_seconds(made);
  SELECT last_value INTO made.network_ids_before FROM network_ids_seq;
  SELECT last_value INTO made.account_numbers_before FROM account_numbers_seq;
  SELECT greatest(coalesce(max(number), 0), (SELECT max(company_numbers_from) - 1 FROM eras)) INTO made.company_numbers_before FROM company_numbers;
  made.network_ids_from := 1 + setval('network_ids_seq', made.network_ids_before + 4000 * (lost + 10));
  made.account_numbers_from := 1 + setval('account_numbers_seq', made.account_numbers_before + 10000 + lost);
  made.company_numbers_from := made.company_numbers_before + 1000 + lost;
  INSERT INTO eras SELECT made.*;
  UPDATE beats SET era = made.began_at, at = made.began_at, server = NULL, timeline = NULL;
  RETURN made;
END $$;

-- How many seconds an era counts as lost: of what is older than 40 days no copy is put back into work.
CREATE FUNCTION lost_seconds(made eras) RETURNS bigint LANGUAGE sql IMMUTABLE AS
  'SELECT least(ceil(extract(epoch FROM made.began_at - made.lost_from)), 3456000)::bigint';

-- What the present era's beginning changes in one company: the feed leaves out numbers, a million and 1,000 more for each second lost, and what
-- waits to be sent for the first time may have been sent, so that its network is asked first. Returns how much that is. It sets the
-- company for this session.
CREATE FUNCTION begin_era_of(company uuid) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  made eras;
  last bigint;
  doubted bigint;
BEGIN
  PERFORM set_config('lastro.company', company::text, false);
  SELECT * INTO made FROM eras ORDER BY began_at DESC LIMIT 1;
  INSERT INTO event_cursors AS c (company_id, last_sequence) VALUES (company, 1000000 + 1000 * lost_seconds(made))
    ON CONFLICT (company_id) DO UPDATE SET last_sequence = c.last_sequence + excluded.last_sequence RETURNING last_sequence INTO last;
  INSERT INTO event_eras (company_id, id, era, last_before, first_sequence)
  VALUES (company, gen_random_uuid(), made.began_at, last - 1000000 - 1000 * lost_seconds(made), last + 1);
  UPDATE outbox SET sends = 1 WHERE company_id = company AND due_at IS NOT NULL AND sends = 0;
  GET DIAGNOSTICS doubted = ROW_COUNT;
  RETURN doubted;
END $$;

REVOKE EXECUTE ON FUNCTION begin_era(timestamptz), lost_seconds(eras), begin_era_of(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION begin_era(timestamptz), lost_seconds(eras), begin_era_of(uuid) TO lastro_app, lastro_work, lastro_audit;

CREATE OR REPLACE FUNCTION forget_events(company uuid, older_than interval, reach integer) RETURNS integer LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  first bigint;
  forgotten integer;
  highest bigint;
BEGIN
  SELECT forgotten_below INTO first FROM event_cursors WHERE company_id = company FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN 0; END IF;
  IF NOT EXISTS (SELECT 1 FROM event_numbers WHERE company_id = company AND sequence >= first AND sequence < first + reach) THEN
    SELECT min(sequence) INTO first FROM event_numbers WHERE company_id = company AND sequence >= first; -- an era that began left the others out
    IF first IS NULL THEN RETURN 0; END IF;
  END IF;
  WITH old AS MATERIALIZED (
    SELECT n.sequence, n.event_id FROM event_numbers n
     WHERE n.company_id = company AND n.sequence >= first AND n.sequence < first + reach
       AND n.created_at < (SELECT business_now()) - older_than),
  held AS MATERIALIZED (
    SELECT o.sequence, d.status FROM old o JOIN deliveries d ON d.company_id = company AND d.id = o.event_id
       FOR NO KEY UPDATE OF d),
  gone AS MATERIALIZED (
    SELECT o.event_id, o.sequence FROM old o
     WHERE o.sequence < coalesce((SELECT min(h.sequence) FROM held h WHERE h.status IN ('PENDING', 'RETRYING')), first + reach)),
  hashed AS (
    INSERT INTO forgotten_bodies (company_id, event_id, sha256, forgotten_at)
    SELECT company, g.event_id, sha256(e.body), (SELECT business_now())
      FROM gone g JOIN events e ON e.company_id = company AND e.id = g.event_id),
  emptied AS (UPDATE events e SET body = NULL FROM gone g WHERE e.company_id = company AND e.id = g.event_id),
  silenced AS (UPDATE delivery_attempts t SET message = '' FROM gone g WHERE t.company_id = company AND t.event_id = g.event_id),
  marked AS (UPDATE deliveries d SET version = d.version + 1 FROM gone g WHERE d.company_id = company AND d.id = g.event_id)
  SELECT count(*), max(sequence) INTO forgotten, highest FROM gone;
  UPDATE event_cursors SET forgotten_below = highest + 1 WHERE company_id = company AND forgotten > 0;
  RETURN forgotten;
END $$;

CREATE OR REPLACE VIEW law_feed_is_dense WITH (security_invoker = true) AS
  SELECT c.company_id, c.last_sequence, n.numbers, n.highest, c.last_created_at, n.latest FROM event_cursors c
   CROSS JOIN LATERAL (SELECT count(*) AS numbers, coalesce(max(sequence), 0) AS highest,
                              coalesce(max(created_at), '-infinity') AS latest FROM event_numbers n
                        WHERE n.company_id = c.company_id) n
   CROSS JOIN LATERAL (SELECT coalesce(sum(first_sequence - 1 - last_before), 0) AS left_out, coalesce(max(first_sequence) - 1, 0) AS last FROM event_eras a
                        WHERE a.company_id = c.company_id) e
   WHERE (c.last_sequence - e.left_out, c.last_sequence, c.last_created_at) IS DISTINCT FROM (n.numbers, greatest(n.highest, e.last), n.latest)
      OR EXISTS (SELECT 1 FROM event_eras a JOIN event_numbers n ON n.company_id = a.company_id AND n.sequence > a.last_before AND n.sequence < a.first_sequence
                  WHERE a.company_id = c.company_id);
COMMENT ON VIEW law_feed_is_dense IS
  'A company''s event numbers are 1, 2, 3 and so on, up to its cursor, but for those that an era left out as it began.';
