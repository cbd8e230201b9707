-- A write that comes behind the watermark of its company's entries, since the server's clock has stepped back, says so in the same
-- commit; its entries are made behind those that there are. enter looks whether the clock stepped back while it worked.

CREATE TABLE entries_behind (                         -- writes that were committed behind the watermark, since the server's clock had stepped back
  company_id uuid NOT NULL REFERENCES companies,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  decided_at timestamptz NOT NULL,                    -- the time of its transfers
  watermark timestamptz NOT NULL,                     -- what was complete by then
  PRIMARY KEY (company_id, id)
);

ALTER TABLE entries_behind ENABLE ROW LEVEL SECURITY;
ALTER TABLE entries_behind FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON entries_behind TO lastro_app USING (company_id = tenant()) WITH CHECK (company_id = tenant());
CREATE POLICY audit ON entries_behind FOR SELECT TO lastro_audit USING (true);
CREATE POLICY work ON entries_behind FOR SELECT TO lastro_work USING (true);
GRANT SELECT ON entries_behind TO lastro_app, lastro_work, lastro_audit;
GRANT INSERT, DELETE ON entries_behind TO lastro_app;

-- A company's transfers from since until before until that lack an entry though the watermark is past them.
CREATE FUNCTION lack_entries(company uuid, since timestamptz, until timestamptz) RETURNS SETOF transfers LANGUAGE sql STABLE AS $$
  SELECT t.* FROM transfers t
   WHERE t.company_id = company AND t.created_at >= since AND t.created_at < until
     AND EXISTS (SELECT 1 FROM ledger_accounts l
                  WHERE l.company_id = company AND l.account_id IS NOT NULL
                    AND (l.id = t.debit_id OR l.id = t.credit_id AND t.kind IN ('moved', 'posted'))
                    AND NOT EXISTS (SELECT 1 FROM entries e WHERE e.company_id = company AND e.ledger_account_id = l.id
                                       AND e.transfer_id = t.id AND e.created_at >= t.created_at))
$$;

-- Makes the entries of one transfer behind all that there is; false, and nothing, where an account would be left below zero and it is not forced.
CREATE FUNCTION enter_one(company uuid, t transfers, as_of timestamptz, forced boolean) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  is_short boolean;
BEGIN
  WITH sides AS (
    SELECT t.debit_id AS account, CASE WHEN t.kind IN ('moved', 'posted') THEN -1 ELSE 0 END AS side,
           CASE WHEN t.kind IN ('moved', 'posted') THEN -t.amount_minor ELSE 0 END AS change,
           CASE t.kind WHEN 'held' THEN t.amount_minor WHEN 'moved' THEN 0 ELSE -t.amount_minor END AS held
    UNION ALL
    SELECT t.credit_id, 1, t.amount_minor, 0 WHERE t.kind IN ('moved', 'posted')),
  made AS MATERIALIZED (
    SELECT s.account, s.side, l.code <> 'LOSS' AS has_floor, coalesce(e.number, 0) + 1 AS number,
           greatest(coalesce(e.created_at, '-infinity'), as_of, t.created_at) + interval '1 microsecond' AS at,
           coalesce(e.balance_minor, 0) + s.change AS balance, coalesce(e.held_minor, 0) + s.held AS held, s.change < 0 OR s.held > 0 AS takes
      FROM sides s
      JOIN ledger_accounts l ON l.company_id = company AND l.id = s.account AND l.account_id IS NOT NULL
      LEFT JOIN LATERAL (SELECT * FROM last_entry(company, l.id, 'infinity')) e ON true
     WHERE NOT EXISTS (SELECT 1 FROM entries x WHERE x.company_id = company AND x.ledger_account_id = s.account AND x.transfer_id = t.id
                          AND x.created_at >= t.created_at)),
  short AS MATERIALIZED (SELECT coalesce(bool_or(has_floor AND takes AND balance < made.held), false) AND NOT forced AS is_so FROM made),
  put AS (
    INSERT INTO entries (company_id, ledger_account_id, side, created_at, number, transfer_id, type, reference_id,
                         amount_minor, balance_minor, held_minor)
    SELECT company, m.account, m.side, m.at, m.number, t.id, t.type, t.reference_id, t.amount_minor, m.balance, m.held
      FROM made m, short WHERE NOT short.is_so)
  SELECT is_so INTO is_short FROM short;
  RETURN NOT is_short;
END $$;

-- Makes the entries of transfers that came behind the watermark: behind all that there is, as of `as_of`, so that no entry that was shown
-- changes. What gives goes before what takes; what would leave an account below zero waits, unless it is forced. Returns the
-- transfers that it entered.
CREATE FUNCTION enter_behind(company uuid, late uuid[], as_of timestamptz, forced boolean) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  t transfers;
  done uuid[] := '{}';
  entered integer;
