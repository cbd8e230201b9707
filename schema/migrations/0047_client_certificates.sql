-- A client may be bound to certificates (RFC 8705): it gets a token, and is served, only where it shows one of them.
ALTER TABLE clients ADD COLUMN certificates text[] NOT NULL DEFAULT '{}';

DROP FUNCTION door_open(uuid, text, text, text);
-- The first statement of a request: enters, and says whether the client is alive and what was answered under its key.
CREATE FUNCTION door_open(INOUT company uuid, client text, operation_name text, idempotency_key text,
  OUT at timestamptz, OUT machine_at timestamptz, OUT clock_version bigint,
  OUT client_version bigint, OUT permissions text[], OUT allowed_networks text[], OUT certificates text[],
  OUT requests_per_minute integer, OUT revoked_at timestamptz, OUT tokens_valid_after timestamptz,
  OUT fingerprint bytea, OUT answer_status integer, OUT answer_body bytea, OUT answer_object uuid)
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  SELECT e.at, e.clock_version INTO at, clock_version FROM door_enter(company) e;
  machine_at := machine_now();
  SELECT c.version, c.permissions, c.allowed_networks, c.certificates, c.requests_per_minute, c.revoked_at, c.tokens_valid_after
    INTO client_version, permissions, allowed_networks, certificates, requests_per_minute, revoked_at, tokens_valid_after
    FROM clients c WHERE c.company_id = company AND c.client_id = client;
  IF idempotency_key IS NOT NULL THEN
    SELECT a.fingerprint, a.status, a.body, a.object_id INTO fingerprint, answer_status, answer_body, answer_object
      FROM answers a WHERE a.company_id = company AND a.operation = operation_name AND a.key = idempotency_key;
  END IF;
END $$;

REVOKE EXECUTE ON FUNCTION door_open(uuid, text, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION door_open(uuid, text, text, text) TO lastro_app, lastro_work, lastro_audit;
