-- Health asks whether writes go through: a server whose disk is full, or that is no primary any more, still reads.

CREATE FUNCTION can_write() RETURNS boolean LANGUAGE plpgsql VOLATILE SET work_mem TO '64kB' AS $$
BEGIN
  IF current_setting('transaction_read_only')::boolean THEN
    RETURN false;
  END IF;
  PERFORM pg_logical_emit_message(true, 'lastro', ''::text);
  PERFORM lpad(n::text, 100, '0') AS word FROM generate_series(1, 4000) n ORDER BY word DESC;
  RETURN true;
END $$;

REVOKE EXECUTE ON FUNCTION can_write FROM PUBLIC;
GRANT EXECUTE ON FUNCTION can_write TO lastro_app, lastro_work, lastro_audit;
