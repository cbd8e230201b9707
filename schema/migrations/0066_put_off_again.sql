-- What is entered behind the credit that it stood on is itself a credit, from one account here to another: what stood on that
-- goes behind it, too.

DROP FUNCTION put_off(uuid, timestamptz, timestamptz, uuid[]);

-- What of these accounts' transfers is to be entered behind the credit that it stood on, and as of when. A debit relies on
-- credits that it found committed, decided up to a second after it. Where one that it needs is not among these, all from there
-- on waits; not longer than three seconds, since what is not there by then was never there. known, known_to: what is put off
-- already, which is told again; another account's debit may stand on the credit that one of these is there.
CREATE FUNCTION put_off(company uuid, since timestamptz, until timestamptz, accounts uuid[], known uuid[], known_to timestamptz[],
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
  place integer;
BEGIN
  late := known;
  late_to := known_to;
  FOR r IN SELECT m.ledger_account_id, m.transfer_id, m.decided_at, coalesce(k.at, m.decided_at) AS at,
                  m.balance_minor - m.held_minor AS available
             FROM entry_rows(company, since, until, NULL, known, known_to) m
             LEFT JOIN unnest(known, known_to) AS k(id, at) ON k.id = m.transfer_id
            WHERE m.ledger_account_id = ANY (accounts) ORDER BY m.ledger_account_id, m.number LOOP
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
        IF takes[i] <= free AND froms[i] >= r.at - interval '3 seconds' THEN
          free := free - takes[i];
          place := coalesce(array_position(late, ids[i]), cardinality(late) + 1);
          late[place] := ids[i];
          late_to[place] := r.at;
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
-- many transfers it read; 0: there is nothing to do by now. It sets the company for this session.
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
      before := late;
      before_to := late_to;
      SELECT p.late, p.late_to, p.waits_from INTO late, late_to, waits_from
        FROM put_off(company, c.entered_until, until, lacking, before, before_to) p;
      IF waits_from IS NOT NULL THEN
        until := waits_from;
        late := '{}';
        late_to := '{}';
      ELSE -- again, since what was put off may have been what others stood on; until that moves nothing any more
        is_settled := late = before AND late_to = before_to;
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

GRANT EXECUTE ON FUNCTION put_off(uuid, timestamptz, timestamptz, uuid[], uuid[], timestamptz[]) TO lastro_app, lastro_work, lastro_audit;
REVOKE EXECUTE ON FUNCTION put_off(uuid, timestamptz, timestamptz, uuid[], uuid[], timestamptz[]) FROM PUBLIC;
