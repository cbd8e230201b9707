-- A payment order that is sent gives the participant's bucket one back, too, and the company's part of it.

ALTER TABLE directory_look_ups ADD COLUMN also text[] NOT NULL DEFAULT '{}';

CREATE OR REPLACE FUNCTION directory_take(asked_key text, look_up text, names text[], refills double precision[],
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
  INSERT INTO directory_look_ups (end_to_end_id, bucket, back, asked_at, also)
  VALUES (look_up, names[cardinality(names)], directory_take.back, at, names[:cardinality(names) - 1])
      ON CONFLICT (end_to_end_id) DO UPDATE SET bucket = excluded.bucket, asked_at = excluded.asked_at, also = excluded.also;
  DELETE FROM directory_look_ups l WHERE l.end_to_end_id IN (
    SELECT o.end_to_end_id FROM directory_look_ups o WHERE o.asked_at < at - interval '1 day'
     ORDER BY o.asked_at LIMIT 4 FOR UPDATE SKIP LOCKED);
END $$;

-- The payments that these look-ups were for have been sent: their payers get tokens back, and the participant one, once for
-- each (DICT API 2.12.1, "Regras de contagem das políticas"). The next look-up keeps to the capacity. Buckets are locked in the
-- order of their names, as for a look-up.
CREATE OR REPLACE FUNCTION directory_sent(look_ups text[]) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  WITH paid AS (DELETE FROM directory_look_ups l WHERE l.end_to_end_id = ANY (look_ups) RETURNING l.bucket, l.back, l.also),
  given AS (SELECT u.name, sum(u.back) AS tokens FROM paid p
             CROSS JOIN LATERAL (SELECT p.bucket AS name, p.back UNION ALL SELECT a.name, 1 FROM unnest(p.also) AS a(name)) u
             GROUP BY u.name),
  held AS MATERIALIZED (
    SELECT b.name, g.tokens FROM directory_buckets b JOIN given g USING (name) ORDER BY b.name FOR UPDATE OF b)
  UPDATE directory_buckets b SET tokens = b.tokens + held.tokens FROM held WHERE b.name = held.name;
END $$;
