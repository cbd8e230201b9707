-- The planner evaluates what is stable, for its estimates: a company that came after the last ANALYZE would be taken for one
-- without rows, and what names a row of it looked for among all of them, by an index that knows the company alone.
-- A comparison of rows by <= is what it leaves alone (one by = it would fold), so that each company is taken for one like the others.

CREATE OR REPLACE FUNCTION tenant() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS
  'SELECT nullif(current_setting(''lastro.company'', (1, 1) <= (1, 1)), '''')::uuid';
