-- What a database has besides schema.sql once it is spread over the servers of a Citus cluster: how a session works in the shard of
-- its company, and what keeps it there (docs/decisions/distribution.md). `lastro distribute` runs it on the coordinator, as
-- lastro_owner, behind the tables' own distribution; the engine gives it to every server.

CREATE SCHEMA shards;
GRANT USAGE ON SCHEMA shards TO lastro_app, lastro_work, lastro_audit;

-- Since when a shard is on a server, machine time. Its transaction ids count from epoch * 2^48 on, so that they rise with each move.
CREATE TABLE shards.epochs (
  shard bigint NOT NULL,
  epoch integer NOT NULL CHECK (epoch BETWEEN 0 AND 32767),
  server integer NOT NULL,                            -- the engine's number of the server (pg_dist_node.groupid)
  began_at timestamptz NOT NULL,
  PRIMARY KEY (shard, epoch)
);
SELECT create_reference_table('shards.epochs');
GRANT SELECT ON shards.epochs TO lastro_app, lastro_work, lastro_audit;

-- Where each company's shard is: the engine's own map.
CREATE FUNCTION shards.of(company uuid, OUT shard bigint, OUT host text, OUT port integer) LANGUAGE sql STABLE AS $$
  SELECT p.shardid, n.nodename, n.nodeport FROM pg_dist_placement p JOIN pg_dist_node n USING (groupid)
   WHERE p.shardid = get_shard_id_for_distribution_column('public.companies', company) AND n.noderole = 'primary'
$$;
CREATE FUNCTION shards.all(OUT shard bigint, OUT host text, OUT port integer) RETURNS SETOF record LANGUAGE sql STABLE AS $$
  SELECT p.shardid, n.nodename, n.nodeport FROM pg_dist_shard s JOIN pg_dist_placement p USING (shardid) JOIN pg_dist_node n USING (groupid)
   WHERE s.logicalrelid = 'public.companies'::regclass AND n.noderole = 'primary' ORDER BY p.shardid
$$;

-- Demands that the shard which this session was opened for is still on this server, in the very tables it was opened for. LA421: it
-- is elsewhere. `open` has left in the session what this compares.
CREATE FUNCTION shards.demand_place() RETURNS void LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF to_regclass(current_setting('lastro.companies', true))::oid::text IS DISTINCT FROM current_setting('lastro.companies_oid', true)
     OR NOT EXISTS (SELECT FROM pg_catalog.pg_dist_placement p WHERE p.shardid = current_setting('lastro.shard')::bigint
                       AND p.groupid = current_setting('lastro.server')::integer) THEN
    RAISE EXCEPTION 'the shard is elsewhere' USING ERRCODE = 'LA421';
  END IF;
END $$;

-- The same, and that the company is in the shard.
CREATE FUNCTION shards.demand_here(company uuid) RETURNS void LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM shards.demand_place();
  IF pg_catalog.worker_hash(company) NOT BETWEEN current_setting('lastro.least')::integer AND current_setting('lastro.most')::integer THEN
    RAISE EXCEPTION 'the company is in another shard' USING ERRCODE = 'LA421';
  END IF;
END $$;

-- Sets the company whose rows this session sees.
CREATE FUNCTION shards.enter(company text) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM shards.demand_here(company::uuid);
  PERFORM set_config('lastro.company', company, false);
END $$;

-- Keeps this session's shard on its server until the transaction ends: the lock of the engine's own executor, which a move waits
-- for. LA421: it is elsewhere.
CREATE FUNCTION shards.hold(company uuid) RETURNS void LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM pg_catalog.lock_shard_metadata(5, ARRAY[nullif(pg_catalog.current_setting('lastro.shard', true), '')::bigint]);
  PERFORM shards.demand_here(company);
END $$;

-- Whether a row of the company may be written by this transaction; asked for each row, looked up once.
CREATE FUNCTION shards.may_write(company uuid) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  mark text := pg_catalog.pg_current_xact_id()::text || company::text;
BEGIN
  IF pg_catalog.current_setting('lastro.held', true) IS DISTINCT FROM mark THEN
    PERFORM shards.hold(company);
    PERFORM pg_catalog.set_config('lastro.held', mark, true);
  END IF;
  RETURN true;
END $$;

-- The last beat of this server, by which an older copy of it is known; a table of this server alone, shards.beats, has it
-- (ops/distribute/spreading.py). The era is the last one that has come to this server.
CREATE FUNCTION shards.last_beat(OUT server integer, OUT era timestamptz, OUT beat bigint) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  server := (SELECT l.groupid FROM pg_dist_local_group l);
  era := (SELECT max(e.began_at) FROM public.eras e);
  beat := (SELECT b.beat FROM shards.beats b);
