-- Claims of keys by the directory's own text: a key leaves when its claim is CONFIRMED, and an ownership is completed from the end
-- of its completion period until day 30 after its opening.

-- The owner itself is bound by row-level security, and would find no row.
ALTER TABLE key_claims NO FORCE ROW LEVEL SECURITY;
ALTER TABLE pix_keys NO FORCE ROW LEVEL SECURITY;
ALTER TABLE history NO FORCE ROW LEVEL SECURITY;
UPDATE key_claims SET due_at = resolution_at + interval '23 days 1 minute' WHERE due_at IS NOT NULL AND role = 'CLAIMER';
WITH gone AS (
  UPDATE pix_keys k SET status = 'DELETED', claim_id = NULL, version = k.version + 1, updated_at = business_now() FROM key_claims c
   WHERE c.company_id = k.company_id AND c.key_id = k.id AND c.role = 'DONOR' AND c.status = 'CONFIRMED' AND k.status = 'ACTIVE'
  RETURNING k.company_id, k.id, k.version, k.key, k.updated_at, c.id AS claim),
moved AS (
  INSERT INTO history (company_id, reference_id, version, machine, from_state, to_state, trigger, reason, created_at)
  SELECT company_id, id, version, 'pix_keys', 'ACTIVE', 'DELETED', 'lose', claim::text, updated_at FROM gone)
DELETE FROM own_keys o USING gone g WHERE o.key = g.key;
ALTER TABLE history FORCE ROW LEVEL SECURITY;
ALTER TABLE pix_keys FORCE ROW LEVEL SECURITY;
ALTER TABLE key_claims FORCE ROW LEVEL SECURITY;

CREATE OR REPLACE VIEW law_a_claim_moves_its_key WITH (security_invoker = true) AS
  SELECT c.company_id, c.id AS claim_id, k.id AS key_id, c.role, c.status, k.status AS key_status, k.claim_id AS flag FROM key_claims c
    LEFT JOIN pix_keys k ON k.company_id = c.company_id AND k.id = c.key_id
   WHERE c.key_id IS NOT NULL AND (k.account_id, k.type, k.key) IS DISTINCT FROM (c.account_id, c.key_type, c.key)
      OR c.role = 'DONOR' AND CASE WHEN c.status IN ('OPEN', 'WAITING_RESOLUTION') THEN k.claim_id IS DISTINCT FROM c.id
                              ELSE k.claim_id = c.id END
  UNION ALL
  SELECT k.company_id, k.claim_id, k.id, c.role, c.status, k.status, k.claim_id FROM pix_keys k
    LEFT JOIN key_claims c ON c.company_id = k.company_id AND c.id = k.claim_id AND c.key_id = k.id
   WHERE k.claim_id IS NOT NULL AND c.id IS NULL;
COMMENT ON VIEW law_a_claim_moves_its_key IS
  'A claim by another bank stands on its key until it is confirmed or canceled; one completed for us has made ours.';

CREATE VIEW law_no_key_here_is_elsewhere WITH (security_invoker = true) AS
  SELECT k.company_id, k.id AS key_id, c.id AS claim_id, c.status FROM pix_keys k
    JOIN key_claims c ON c.company_id = k.company_id AND c.key_id = k.id AND c.role = 'DONOR' AND c.status IN ('CONFIRMED', 'COMPLETED')
   WHERE k.status = 'ACTIVE';
COMMENT ON VIEW law_no_key_here_is_elsewhere IS
  'No key is ACTIVE here that the directory has elsewhere: that a confirmed or completed claim by another bank has taken.';
GRANT SELECT, INSERT ON law_no_key_here_is_elsewhere TO lastro_app;
GRANT SELECT ON law_no_key_here_is_elsewhere TO lastro_audit;
