-- What each account was moved by, in order and with what it had afterwards: what statements are made of. The worker fills it.

CREATE INDEX transfers_arrival ON transfers (company_id, created_at);

CREATE TABLE entries (                                -- what an account was moved by, in order, and what it had afterwards
  company_id uuid NOT NULL,
  ledger_account_id uuid NOT NULL,                    -- one of CUST, BLOCK, LOSS: what is an account's own
  side smallint NOT NULL CHECK (side IN (-1, 0, 1)),  -- 1: in, -1: out; 0: a hold was made or given up, which no statement shows
  created_at timestamptz NOT NULL,                    -- the transfer's or a little later: rises with number
  number bigint NOT NULL CHECK (number > 0),          -- 1, 2, 3 … of each ledger account
  transfer_id uuid NOT NULL,
  type text NOT NULL,                                 -- type, reference_id and amount_minor are the transfer's
  reference_id uuid NOT NULL,
  amount_minor bigint NOT NULL CHECK (amount_minor > 0),
  balance_minor bigint NOT NULL,                      -- available and held, afterwards; of LOSS below zero
  held_minor bigint NOT NULL,                         -- held of it
  PRIMARY KEY (company_id, ledger_account_id, side, created_at)
);

CREATE TABLE entry_cursors (                          -- how far each company's entries are made
  company_id uuid PRIMARY KEY REFERENCES companies,
  entered_until timestamptz NOT NULL DEFAULT '-infinity', -- every older transfer has its entries
  proven_until timestamptz NOT NULL DEFAULT '-infinity',  -- no older transfer can be committed any more
  marked_at timestamptz,                              -- whoever writes later than marked_xid has decided a second before this, or later
  marked_xid bigint
);

-- The last entry of a ledger account at or before a moment; no row where it has none.
CREATE FUNCTION last_entry(company uuid, account uuid, at timestamptz) RETURNS SETOF entries LANGUAGE sql STABLE ROWS 1 AS $$
  SELECT * FROM (
    (SELECT * FROM entries e WHERE e.company_id = company AND e.ledger_account_id = account AND e.side = 1 AND e.created_at <= at
      ORDER BY e.created_at DESC LIMIT 1)
    UNION ALL
    (SELECT * FROM entries e WHERE e.company_id = company AND e.ledger_account_id = account AND e.side = -1 AND e.created_at <= at
      ORDER BY e.created_at DESC LIMIT 1)
    UNION ALL
    (SELECT * FROM entries e WHERE e.company_id = company AND e.ledger_account_id = account AND e.side = 0 AND e.created_at <= at
      ORDER BY e.created_at DESC LIMIT 1)) l
   ORDER BY number DESC LIMIT 1
$$;

-- The entries of a company's transfers from since until before until, of one ledger account or of all, as they follow those
-- there are: in order of time, what gives before what takes, each a microsecond after the one before at least. put_off:
-- transfers that are entered as if they were of put_off_to. decided_at: the transfer's own time.
CREATE FUNCTION entry_rows(company uuid, since timestamptz, until timestamptz, only_account uuid DEFAULT NULL,
  put_off uuid[] DEFAULT '{}', put_off_to timestamptz[] DEFAULT '{}')
RETURNS TABLE (ledger_account_id uuid, side smallint, created_at timestamptz, number bigint, transfer_id uuid, type text,
  reference_id uuid, amount_minor bigint, balance_minor bigint, held_minor bigint, decided_at timestamptz, has_floor boolean)
