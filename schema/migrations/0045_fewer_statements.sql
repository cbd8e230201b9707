-- Fewer statements for one payout. What works at one company sets the company itself, in place of a statement of its own, and
-- makes its cursor only where there is none; and payments that were sent give back what their look-ups cost many at a time.

CREATE OR REPLACE FUNCTION fold(company uuid, least_credits integer, reach integer) RETURNS integer LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  horizon bigint;
  due uuid[];
  folded integer;
BEGIN
  PERFORM set_config('lastro.company', company::text, false);
  horizon := pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
  due := ARRAY(
    SELECT b.ledger_account_id FROM balances b
     WHERE b.company_id = company
       AND least_credits <= (SELECT count(*) FROM (
             SELECT 1 FROM transfers t WHERE t.company_id = company AND t.credit_id = b.ledger_account_id
                AND t.xid >= b.fold_xid AND t.xid < horizon LIMIT least_credits) tail)
     ORDER BY b.ledger_account_id LIMIT reach);
  PERFORM 1 FROM balances WHERE company_id = company AND ledger_account_id = ANY (due)
    ORDER BY ledger_account_id FOR UPDATE;
  UPDATE balances b
     SET credits_folded = credits_folded + credit_tail(company, b.ledger_account_id, b.fold_xid, horizon),
         fold_xid = greatest(fold_xid, horizon)
   WHERE b.company_id = company AND b.ledger_account_id = ANY (due);
  GET DIAGNOSTICS folded = ROW_COUNT;
  RETURN folded;
END $$;

CREATE OR REPLACE FUNCTION enter(company uuid, reach integer) RETURNS integer LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  begun timestamptz := business_now(); -- before this transaction has an id
  is_first boolean := pg_current_xact_id_if_assigned() IS NULL;
  is_settled boolean := false;
  c entry_cursors;
  oldest bigint;
  most integer := reach;
  seen integer;
  earliest timestamptz;
  latest timestamptz;
  until timestamptz;
  lacking uuid[];
  late uuid[] := '{}';
  late_to timestamptz[] := '{}';
  waits_from timestamptz;
BEGIN
  PERFORM set_config('lastro.company', company::text, false);
  SELECT * INTO c FROM entry_cursors WHERE company_id = company FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN -- the first time, or another session is at it
    INSERT INTO entry_cursors (company_id) VALUES (company) ON CONFLICT DO NOTHING RETURNING * INTO c;
    IF NOT FOUND THEN RETURN 0; END IF;
  END IF;
  oldest := pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
  IF c.marked_xid <= oldest THEN
    c.proven_until := greatest(c.proven_until, c.marked_at - interval '1 second');
  END IF;
  IF is_first AND (c.marked_xid IS NULL OR c.marked_xid <= oldest -- or it is of another server, from before a restore
                   OR c.marked_xid > pg_current_xact_id()::text::bigint) THEN
    c.marked_at := begun;
    c.marked_xid := pg_current_xact_id()::text::bigint;
  END IF;
  LOOP
    SELECT count(*), min(created_at), max(created_at) INTO seen, earliest, latest FROM (
      SELECT t.created_at FROM transfers t
       WHERE t.company_id = company AND t.created_at >= c.entered_until AND t.created_at < c.proven_until
       ORDER BY t.created_at LIMIT most) n;
    -- What is of one instant is entered together.
    until := CASE WHEN seen < most THEN c.proven_until WHEN earliest < latest THEN latest
                  ELSE latest + interval '1 microsecond' END;
    WHILE seen > 0 AND until > earliest LOOP
      WITH made AS MATERIALIZED (SELECT * FROM entry_rows(company, c.entered_until, until, NULL, late, late_to)),
      short AS MATERIALIZED (
        SELECT array_agg(DISTINCT m.ledger_account_id) AS accounts FROM made m WHERE m.has_floor AND m.balance_minor < m.held_minor),
      put AS (
        INSERT INTO entries (company_id, ledger_account_id, side, created_at, number, transfer_id, type, reference_id,
                             amount_minor, balance_minor, held_minor)
        SELECT company, m.ledger_account_id, m.side, m.created_at, m.number, m.transfer_id, m.type, m.reference_id,
               m.amount_minor, m.balance_minor, m.held_minor
          FROM made m, short WHERE short.accounts IS NULL OR is_settled)
      SELECT accounts INTO lacking FROM short;
      EXIT WHEN lacking IS NULL OR is_settled;
      SELECT p.late, p.late_to, p.waits_from INTO late, late_to, waits_from FROM put_off(company, c.entered_until, until, lacking) p;
      is_settled := waits_from IS NULL;
      IF NOT is_settled THEN
        until := waits_from;
        late := '{}';
        late_to := '{}';
      END IF;
    END LOOP;
    EXIT WHEN seen < most OR until > earliest;
    most := most * 4; -- what it waits for lies behind more than was read
  END LOOP;
  UPDATE entry_cursors SET entered_until = greatest(c.entered_until, until), proven_until = c.proven_until,
                           marked_at = c.marked_at, marked_xid = c.marked_xid
   WHERE company_id = company;
  RETURN CASE WHEN until > earliest THEN seen ELSE 0 END;
END $$;

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
  RETURN numbered;
END $$;

DROP FUNCTION directory_sent(text);
CREATE FUNCTION directory_sent(look_ups text[]) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  WITH paid AS (DELETE FROM directory_look_ups l WHERE l.end_to_end_id = ANY (look_ups) RETURNING l.bucket, l.back),
  given AS (SELECT p.bucket, sum(p.back) AS tokens FROM paid p GROUP BY p.bucket),
  held AS MATERIALIZED (
    SELECT b.name, g.tokens FROM directory_buckets b JOIN given g ON g.bucket = b.name ORDER BY b.name FOR UPDATE OF b)
  UPDATE directory_buckets b SET tokens = b.tokens + held.tokens FROM held WHERE b.name = held.name;
END $$;
REVOKE EXECUTE ON FUNCTION directory_sent(text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION directory_sent(text[]) TO lastro_app, lastro_work, lastro_audit;