END $$;

-- Makes a beat. No row: the server lacks one that was acknowledged.
CREATE FUNCTION shards.make_beat(seen_era timestamptz, seen_beat bigint, OUT era timestamptz, OUT beat bigint, OUT at timestamptz)
RETURNS SETOF record LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  present timestamptz := (SELECT max(e.began_at) FROM public.eras e);
BEGIN
  RETURN QUERY UPDATE shards.beats b SET beat = b.beat + 1, at = greatest(b.at, public.machine_now())
    WHERE (present, b.beat) >= (seen_era, seen_beat) RETURNING present, b.beat, b.at;
END $$;

-- The tables of a shard by their own names, and everything that is made of them, in a schema of this server: shard_<id>.
CREATE FUNCTION shards.show(shard bigint, epoch integer) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  place text := 'shard_' || shard;
  least text := (SELECT s.shardminvalue FROM pg_dist_shard s WHERE s.shardid = shard);
  r record;
BEGIN
  EXECUTE format('DROP SCHEMA IF EXISTS %I CASCADE', place);
  EXECUTE format('CREATE SCHEMA %I', place);
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO lastro_app, lastro_work, lastro_audit', place);
  FOR r IN SELECT c.oid, c.relname AS name, c.relname || '_' || s.shardid AS shown, p.partmethod = 'n' AS is_reference
             FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid JOIN pg_dist_shard s ON s.logicalrelid = p.logicalrelid
            WHERE c.relnamespace = 'public'::regnamespace AND (p.partmethod = 'n' OR s.shardminvalue = least) LOOP
    EXECUTE format('CREATE VIEW %I.%I WITH (security_invoker) AS SELECT * FROM public.%I', place, r.name, r.shown);
    -- What a role may do is said of the shard's own table; a reference table is written by way of the coordinator alone.
    EXECUTE format('GRANT %s ON %I.%I TO lastro_app, lastro_work, lastro_audit',
                   CASE WHEN r.is_reference THEN 'SELECT' ELSE 'SELECT, INSERT, UPDATE, DELETE' END, place, r.name);
    IF NOT r.is_reference AND (SELECT l.groupid FROM pg_dist_local_group l) <> 0 THEN -- so that nothing falls through to the engine
      EXECUTE format('REVOKE ALL ON public.%I FROM lastro_app, lastro_work, lastro_audit', r.name);
    END IF;
  END LOOP;
  EXECUTE format('CREATE FUNCTION %I.settled_xid() RETURNS bigint LANGUAGE sql STABLE AS %L', place,
                 format('SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint + %s', epoch::bigint << 48));
  EXECUTE format('CREATE FUNCTION %I.writing_xid() RETURNS bigint LANGUAGE sql VOLATILE AS %L', place,
                 format('SELECT pg_current_xact_id()::text::bigint + %s', epoch::bigint << 48));
  EXECUTE format('CREATE FUNCTION %I.next_xid() RETURNS bigint LANGUAGE sql STABLE AS %L', place,
                 format('SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint + %s', epoch::bigint << 48));
  EXECUTE format('CREATE FUNCTION %I.lies_here(company uuid) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS %L', place,
                 (SELECT format('SELECT pg_catalog.worker_hash(company) BETWEEN %s AND %s', s.shardminvalue, s.shardmaxvalue)
                    FROM pg_dist_shard s WHERE s.shardid = shard));
  EXECUTE format('ALTER VIEW %I.transfers ALTER COLUMN xid SET DEFAULT %I.writing_xid()', place, place);
  EXECUTE format('ALTER VIEW %I.events ALTER COLUMN xid SET DEFAULT %I.writing_xid()', place, place);
  -- The first act of a request or task finds out that its shard has moved.
  EXECUTE format('CREATE FUNCTION %I.door_enter(company uuid, OUT at timestamptz, OUT clock_version bigint) LANGUAGE plpgsql VOLATILE AS %L', place,
    'BEGIN PERFORM shards.demand_here(company); SELECT e.at, e.clock_version INTO at, clock_version FROM public.door_enter(company) e; END');
  -- Functions that take or return a table's rows: here these are rows of the views above.
  FOR r IN SELECT pg_get_functiondef(p.oid) AS text FROM pg_proc p
            WHERE p.pronamespace = 'public'::regnamespace AND p.prokind = 'f' AND p.proowner = 'lastro_owner'::regrole
              AND EXISTS (SELECT FROM pg_type t WHERE t.typtype = 'c' AND t.oid = ANY (p.proargtypes::oid[] || p.prorettype)) LOOP
    PERFORM set_config('search_path', quote_ident(place) || ', public', true), set_config('check_function_bodies', 'off', true);
    EXECUTE replace(r.text, 'FUNCTION public.', format('FUNCTION %I.', place));
    PERFORM set_config('search_path', 'public', true);
  END LOOP;
  EXECUTE format('GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA %I TO lastro_app, lastro_work, lastro_audit', place);
  FOR r IN SELECT c.relname AS name, pg_get_viewdef(c.oid) AS text, array_to_string(c.reloptions, ', ') AS options FROM pg_class c
            WHERE c.relkind = 'v' AND c.relnamespace = 'public'::regnamespace AND c.relowner = 'lastro_owner'::regrole ORDER BY c.oid LOOP
    PERFORM set_config('search_path', quote_ident(place) || ', public', true);
    IF r.name = 'explained_statements' THEN -- which day is explained is looked at by whoever reads the law (core/laws.py)
      r.text := 'SELECT DISTINCT statement_id AS id FROM statement_lines';
    END IF;
    EXECUTE format('CREATE VIEW %I.%I WITH (%s) AS %s', place, r.name, r.options, r.text);
    EXECUTE format('GRANT SELECT ON %I.%I TO lastro_app, lastro_work, lastro_audit', place, r.name);
    PERFORM set_config('search_path', 'public', true);
  END LOOP;
  PERFORM shards.show_work(shard);