LANGUAGE sql STABLE AS $$
  WITH sides AS MATERIALIZED (
    SELECT s.account, s.side, s.change, s.held, s.rank, t.id, t.type, t.reference_id, t.amount_minor, t.created_at,
           CASE WHEN cardinality(put_off) > 0 THEN (SELECT u.at FROM unnest(put_off, put_off_to) AS u(id, at) WHERE u.id = t.id)
                END AS put_off_to
      FROM transfers t
     CROSS JOIN LATERAL (
       SELECT t.debit_id, CASE WHEN t.kind IN ('moved', 'posted') THEN -1 ELSE 0 END,
              CASE WHEN t.kind IN ('moved', 'posted') THEN -t.amount_minor ELSE 0 END,
              CASE t.kind WHEN 'held' THEN t.amount_minor WHEN 'moved' THEN 0 ELSE -t.amount_minor END,
              CASE t.kind WHEN 'voided' THEN 0 WHEN 'posted' THEN 2 ELSE 1 END
       UNION ALL
       SELECT t.credit_id, 1, t.amount_minor, 0, 0 WHERE t.kind IN ('moved', 'posted')) s(account, side, change, held, rank)
     WHERE t.company_id = company AND t.created_at >= since AND t.created_at < until
       AND (only_account IS NULL OR s.account = only_account)),
  known AS MATERIALIZED (
    SELECT l.id, l.code <> 'LOSS' AS has_floor, coalesce(e.number, 0) AS number, coalesce(e.balance_minor, 0) AS balance,
           coalesce(e.held_minor, 0) AS held, coalesce(e.created_at, '-infinity') AS at
      FROM (SELECT DISTINCT account FROM sides) a
      JOIN ledger_accounts l ON l.company_id = company AND l.id = a.account AND l.account_id IS NOT NULL
      LEFT JOIN LATERAL (SELECT * FROM last_entry(company, l.id, 'infinity')) e ON true),
  ordered AS (
    SELECT s.*, k.has_floor, k.number AS before, k.balance, k.held AS held_before, k.at AS last_at,
           coalesce(s.put_off_to, s.created_at) AS at, row_number() OVER w AS place,
           sum(s.change) OVER w AS changed, sum(s.held) OVER w AS held_changed
      FROM sides s JOIN known k ON k.id = s.account
    WINDOW w AS (PARTITION BY s.account ORDER BY coalesce(s.put_off_to, s.created_at), s.rank, s.created_at, s.id))
  SELECT account, o.side::smallint,
         greatest(last_at, max(at - place * interval '1 microsecond') OVER (PARTITION BY account ORDER BY place))
           + place * interval '1 microsecond',
         before + place, id, o.type, o.reference_id, o.amount_minor, (balance + changed)::bigint,
         (held_before + held_changed)::bigint, o.created_at, o.has_floor
    FROM ordered o
$$;

-- What of these accounts' transfers is to be entered behind the credit that it stood on, and as of when. A debit relies on
-- credits that it found committed, decided up to a second after it. Where one that it needs is not among these, all from there
-- on waits; not longer than three seconds, since what is not there by then was never there.
CREATE FUNCTION put_off(company uuid, since timestamptz, until timestamptz, accounts uuid[],
  OUT late uuid[], OUT late_to timestamptz[], OUT waits_from timestamptz) LANGUAGE plpgsql STABLE AS $$
DECLARE
  r record;
  account uuid;
  free bigint;     -- available, as it comes to be entered
  was bigint;      -- available, as it would be in the order of time
  ids uuid[] := '{}'; -- what waits for money, with how much it takes and since when
  takes bigint[] := '{}';
  froms timestamptz[] := '{}';
  i integer;
BEGIN
  late := '{}';
  late_to := '{}';
  FOR r IN SELECT m.ledger_account_id, m.transfer_id, m.decided_at, m.balance_minor - m.held_minor AS available
             FROM entry_rows(company, since, until) m WHERE m.ledger_account_id = ANY (accounts)
            ORDER BY m.ledger_account_id, m.number LOOP
    IF account IS DISTINCT FROM r.ledger_account_id THEN
      waits_from := least(waits_from, (SELECT min(f) FROM unnest(froms) f WHERE f > until - interval '3 seconds'));
      account := r.ledger_account_id;
      SELECT e.balance_minor - e.held_minor INTO free FROM last_entry(company, account, 'infinity') e;
      free := coalesce(free, 0);
      was := free;
      ids := '{}';
      takes := '{}';
      froms := '{}';
    END IF;
    IF r.available < was AND free + r.available - was < 0 THEN
      ids := ids || r.transfer_id;
      takes := takes || was - r.available;
      froms := froms || r.decided_at;
    ELSE
      free := free + r.available - was;
      i := 1;
      WHILE i <= cardinality(ids) LOOP
        IF takes[i] <= free AND froms[i] >= r.decided_at - interval '3 seconds' THEN
          free := free - takes[i];
          late := late || ids[i];
          late_to := late_to || r.decided_at;
          ids := ids[:i - 1] || ids[i + 1:];
          takes := takes[:i - 1] || takes[i + 1:];
          froms := froms[:i - 1] || froms[i + 1:];
        ELSE
          i := i + 1;
        END IF;
      END LOOP;
    END IF;
    was := r.available;
  END LOOP;
  waits_from := least(waits_from, (SELECT min(f) FROM unnest(froms) f WHERE f > until - interval '3 seconds'));
END $$;

