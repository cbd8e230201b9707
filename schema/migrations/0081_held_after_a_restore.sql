-- What fell due in a time that is lost may have been paid in it, under numbers that nobody here knows: it waits until people say that it
-- goes on. held_until is looked at by the sweeps that begin payouts, charges and plans.
--
-- An older process does not look, and begins them as before.

ALTER TABLE eras ADD COLUMN held_until timestamptz;   -- business time as it began: payouts, charges and plans that were due by then wait; NULL: the first era
ALTER TABLE eras ADD COLUMN released_at timestamptz;  -- machine time at which people said that they go on; NULL: they wait

-- What was to be begun by then and moves money waits for people.
CREATE FUNCTION held_until() RETURNS timestamptz LANGUAGE sql STABLE AS
  'SELECT coalesce(max(held_until), ''-infinity'') FROM eras WHERE released_at IS NULL';
REVOKE EXECUTE ON FUNCTION held_until() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION held_until() TO lastro_app, lastro_work, lastro_audit;

CREATE OR REPLACE FUNCTION begin_era(lost_since timestamptz DEFAULT NULL) RETURNS eras LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  b beats;
  made eras;
  lost bigint;
BEGIN
  SELECT * INTO b FROM beats FOR UPDATE;
  made.began_at := greatest(machine_now(), b.at, b.era + interval '1 microsecond');
  made.lost_from := least(b.at, lost_since);
  made.held_until := business_now();
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
