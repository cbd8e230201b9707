-- Numbering says that something waits for an older transaction, so that it is tried again in a moment and not a second later.
-- Of an older process, which knows nothing of it, the number is below zero: it takes it for some that were numbered.

CREATE OR REPLACE FUNCTION number_events(company uuid, reach integer) RETURNS integer LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  below bigint;
  last bigint;
  latest timestamptz;
  horizon bigint;
  newest bigint;
  numbered integer;
BEGIN
  PERFORM set_config('lastro.company', company::text, false);
  SELECT numbered_below_xid, last_sequence, last_created_at INTO below, last, latest
    FROM event_cursors WHERE company_id = company FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN -- the first time, or another session is at it
    INSERT INTO event_cursors (company_id) VALUES (company) ON CONFLICT DO NOTHING
      RETURNING numbered_below_xid, last_sequence, last_created_at INTO below, last, latest;
    IF NOT FOUND THEN RETURN 0; END IF;
  END IF;
  horizon := pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
  WITH arrived AS MATERIALIZED (
    SELECT e.id, e.xid, e.type, e.reference_id, e.url, e.created_at, row_number() OVER (ORDER BY e.xid, e.id) AS place
      FROM events e
     WHERE e.company_id = company AND e.xid >= below AND e.xid < horizon
       AND NOT EXISTS (SELECT 1 FROM event_numbers n WHERE n.company_id = company AND n.event_id = e.id)
     ORDER BY e.xid, e.id LIMIT reach),
  placed AS MATERIALIZED (
    SELECT a.*, last + place AS sequence,
           greatest(latest, max(created_at - place * interval '1 microsecond') OVER (ORDER BY place))
             + place * interval '1 microsecond' AS unique_at
      FROM arrived a),
  given AS (
    INSERT INTO event_numbers (company_id, sequence, event_id, created_at)
    SELECT company, sequence, id, unique_at FROM placed RETURNING 1),
  born AS (
    INSERT INTO deliveries (company_id, id, sequence, reference_id, url, type, status, due_at, created_at)
    SELECT company, p.id, p.sequence, p.reference_id, told.url, p.type, 'PENDING', p.created_at, p.unique_at
      FROM placed p
      LEFT JOIN webhook_settings s ON s.company_id = company AND s.event = p.type
     CROSS JOIN LATERAL (SELECT told_url(p.url, s.url, s.active, s.is_extra) AS url) told
     WHERE told.url IS NOT NULL RETURNING 1)
  SELECT count(*), max(xid), greatest(latest, max(unique_at)) INTO numbered, newest, latest FROM placed;
  UPDATE event_cursors
     SET last_sequence = last_sequence + numbered, last_created_at = latest,
         numbered_below_xid = CASE WHEN numbered = reach THEN newest ELSE horizon END
   WHERE company_id = company;
  PERFORM 1 FROM events e WHERE e.company_id = company AND e.xid >= horizon LIMIT 1;
  RETURN CASE WHEN FOUND THEN -1 - numbered ELSE numbered END;
END $$;