-- Makes one company's entries, oldest first, of about `reach` transfers: only such as nothing older can come before. A Write
-- is refused once it is decided for a second (timely); so, when every transaction has ended that had begun to write by some
-- moment, nothing decided a second before that moment is still to come. One session at a time works at a company. Returns how
-- many transfers it read; 0: there is nothing to do by now.
CREATE FUNCTION enter(company uuid, reach integer) RETURNS integer LANGUAGE plpgsql VOLATILE AS $$
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
  INSERT INTO entry_cursors (company_id) VALUES (company) ON CONFLICT DO NOTHING;
  SELECT * INTO c FROM entry_cursors WHERE company_id = company FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN 0; END IF;
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

-- What a statement says of an entry besides its figures, by the object that the transfer was booked for. party_id: who is at
-- the other end. batch_id: of one transfer of a batch.
CREATE VIEW entry_subjects WITH (security_invoker = true) AS
  SELECT company_id, id AS reference_id, description, id AS order_id, end_to_end_id, coalesce(payer_id, customer_id) AS party_id,
         NULL::uuid AS batch_id FROM orders
  UNION ALL
  SELECT company_id, id, description, NULL, end_to_end_id, receiver_id, batch_id FROM payouts
  UNION ALL
  SELECT r.company_id, r.id, r.description, r.order_id,
         (SELECT p.end_to_end_id FROM pix_payments p WHERE p.company_id = r.company_id AND p.id = r.payment_id),
         (SELECT p.payer_id FROM pix_payments p WHERE p.company_id = r.company_id AND p.id = r.payment_id), NULL FROM refunds r;

-- What an endToEndId leads to: the order it paid, what of it was given back, the payout that it is.
CREATE VIEW entry_names WITH (security_invoker = true) AS
  SELECT company_id, end_to_end_id, order_id AS reference_id FROM pix_payments WHERE order_id IS NOT NULL
  UNION ALL
  SELECT company_id, end_to_end_id, id FROM payouts WHERE end_to_end_id IS NOT NULL
  UNION ALL
  SELECT r.company_id, p.end_to_end_id, r.id FROM pix_payments p
    JOIN refunds r ON r.company_id = p.company_id AND r.payment_id = p.id;

-- The entries of a ledger account that its payouts of a batch made: money out, one for each transfer that left.
CREATE FUNCTION batch_entries(company uuid, account uuid, batch uuid) RETURNS SETOF entries LANGUAGE sql STABLE ROWS 10 AS $$
  SELECT e.* FROM payouts p
    JOIN transfers t ON t.company_id = p.company_id AND t.reference_id = p.id AND t.debit_id = account
     AND t.kind IN ('moved', 'posted')
   CROSS JOIN LATERAL (
     SELECT * FROM entries n WHERE n.company_id = company AND n.ledger_account_id = account AND n.side = -1
        AND n.created_at >= t.created_at AND n.created_at < t.created_at + interval '10 seconds' AND n.transfer_id = t.id) e
   WHERE p.company_id = company AND p.batch_id = batch
$$;

CREATE VIEW law_entries_add_up WITH (security_invoker = true) AS
  SELECT e.company_id, e.ledger_account_id, e.number, e.created_at, e.balance_minor, e.held_minor
    FROM (SELECT n.*, lag(number, 1, 0::bigint) OVER w AS number_before, lag(created_at, 1, '-infinity') OVER w AS at_before,
                 lag(balance_minor, 1, 0::bigint) OVER w AS balance_before, lag(held_minor, 1, 0::bigint) OVER w AS held_before
            FROM entries n WINDOW w AS (PARTITION BY company_id, ledger_account_id ORDER BY number)) e
    JOIN transfers t ON t.company_id = e.company_id AND t.id = e.transfer_id
   WHERE e.number <> e.number_before + 1 OR e.created_at <= e.at_before
      OR e.balance_minor <> e.balance_before + e.side * e.amount_minor
      OR e.held_minor <> e.held_before + CASE WHEN e.side = 1 OR t.kind = 'moved' THEN 0 WHEN t.kind = 'held' THEN e.amount_minor
                                              ELSE -e.amount_minor END;
COMMENT ON VIEW law_entries_add_up IS
  'The entries of a ledger account are numbered without gaps in order of time, and each leaves what the one before left and its own.';