BEGIN
  LOOP
    entered := cardinality(done);
    FOR t IN SELECT * FROM transfers x WHERE x.company_id = company AND x.id = ANY (late) AND x.id <> ALL (done)
              ORDER BY x.created_at, x.id LOOP
      IF enter_one(company, t, as_of, false) THEN done := done || t.id; END IF;
    END LOOP;
    IF entered = cardinality(done) THEN
      EXIT WHEN NOT forced;
      SELECT * INTO t FROM transfers x WHERE x.company_id = company AND x.id = ANY (late) AND x.id <> ALL (done) ORDER BY x.created_at, x.id LIMIT 1;
      EXIT WHEN NOT FOUND;
      PERFORM enter_one(company, t, as_of, true);
      done := done || t.id;
    END IF;
  END LOOP;
  RETURN done;
END $$;

-- Makes the entries that are lacking though the watermark is past them, as a version before left them; the transfers that it entered.
CREATE FUNCTION mend_entries(company uuid) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  past timestamptz;
BEGIN
  SELECT entered_until INTO past FROM entry_cursors WHERE company_id = company FOR UPDATE;
  RETURN enter_behind(company, ARRAY(SELECT l.id FROM lack_entries(company, '-infinity', past) l), past, true);
END $$;

REVOKE EXECUTE ON FUNCTION lack_entries(uuid, timestamptz, timestamptz), enter_one(uuid, transfers, timestamptz, boolean),
  enter_behind(uuid, uuid[], timestamptz, boolean), mend_entries(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION lack_entries(uuid, timestamptz, timestamptz), enter_one(uuid, transfers, timestamptz, boolean),
  enter_behind(uuid, uuid[], timestamptz, boolean), mend_entries(uuid) TO lastro_app, lastro_work, lastro_audit;

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
    -- What came behind stands on credits of up to its watermark: it waits for them.
    until := least(until, (SELECT min(b.decided_at) FROM entries_behind b WHERE b.company_id = company
                              AND b.decided_at >= c.entered_until AND b.watermark + interval '1 second' >= until));
    base := ARRAY(SELECT DISTINCT t.id FROM entries_behind b JOIN transfers t ON t.company_id = company AND t.created_at = b.decided_at
                   WHERE b.company_id = company AND b.decided_at >= c.entered_until AND b.decided_at < until);
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
        until := waits_from;
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

CREATE OR REPLACE FUNCTION timely(decided_at timestamptz, VARIADIC written bigint[] DEFAULT '{}') RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  complete timestamptz;
BEGIN
  IF business_now() - decided_at > interval '1 second' THEN PERFORM demand('timely', 1, 0); END IF;
  complete := greatest(
    (SELECT greatest(c.entered_until, c.proven_until, c.marked_at - interval '1 second') FROM entry_cursors c WHERE c.company_id = tenant()),
    (SELECT t.created_at FROM transfers t WHERE t.company_id = tenant() ORDER BY t.created_at DESC LIMIT 1) - interval '1 second');
  IF decided_at < complete THEN
    INSERT INTO entries_behind (company_id, decided_at, watermark) VALUES (tenant(), decided_at, complete);
  END IF;
  RETURN true;
END $$;

CREATE OR REPLACE VIEW law_transfers_have_their_entries WITH (security_invoker = true) AS
  WITH due AS (
    SELECT t.company_id, l.id AS ledger_account_id, t.id AS transfer_id, t.type, t.reference_id, t.amount_minor, t.created_at,
           CASE WHEN t.kind NOT IN ('moved', 'posted') THEN 0 WHEN l.id = t.credit_id THEN 1 ELSE -1 END AS side
      FROM entry_cursors c
      JOIN transfers t ON t.company_id = c.company_id AND t.created_at < c.entered_until
       AND NOT EXISTS (SELECT 1 FROM entries_behind b WHERE b.company_id = t.company_id AND b.decided_at = t.created_at)
      JOIN ledger_accounts l ON l.company_id = t.company_id AND l.id IN (t.debit_id, t.credit_id) AND l.account_id IS NOT NULL
     WHERE l.id = t.debit_id OR t.kind IN ('moved', 'posted'))
  SELECT coalesce(d.company_id, e.company_id) AS company_id, coalesce(d.transfer_id, e.transfer_id) AS transfer_id,
         coalesce(d.ledger_account_id, e.ledger_account_id) AS ledger_account_id, count(e.number) AS entries
    FROM due d FULL JOIN entries e ON e.company_id = d.company_id AND e.ledger_account_id = d.ledger_account_id
                                  AND e.transfer_id = d.transfer_id
   GROUP BY 1, 2, 3
  HAVING count(*) <> 1 OR count(e.number) <> 1 OR count(d.transfer_id) <> 1
      OR NOT bool_and((e.side, e.type, e.reference_id, e.amount_minor) = (d.side, d.type, d.reference_id, d.amount_minor)
                      AND e.created_at >= d.created_at);