END $$;

-- The same for lastro_work, in a schema of its own: it may see a few columns of most tables, and a view demands the right to all that it
-- shows.
CREATE FUNCTION shards.show_work(shard bigint) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  place text := 'shard_' || shard || '_work';
  least text := (SELECT s.shardminvalue FROM pg_dist_shard s WHERE s.shardid = shard);
  r record;
BEGIN
  EXECUTE format('DROP SCHEMA IF EXISTS %I CASCADE', place);
  EXECUTE format('CREATE SCHEMA %I', place);
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO lastro_work', place);
  FOR r IN SELECT c.relname AS name, t.relname AS shown, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) AS columns
             FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid
             JOIN pg_dist_shard s ON s.logicalrelid = p.logicalrelid AND s.shardminvalue = least
             JOIN pg_class t ON t.relnamespace = c.relnamespace AND t.relname = c.relname || '_' || s.shardid
             JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
            WHERE c.relnamespace = 'public'::regnamespace AND NOT has_table_privilege('lastro_work', t.oid, 'SELECT')
              AND has_column_privilege('lastro_work', t.oid, a.attnum, 'SELECT')
            GROUP BY c.relname, t.relname LOOP
    EXECUTE format('CREATE VIEW %I.%I WITH (security_invoker) AS SELECT %s FROM public.%I', place, r.name, r.columns, r.shown);
    EXECUTE format('GRANT SELECT ON %I.%I TO lastro_work', place, r.name);
  END LOOP;
  FOR r IN SELECT c.relname AS name, pg_get_viewdef(c.oid) AS text, array_to_string(c.reloptions, ', ') AS options FROM pg_class c
            WHERE c.relkind = 'v' AND c.relnamespace = 'public'::regnamespace AND c.relowner = 'lastro_owner'::regrole
              AND c.relname NOT LIKE 'law\_%' ORDER BY c.oid LOOP
    PERFORM set_config('search_path', format('%I, shard_%s, public', place, shard), true);
    BEGIN
      EXECUTE format('CREATE VIEW %I.%I WITH (%s) AS %s', place, r.name, r.options, r.text);
      EXECUTE format('GRANT SELECT ON %I.%I TO lastro_work', place, r.name);
    EXCEPTION WHEN undefined_column THEN
      NULL; -- of what it shows lastro_work may not see all
    END;
    PERFORM set_config('search_path', 'public', true);
  END LOOP;
END $$;

-- Opens a shard for this session, once the shard is on this server and nobody moves it. Returns its epoch. LA421: it is elsewhere.
CREATE FUNCTION shards.open(shard bigint) RETURNS integer LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = public SET citus.enable_ddl_propagation = off SET citus.override_table_visibility = off SET client_min_messages = warning AS $$
DECLARE
  here integer := (SELECT groupid FROM pg_dist_local_group);
  last record;
  current oid;