CREATE VIEW law_transfers_have_their_entries WITH (security_invoker = true) AS
  WITH due AS (
    SELECT t.company_id, l.id AS ledger_account_id, t.id AS transfer_id, t.type, t.reference_id, t.amount_minor, t.created_at,
           CASE WHEN t.kind NOT IN ('moved', 'posted') THEN 0 WHEN l.id = t.credit_id THEN 1 ELSE -1 END AS side
      FROM entry_cursors c
      JOIN transfers t ON t.company_id = c.company_id AND t.created_at < c.entered_until
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
COMMENT ON VIEW law_transfers_have_their_entries IS
  'What is older than the cursor of the entries has been entered once for each account it moved, as the transfer says, not before it.';

CREATE VIEW law_no_entry_below_zero WITH (security_invoker = true) AS
  SELECT e.company_id, e.ledger_account_id, e.number, e.balance_minor, e.held_minor FROM entries e
    JOIN ledger_accounts l ON l.company_id = e.company_id AND l.id = e.ledger_account_id
    JOIN balances b ON b.company_id = e.company_id AND b.ledger_account_id = e.ledger_account_id
   WHERE l.code <> 'LOSS' AND e.balance_minor - e.held_minor < least(b.floor_minor, 0);
COMMENT ON VIEW law_no_entry_below_zero IS
  'By its entries an account never had less than its floor: what took money is entered behind what gave it.';

ALTER TABLE entries ENABLE ROW LEVEL SECURITY;
ALTER TABLE entries FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON entries TO lastro_app USING (company_id = tenant()) WITH CHECK (company_id = tenant());
CREATE POLICY audit ON entries FOR SELECT TO lastro_audit USING (true);
GRANT SELECT, INSERT ON entries TO lastro_app;
GRANT SELECT ON entries TO lastro_audit;
ALTER TABLE entry_cursors ENABLE ROW LEVEL SECURITY;
ALTER TABLE entry_cursors FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON entry_cursors TO lastro_app USING (company_id = tenant()) WITH CHECK (company_id = tenant());
CREATE POLICY audit ON entry_cursors FOR SELECT TO lastro_audit USING (true);
GRANT SELECT, INSERT ON entry_cursors TO lastro_app;
GRANT SELECT ON entry_cursors TO lastro_audit;
GRANT UPDATE ON entry_cursors TO lastro_app;
CREATE POLICY work ON entry_cursors FOR SELECT TO lastro_work USING (true);
CREATE POLICY work ON transfers FOR SELECT TO lastro_work USING (true);
GRANT SELECT ON entry_cursors TO lastro_work;
GRANT SELECT (company_id, created_at) ON transfers TO lastro_work;
REVOKE EXECUTE ON FUNCTION last_entry(uuid, uuid, timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION last_entry(uuid, uuid, timestamptz) TO lastro_app, lastro_work, lastro_audit;
REVOKE EXECUTE ON FUNCTION entry_rows(uuid, timestamptz, timestamptz, uuid, uuid[], timestamptz[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION entry_rows(uuid, timestamptz, timestamptz, uuid, uuid[], timestamptz[]) TO lastro_app, lastro_work, lastro_audit;
REVOKE EXECUTE ON FUNCTION put_off(uuid, timestamptz, timestamptz, uuid[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION put_off(uuid, timestamptz, timestamptz, uuid[]) TO lastro_app, lastro_work, lastro_audit;
REVOKE EXECUTE ON FUNCTION batch_entries(uuid, uuid, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION batch_entries(uuid, uuid, uuid) TO lastro_app, lastro_work, lastro_audit;
REVOKE EXECUTE ON FUNCTION enter(uuid, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION enter(uuid, integer) TO lastro_app, lastro_work, lastro_audit;
GRANT SELECT ON entry_subjects TO lastro_app, lastro_audit;
GRANT INSERT ON entry_subjects TO lastro_app; -- as a whole schema is granted: nothing can be inserted into it
GRANT SELECT ON entry_names TO lastro_app, lastro_audit;
GRANT INSERT ON entry_names TO lastro_app; -- as a whole schema is granted: nothing can be inserted into it
GRANT SELECT ON law_entries_add_up TO lastro_app, lastro_audit;
GRANT INSERT ON law_entries_add_up TO lastro_app; -- as a whole schema is granted: nothing can be inserted into it
GRANT SELECT ON law_transfers_have_their_entries TO lastro_app, lastro_audit;
GRANT INSERT ON law_transfers_have_their_entries TO lastro_app; -- as a whole schema is granted: nothing can be inserted into it
GRANT SELECT ON law_no_entry_below_zero TO lastro_app, lastro_audit;
GRANT INSERT ON law_no_entry_below_zero TO lastro_app; -- as a whole schema is granted: nothing can be inserted into it
