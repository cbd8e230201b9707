-- What came behind the watermark is entered with all that it stood on, however far the entries go this time.

-- How far entries are made at most, and what came behind the watermark before there. It stands on credits of up to its watermark, so
-- it waits until they are entered with it, and all from there on waits too; what that leaves out may be what others stood on.
CREATE FUNCTION behind_before(company uuid, since timestamptz, INOUT until timestamptz, OUT ids uuid[]) LANGUAGE plpgsql STABLE AS $$
DECLARE
  waits_from timestamptz;
BEGIN
  LOOP
    SELECT min(b.decided_at) INTO waits_from FROM entries_behind b
     WHERE b.company_id = company AND b.decided_at >= since AND b.decided_at < until AND b.watermark + interval '1 second' >= until;
    EXIT WHEN waits_from IS NULL;
    until := waits_from;
  END LOOP;
  ids := ARRAY(SELECT DISTINCT t.id FROM entries_behind b JOIN transfers t ON t.company_id = company AND t.created_at = b.decided_at
                WHERE b.company_id = company AND b.decided_at >= since AND b.decided_at < until);
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
  before uuid[];
  before_to timestamptz[];
  waits_from timestamptz;
  base uuid[];
  behind uuid[];
  flags uuid[];
  past timestamptz;
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
    -- Where the server's clock has stepped back: past all that it was, so that whatever is still to come says that it is behind.
    c.marked_at := greatest(begun, (SELECT max(t.created_at) + interval '1.000001 seconds' FROM transfers t WHERE t.company_id = company AND t.created_at > begun));
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
    SELECT b.until, b.ids INTO until, base FROM behind_before(company, c.entered_until, until) b;
    late := base;
    late_to := array_fill(until, ARRAY[cardinality(base)]);
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
      before := late;
      before_to := late_to;
      SELECT p.late, p.late_to, p.waits_from INTO late, late_to, waits_from
        FROM put_off(company, c.entered_until, until, lacking, before, before_to) p;
      IF waits_from IS NOT NULL THEN
        SELECT b.until, b.ids INTO until, base FROM behind_before(company, c.entered_until, waits_from) b;
        late := base;
        late_to := array_fill(until, ARRAY[cardinality(base)]);
      ELSE -- again, since what was put off may have been what others stood on; until that moves nothing any more
        is_settled := late = before AND late_to = before_to;
      END IF;
    END LOOP;
    EXIT WHEN seen < most OR until > earliest;
    most := most * 4; -- what it waits for lies behind more than was read
  END LOOP;
  until := greatest(c.entered_until, until);
  -- Where the server's clock has stepped back, writes come behind the watermark: they say so themselves (timely).
  SELECT array_agg(b.id), max(b.watermark) INTO flags, past FROM entries_behind b WHERE b.company_id = company;
  IF flags IS NOT NULL THEN
    behind := ARRAY(SELECT l.id FROM (SELECT DISTINCT b.decided_at FROM entries_behind b WHERE b.company_id = company AND b.id = ANY (flags)
                                        AND b.decided_at < until) b
                     CROSS JOIN LATERAL lack_entries(company, b.decided_at, b.decided_at + interval '1 microsecond') l);
    IF enter_behind(company, behind, until, until > past + interval '3 seconds') @> behind THEN
      DELETE FROM entries_behind b WHERE b.company_id = company AND b.id = ANY (flags) AND b.decided_at < until;
    END IF;
  END IF;
  IF business_now() < begun THEN -- what is written now may be of before the mark
    c.marked_at := NULL;
    c.marked_xid := NULL;
  END IF;
  UPDATE entry_cursors SET entered_until = until, proven_until = c.proven_until, marked_at = c.marked_at, marked_xid = c.marked_xid
   WHERE company_id = company;
  RETURN CASE WHEN until > earliest THEN seen ELSE 0 END;
END $$;

REVOKE EXECUTE ON FUNCTION behind_before(uuid, timestamptz, timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION behind_before(uuid, timestamptz, timestamptz) TO lastro_app, lastro_work, lastro_audit;
