-- What an erasure may leave of a body is asked by a function: Citus spreads no table whose policy asks a query.
CREATE FUNCTION is_left_by_erasure(company uuid, event uuid, bytes bytea) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT 1 FROM erased_bodies b WHERE b.company_id = company AND b.event_id = event AND b.left_sha256 = sha256(bytes))
$$;
REVOKE EXECUTE ON FUNCTION is_left_by_erasure FROM PUBLIC;
GRANT EXECUTE ON FUNCTION is_left_by_erasure TO lastro_app, lastro_work, lastro_audit;
ALTER POLICY forget ON events WITH CHECK (body IS NULL OR is_left_by_erasure(company_id, id, body));
