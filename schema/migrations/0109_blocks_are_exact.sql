-- Disputes of one payment do not block more of it together than can be given back, however many move at once.

CREATE FUNCTION blocked_of(company uuid, payment uuid) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(m.blocked_minor), 0)::bigint FROM pix_payments p
    JOIN med_objects m ON m.company_id = p.company_id AND m.end_to_end_id = p.end_to_end_id
   WHERE p.company_id = company AND p.id = payment AND m.role = 'RECEIVER' AND m.refund_id IS NULL
$$;
REVOKE EXECUTE ON FUNCTION blocked_of(uuid, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION blocked_of(uuid, uuid) TO lastro_app, lastro_work, lastro_audit;

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
      WHEN 'disputed' THEN -- as much of the payment is blocked as was read, looked at once nobody else blocks or gives back of it
        PERFORM pg_advisory_xact_lock(hashtextextended('disputed ' || ids[i]::text, 0));
        PERFORM 1 WHERE blocked_of(company, ids[i]) = versions[i];
      WHEN 'company_fees' THEN -- all of a company's rows together, so that none of them means version 0
        PERFORM 1 FROM (SELECT coalesce(sum(f.version), 0) AS version FROM company_fees f WHERE f.company_id = company) f
          WHERE f.version = versions[i];
    END CASE;
    IF NOT FOUND THEN PERFORM demand(kinds[i], 1, 0); END IF;
  END LOOP;
  RETURN company;
END $$;
