-- Two keys that are created at once are not both the last that an account may have.

CREATE FUNCTION key_count(company uuid, account uuid) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT (SELECT count(*) FROM pix_keys WHERE company_id = company AND account_id = account AND status = 'ACTIVE')
       + (SELECT count(*) FROM key_claims WHERE company_id = company AND account_id = account AND role = 'CLAIMER'
                                            AND status IN ('OPEN', 'WAITING_RESOLUTION', 'CONFIRMED'))
$$;
REVOKE EXECUTE ON FUNCTION key_count(uuid, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION key_count(uuid, uuid) TO lastro_app, lastro_work, lastro_audit;

CREATE OR REPLACE FUNCTION door_commit(company uuid, client text, client_version bigint, clock_version bigint,
                            kinds text[], ids uuid[], versions bigint[]) RETURNS uuid
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  i integer;
BEGIN
  PERFORM set_config('lastro.company', company::text, false);
  IF client_version IS NOT NULL THEN
    PERFORM 1 FROM clients WHERE company_id = company AND client_id = client AND version = client_version
        AND (revoked_at IS NULL OR revoked_at > machine_now()) FOR SHARE;
    IF NOT FOUND THEN PERFORM demand('clients', 1, 0); END IF;
  END IF;
  IF clock_version IS NOT NULL THEN
    PERFORM 1 FROM clock c WHERE c.version = clock_version;
    IF NOT FOUND THEN PERFORM demand('clock', 1, 0); END IF;
  END IF;
  FOR i IN 1 .. cardinality(kinds) LOOP
    CASE kinds[i]
      WHEN 'accounts' THEN
        PERFORM 1 FROM accounts WHERE company_id = company AND id = ids[i] AND version = versions[i] FOR SHARE;
      WHEN 'pix_keys' THEN
        PERFORM 1 FROM pix_keys WHERE company_id = company AND id = ids[i] AND version = versions[i] FOR SHARE;
      WHEN 'orders' THEN
        PERFORM 1 FROM orders WHERE company_id = company AND id = ids[i] AND version = versions[i] FOR SHARE;
      WHEN 'payout_plans' THEN
        PERFORM 1 FROM payout_plans WHERE company_id = company AND id = ids[i] AND version = versions[i] FOR SHARE;
      WHEN 'companies' THEN
        PERFORM 1 FROM companies WHERE company_id = company AND version = versions[i] FOR SHARE;
      WHEN 'closing' THEN -- nothing stands in its way, looked at once nobody else who relies on the account can still commit
        PERFORM 1 FROM accounts WHERE company_id = company AND id = ids[i] AND version = versions[i] FOR NO KEY UPDATE;
        IF FOUND THEN PERFORM 1 WHERE NOT EXISTS (SELECT 1 FROM account_obstacles(company, ids[i])); END IF;
      WHEN 'keys' THEN -- as many as were read, looked at once no other key of the account can still come
        PERFORM pg_advisory_xact_lock(hashtextextended('keys ' || ids[i]::text, 0));
        PERFORM 1 WHERE key_count(company, ids[i]) = versions[i];
      WHEN 'company_fees' THEN -- all of a company's rows together, so that none of them means version 0
        PERFORM 1 FROM (SELECT coalesce(sum(f.version), 0) AS version FROM company_fees f WHERE f.company_id = company) f
          WHERE f.version = versions[i];
    END CASE;
    IF NOT FOUND THEN PERFORM demand(kinds[i], 1, 0); END IF;
  END LOOP;
  RETURN company;
END $$;
