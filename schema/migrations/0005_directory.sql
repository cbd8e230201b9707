-- How often the directory of Pix keys may still be asked, and what it need not be asked again.

CREATE TABLE directory_buckets (                      -- reference table: how often the directory may still be asked, by the institution as a whole
  name text PRIMARY KEY,                              -- participant, company:… or payer:…, with a hash in place of the document
  tokens double precision NOT NULL CHECK (tokens >= 0),
  filled_at timestamptz NOT NULL                      -- machine time at which it had those
) WITH (fillfactor = 50);

CREATE TABLE directory_look_ups (                     -- reference table: what a payment gives back once it is sent; kept for a day
  end_to_end_id text PRIMARY KEY,                     -- of the payment that the look-up was for
  bucket text NOT NULL,
  back integer NOT NULL,
  asked_at timestamptz NOT NULL                       -- machine time
);
CREATE INDEX directory_look_ups_asked_at ON directory_look_ups (asked_at);

CREATE TABLE directory_unknown (                      -- reference table: keys that were not there when somebody asked
  key_hash text PRIMARY KEY,
  until timestamptz NOT NULL                          -- machine time; not asked again before
);
CREATE INDEX directory_unknown_until ON directory_unknown (until);

-- Takes a token from each bucket before the directory is asked, or from none. The last bucket is the payer's, which gets `back`
-- tokens again when the payment is sent. refills: tokens a second. names: in their order, so that nobody waits in a ring.
-- is_unknown: the key was not there lately; seconds: until the emptiest bucket has a token. In both cases nothing is taken.
CREATE FUNCTION directory_take(asked_key text, look_up text, names text[], refills double precision[],
                               capacities double precision[], back integer, OUT is_unknown boolean, OUT seconds integer)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  at timestamptz;
BEGIN
  -- The participant's row is everybody's: nobody waits for a disk on it. What a crash forgets, the directory says again.
  PERFORM set_config('synchronous_commit', 'off', true);
  is_unknown := EXISTS (SELECT 1 FROM directory_unknown u WHERE u.key_hash = asked_key AND u.until > machine_now());
  IF is_unknown THEN RETURN; END IF;
  INSERT INTO directory_buckets (name, tokens, filled_at)
  SELECT u.name, u.capacity, machine_now() FROM unnest(names, capacities) AS u(name, capacity) ON CONFLICT DO NOTHING;
  PERFORM 1 FROM directory_buckets b WHERE b.name = ANY (names) ORDER BY b.name FOR UPDATE;
  at := machine_now();
  SELECT greatest(ceil(max((1 - least(u.capacity, b.tokens + extract(epoch FROM at - b.filled_at) * u.refill)) / u.refill)), 0)
    INTO seconds FROM unnest(names, refills, capacities) AS u(name, refill, capacity) JOIN directory_buckets b USING (name);
  IF seconds > 0 THEN RETURN; END IF;
  seconds := NULL;
  UPDATE directory_buckets b
     SET tokens = least(u.capacity, b.tokens + extract(epoch FROM at - b.filled_at) * u.refill) - 1, filled_at = at
    FROM unnest(names, refills, capacities) AS u(name, refill, capacity) WHERE b.name = u.name;
  INSERT INTO directory_look_ups (end_to_end_id, bucket, back, asked_at)
  VALUES (look_up, names[cardinality(names)], directory_take.back, at)
      ON CONFLICT (end_to_end_id) DO UPDATE SET bucket = excluded.bucket, asked_at = excluded.asked_at;
  DELETE FROM directory_look_ups l WHERE l.end_to_end_id IN (
    SELECT o.end_to_end_id FROM directory_look_ups o WHERE o.asked_at < at - interval '1 day'
     ORDER BY o.asked_at LIMIT 4 FOR UPDATE SKIP LOCKED);
END $$;

-- What a look-up cost beyond its one token, once that is known. unknown_key: remembered as not there for so long; NULL: it is.
CREATE FUNCTION directory_settle(names text[], costs double precision[], unknown_key text, remembered interval) RETURNS void
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM 1 FROM directory_buckets b WHERE b.name = ANY (names) ORDER BY b.name FOR UPDATE;
  UPDATE directory_buckets b SET tokens = greatest(b.tokens - u.cost, 0)
    FROM unnest(names, costs) AS u(name, cost) WHERE b.name = u.name;
  IF unknown_key IS NULL THEN RETURN; END IF;
  INSERT INTO directory_unknown (key_hash, until) VALUES (unknown_key, machine_now() + remembered)
      ON CONFLICT (key_hash) DO UPDATE SET until = excluded.until;
  DELETE FROM directory_unknown u WHERE u.key_hash IN (
    SELECT o.key_hash FROM directory_unknown o WHERE o.until < machine_now() ORDER BY o.until LIMIT 4 FOR UPDATE SKIP LOCKED);
END $$;

-- The payment that a look-up was for has been sent: its payer gets tokens back, once. The next look-up keeps to the capacity.
CREATE FUNCTION directory_sent(look_up text) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  WITH paid AS (DELETE FROM directory_look_ups l WHERE l.end_to_end_id = look_up RETURNING l.bucket, l.back)
  UPDATE directory_buckets b SET tokens = b.tokens + paid.back FROM paid WHERE b.name = paid.bucket;
END $$;

REVOKE EXECUTE ON FUNCTION directory_take(text, text, text[], double precision[], double precision[], integer),
  directory_settle(text[], double precision[], text, interval), directory_sent(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION directory_take(text, text, text[], double precision[], double precision[], integer),
  directory_settle(text[], double precision[], text, interval), directory_sent(text) TO lastro_app, lastro_work, lastro_audit;
GRANT SELECT ON directory_buckets, directory_look_ups, directory_unknown TO lastro_app, lastro_audit;
GRANT INSERT, UPDATE ON directory_buckets, directory_look_ups, directory_unknown TO lastro_app;
GRANT DELETE ON directory_look_ups, directory_unknown TO lastro_app;