BEGIN
  PERFORM lock_shard_metadata(5, ARRAY[shard]);
  current := to_regclass('public.companies_' || shard)::oid;
  IF current IS NULL OR NOT EXISTS (SELECT FROM pg_dist_placement p WHERE p.shardid = shard AND p.groupid = here) THEN
    RAISE EXCEPTION 'the shard is elsewhere' USING ERRCODE = 'LA421';
  END IF;
  PERFORM set_config('lastro.shard', shard::text, false), set_config('lastro.server', here::text, false),
          set_config('lastro.companies', 'public.companies_' || shard, false), set_config('lastro.companies_oid', current::text, false),
          set_config('lastro.least', s.shardminvalue, false), set_config('lastro.most', s.shardmaxvalue, false)
     FROM pg_dist_shard s WHERE s.shardid = shard;
  SELECT e.epoch, e.server INTO last FROM shards.epochs e WHERE e.shard = open.shard ORDER BY e.epoch DESC LIMIT 1;
  -- The schema says of which table and of which version of lastro it is.
  IF last.server = here AND obj_description(to_regnamespace('shard_' || shard), 'pg_namespace')
                            = format('%s %s', current, (SELECT count(*) || max(name) FROM migrations)) THEN
    RETURN last.epoch;
  END IF;
  RETURN shards.prepare(shard);
END $$;

-- Does what `open` needs once: the epoch of a shard that has come to this server, and its schema. One session of a server at a time.
CREATE FUNCTION shards.prepare(shard bigint) RETURNS integer LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  here integer := (SELECT groupid FROM pg_dist_local_group);
  begins timestamptz := machine_now(); -- a value: the engine writes no function's result everywhere
  last record;
  is_of text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('shards', 0));
  SELECT e.epoch, e.server INTO last FROM shards.epochs e WHERE e.shard = prepare.shard ORDER BY e.epoch DESC LIMIT 1;
  IF last.server IS DISTINCT FROM here THEN
    INSERT INTO shards.epochs (shard, epoch, server, began_at) VALUES (prepare.shard, coalesce(last.epoch + 1, 0), here, begins);
    last.epoch := coalesce(last.epoch + 1, 0);
  END IF;
  is_of := format('%s %s', to_regclass('public.companies_' || shard)::oid, (SELECT count(*) || max(name) FROM migrations));
  IF obj_description(to_regnamespace('shard_' || shard), 'pg_namespace') IS DISTINCT FROM is_of THEN
    PERFORM shards.show(shard, last.epoch);
    EXECUTE format('COMMENT ON SCHEMA %I IS %L', 'shard_' || shard, is_of);
  END IF;
  RETURN last.epoch;
END $$;
-- What was put on every server for a write that was refused is taken back.
GRANT DELETE ON company_numbers, account_numbers, rails TO lastro_app;

REVOKE EXECUTE ON FUNCTION shards.show(bigint, integer), shards.show_work(bigint), shards.prepare(bigint) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION shards.make_beat(timestamptz, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION shards.make_beat(timestamptz, bigint) TO lastro_app;

-- A company's row is written where its shard is, by sessions that were opened for it. The engine makes each policy a permissive one in
-- the shards, where a restrictive one would let through what it is to stop: so each command has one policy, of all that the table demands.
-- What is written while a shard moves is applied there by a member of the owner, which the server refuses to do where the owner, too,
-- is behind row-level security.
CREATE FUNCTION shards.guard(t text) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  r record;
  made text[] := '{}';
BEGIN
  EXECUTE format('ALTER TABLE %s NO FORCE ROW LEVEL SECURITY', t);
  FOR r IN SELECT command, string_agg(p.qual, ' AND ' ORDER BY p.permissive, p.policyname) AS seen,
                  string_agg(coalesce(p.with_check, p.qual), ' AND ' ORDER BY p.permissive, p.policyname) AS written
             FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) command
             JOIN pg_policies p ON p.cmd IN ('ALL', command) AND p.schemaname = 'public' AND p.tablename = t AND 'lastro_app' = ANY (p.roles)
            GROUP BY command LOOP
    made := made || (format('CREATE POLICY tenant_%s ON %I FOR %s TO lastro_app', lower(r.command), t, r.command) || CASE r.command
      WHEN 'SELECT' THEN format(' USING (%s)', r.seen)
      WHEN 'INSERT' THEN format(' WITH CHECK (%s AND shards.may_write(company_id))', r.written)
      WHEN 'UPDATE' THEN format(' USING (%s) WITH CHECK (%s AND shards.may_write(company_id))', r.seen, r.written)
      ELSE format(' USING (%s AND shards.may_write(company_id))', r.seen) END);
  END LOOP;
  FOR r IN SELECT policyname AS name FROM pg_policies WHERE schemaname = 'public' AND tablename = t AND 'lastro_app' = ANY (roles) LOOP
    EXECUTE format('DROP POLICY %I ON %I', r.name, t);
  END LOOP;
  FOR i IN 1 .. cardinality(made) LOOP
    EXECUTE made[i];
  END LOOP;
END $$;
REVOKE EXECUTE ON FUNCTION shards.guard(text) FROM PUBLIC;
SELECT shards.guard(logicalrelid::text) FROM pg_dist_partition WHERE partmethod = 'h';
