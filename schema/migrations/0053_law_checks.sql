-- What a worker found when it read the laws, for figures and alerts.

CREATE TABLE law_checks (                             -- reference table: what was found when a worker read a law last
  law text PRIMARY KEY,                               -- the view's name
  tried_at timestamptz NOT NULL,                      -- machine time
  checked_at timestamptz,                             -- when it could be read last; NULL: never yet
  breaches integer CHECK (breaches >= 0),             -- found then; more than 1,000 are not counted
  CHECK ((checked_at IS NULL) = (breaches IS NULL))
);
GRANT SELECT, INSERT, UPDATE ON law_checks TO lastro_app;
GRANT SELECT ON law_checks TO lastro_audit, lastro_work;
