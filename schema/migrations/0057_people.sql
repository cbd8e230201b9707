-- People who enter the console: what they may do, how they prove who they are, what they did.

CREATE TABLE people (                                 -- reference table: who may enter the console, and what there
  id uuid PRIMARY KEY,
  email text NOT NULL UNIQUE CHECK (email = lower(email) AND length(email) BETWEEN 3 AND 254),
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 140),
  only_company uuid,                                  -- the one company that it sees; NULL: it is the institution's and chooses
  roles text[] NOT NULL CHECK (roles <@ ARRAY['READ', 'OPERATE', 'APPROVE', 'ADMINISTER'] AND cardinality(roles) > 0), -- what it may do
  password_hash text,                                 -- argon2id in the PHC format; NULL: it has chosen none yet
  totp_secret bytea,                                  -- sealed; NULL: it has no second factor
  totp_counter bigint NOT NULL DEFAULT 0,             -- the step of the last code that was taken (RFC 6238 §5.2: none is taken twice)
  recovery_hashes bytea[] NOT NULL DEFAULT '{}',      -- SHA-256 of the codes that stand in for the second factor, each once
  language text CHECK (language IN ('pt', 'en')),     -- NULL: as the browser says
  theme text NOT NULL DEFAULT 'auto' CHECK (theme IN ('auto', 'light', 'dark')),
  ended_at timestamptz,                               -- from then on it may not enter
  created_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1                   -- rises with each change of what it may do or enters with
);

CREATE TABLE people_acts (                            -- reference table: what was done to people and by them; no row of it ever changes
  id uuid PRIMARY KEY,
  person_id uuid NOT NULL REFERENCES people,          -- to whom
  by_person uuid REFERENCES people,                   -- NULL: whoever had the command line, or nobody known
  act text NOT NULL,
  version bigint,                                     -- which it led the person to; NULL: it changed nothing of it
  detail text,
  address text,                                       -- where the request came from
  created_at timestamptz NOT NULL,
  UNIQUE (person_id, version)
);
CREATE INDEX people_acts_by_time ON people_acts (created_at, id);

CREATE TABLE people_links (                           -- reference table: links that let a person in once, or choose a password
  hash bytea PRIMARY KEY,                             -- SHA-256 of 256 random bits
  person_id uuid NOT NULL REFERENCES people,
  kind text NOT NULL CHECK (kind IN ('INVITATION', 'SANDBOX')), -- SANDBOX: lets in, any number of times, without a password
  expires_at timestamptz NOT NULL,
  used_at timestamptz
);

CREATE TABLE people_sessions (                        -- reference table: who is in
  hash bytea PRIMARY KEY,                             -- SHA-256 of the 256 random bits of its cookie
  person_id uuid NOT NULL REFERENCES people,
  version bigint NOT NULL,                            -- of the person that it counts for: with another one nobody is in
  stage text NOT NULL CHECK (stage IN ('PASSWORD', 'WHOLE')), -- PASSWORD: the second factor is still asked for
  chosen_company uuid,                                -- which the person looks at; NULL: none yet
  proved_at timestamptz,                              -- when the second factor was last shown
  created_at timestamptz NOT NULL,
  seen_at timestamptz NOT NULL,                       -- to the minute
  ended_at timestamptz
);
CREATE INDEX people_sessions_of ON people_sessions (person_id) WHERE ended_at IS NULL;

CREATE TABLE sign_in_tries (                          -- reference table: how often somebody tried to enter
  subject text PRIMARY KEY,                           -- a network, or the SHA-256 of an e-mail address, which may be nobody's
  tries integer NOT NULL,
  last_at timestamptz NOT NULL,
  next_at timestamptz NOT NULL                        -- before then the next is refused unseen
);

CREATE TABLE console_acts (                           -- what people did in the console for a company; no row of it ever changes
  company_id uuid NOT NULL REFERENCES companies,
  id uuid NOT NULL,                                   -- of the form that was sent: sent twice, it acts once
  person_id uuid NOT NULL REFERENCES people,
  operation text NOT NULL,                            -- of the API
  path text NOT NULL,                                 -- with its ids
  status integer NOT NULL,                            -- of the answer
  issues text[] NOT NULL DEFAULT '{}',                -- why it was refused
  request_id text,
  created_at timestamptz NOT NULL,                    -- business time
  PRIMARY KEY (company_id, id)
);
CREATE INDEX console_acts_by_time ON console_acts (company_id, created_at, id);

CREATE VIEW law_every_change_of_a_person_is_told WITH (security_invoker = true) AS
  SELECT p.only_company AS company_id, p.id AS person_id, p.version, t.told, t.last
    FROM people p CROSS JOIN LATERAL (
      SELECT count(a.version) AS told, max(a.version) AS last FROM people_acts a WHERE a.person_id = p.id) t
   WHERE t.told <> p.version OR t.last IS DISTINCT FROM p.version;
COMMENT ON VIEW law_every_change_of_a_person_is_told IS
  'A person of the console has one row among the acts for each of its versions, and none for a version that it does not have.';

ALTER TABLE console_acts ENABLE ROW LEVEL SECURITY;
ALTER TABLE console_acts FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON console_acts TO lastro_app USING (company_id = tenant()) WITH CHECK (company_id = tenant());
CREATE POLICY audit ON console_acts FOR SELECT TO lastro_audit USING (true);
GRANT SELECT, INSERT ON people, people_acts, people_links, people_sessions, sign_in_tries, console_acts TO lastro_app;
GRANT UPDATE ON people, people_links, people_sessions, sign_in_tries TO lastro_app;
GRANT DELETE ON people_links, people_sessions, sign_in_tries TO lastro_app;
GRANT SELECT ON people_acts, console_acts, law_every_change_of_a_person_is_told TO lastro_audit;
GRANT SELECT (id, email, name, only_company, roles, ended_at, created_at, version) ON people TO lastro_audit;
GRANT SELECT, INSERT ON law_every_change_of_a_person_is_told TO lastro_app;
