-- The whole database of lastro as it is today. Migrations (schema/migrations) lead here; a test proves they add up.
--
-- Habits: company_id is first in every key of a tenant's table (the schema spreads over Citus by it); no triggers, no
-- enum types, no SECURITY DEFINER; money is BIGINT in the minor unit; every time is business time unless its comment
-- says machine time; rows of transfers, history, events are never updated or deleted, what is learnt later about them
-- stands in narrow tables beside them. Two exceptions: an event's body is forgotten when its time is over, and a person is
-- erased from one where no law keeps the data.

-- ───────────────────────────────────────────── time and mode ─────────────────────────────────────────────

CREATE TABLE clock (                                  -- one row: what business time is, and which mode this database is for
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  mode text NOT NULL CHECK (mode IN ('production', 'sandbox')), -- a process of the other mode refuses to start
  offset_us bigint NOT NULL DEFAULT 0,                -- business time minus machine time, in microseconds
  target_at timestamptz,                              -- where a running step of the sandbox clock is to end
  version bigint NOT NULL DEFAULT 1,                  -- rises with every change of offset_us
  ispb text CHECK (ispb ~ '^[0-9A-Z]{8}$'),           -- whose books these are: another institution's process refuses to start
  CHECK (mode = 'sandbox' OR (offset_us = 0 AND target_at IS NULL))
);

-- Machine time: leases, time-outs, tokens, rate limits, signatures. Nothing else reads the machine's clock in SQL.
CREATE FUNCTION machine_now() RETURNS timestamptz LANGUAGE sql VOLATILE AS 'SELECT clock_timestamp()';

-- Business time: everything that a customer, a network or a law dates.
CREATE FUNCTION business_now() RETURNS timestamptz LANGUAGE sql VOLATILE AS
  'SELECT machine_now() + offset_us * interval ''1 microsecond'' FROM clock';

-- Whether this server takes writes: a word in its log, for which the commit waits as for any other, and a sort that does not
-- fit in memory, so that something is written where the data is. A full disk raises disk_full. Nothing is left behind.
CREATE FUNCTION can_write() RETURNS boolean LANGUAGE plpgsql VOLATILE SET work_mem TO '64kB' AS $$
BEGIN
  IF current_setting('transaction_read_only')::boolean THEN
    RETURN false;
  END IF;
  PERFORM pg_logical_emit_message(true, 'lastro', ''::text);
  PERFORM lpad(n::text, 100, '0') AS word FROM generate_series(1, 4000) n ORDER BY word DESC;
  RETURN true;
END $$;

-- The id of the oldest open transaction: rows of a transaction below it are committed or gone. Cursors of a company compare it with
-- its rows' ids. A spread database has these three anew in each shard's schema, so that they rise when the shard moves to another server.
CREATE FUNCTION settled_xid() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint';

-- The id of this transaction, which begins to write with it.
CREATE FUNCTION writing_xid() RETURNS bigint LANGUAGE sql VOLATILE AS 'SELECT pg_current_xact_id()::text::bigint';

-- The id of the first transaction that has not begun.
CREATE FUNCTION next_xid() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint';

-- The company this session works for; NULL, and so no row at all, when no door was opened.
-- The planner evaluates what is stable, for its estimates: a company that came after the last ANALYZE would be taken for one
-- without rows, and what names a row of it looked for among all of them, by an index that knows the company alone.
-- A comparison of rows by <= is what it leaves alone (one by = it would fold), so that each company is taken for one like the others.
CREATE FUNCTION tenant() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS
  'SELECT nullif(current_setting(''lastro.company'', (1, 1) <= (1, 1)), '''')::uuid';

-- ───────────────────────────────────────────── eras ─────────────────────────────────────────────

CREATE TABLE eras (                                   -- reference table: times in which nothing was lost. No number is given out in two of them
  began_at timestamptz PRIMARY KEY,                   -- machine time; it is the era's name
  lost_from timestamptz,                              -- what came later than this, in machine time, did not come back; NULL: the first era
  network_ids_before bigint NOT NULL DEFAULT 0,       -- of each counter: the last number that came back …
  network_ids_from bigint NOT NULL DEFAULT 1,         -- … and the first that this era gives out; those between may be known outside
  account_numbers_before bigint NOT NULL DEFAULT 0,
  account_numbers_from bigint NOT NULL DEFAULT 1,
  company_numbers_before integer NOT NULL DEFAULT 0,
  company_numbers_from integer NOT NULL DEFAULT 1,
  held_until timestamptz,                             -- business time as it began: payouts, charges and plans that were due by then wait; NULL: the first era
  released_at timestamptz,                            -- machine time at which people said that they go on; NULL: they wait
  CHECK (network_ids_from > network_ids_before AND account_numbers_from > account_numbers_before AND company_numbers_from > company_numbers_before)
);
INSERT INTO eras (began_at) VALUES (machine_now());

CREATE TABLE beats (                                  -- one row: what every process remembers of this database, to know it from an older copy of it
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  database_id uuid NOT NULL DEFAULT gen_random_uuid(),
  era timestamptz NOT NULL REFERENCES eras,
  beat bigint NOT NULL DEFAULT 0,                     -- rises every few seconds while a process lives
  at timestamptz NOT NULL DEFAULT machine_now(),      -- of the last beat, machine time
  server text,                                        -- the system identifier of the server it was made at; NULL: none since the era began
  timeline integer                                    -- that server's timeline then: a standby that is promoted begins another
);
INSERT INTO beats (era) SELECT began_at FROM eras;

-- ───────────────────────────────────────────── companies ─────────────────────────────────────────────

CREATE TABLE company_numbers (                        -- reference table: finds a company from the five base-62 digits in an id
  number integer PRIMARY KEY CHECK (number BETWEEN 0 AND 916132831), -- 0 is the institution itself
  company_id uuid NOT NULL UNIQUE
);

-- Whether the rows of this company are here, if it has any. A spread database has it anew in each shard's schema: what is whole on each
-- server, as company_numbers, is compared with the companies of one shard at a time.
CREATE FUNCTION lies_here(company uuid) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT true';

CREATE TABLE companies (                              -- a tenant: a client company of the institution, or the institution
  company_id uuid PRIMARY KEY,
  number integer NOT NULL REFERENCES company_numbers, -- the short number its ids for networks begin with
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 140),
  default_account_id uuid,                            -- credited when an order names neither account nor key
  webhook_secret bytea NOT NULL,                      -- sealed; signs every notification
  webhook_secret_previous bytea,                      -- sealed; signs beside it until webhook_secret_previous_until
  webhook_secret_previous_until timestamptz,          -- machine time
  fee_payer text NOT NULL DEFAULT 'RECEIVER' CHECK (fee_payer IN ('RECEIVER', 'CUSTOMER')), -- where a new plan of fees says nothing
  customerless_partner text,                          -- financialPartner value on which a Pix order may lack its customer
  created_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  refuses_duplicates boolean NOT NULL DEFAULT false,  -- of payouts: a second one to the same receiver within ten minutes
  plan_approvals integer NOT NULL DEFAULT 1 CHECK (plan_approvals BETWEEN 0 AND 20), -- how many clients sign a plan of payouts
  review_above_minor bigint CHECK (review_above_minor > 0), -- a payout above it waits until a person approves it; NULL: none does
  takes_unauthenticated_cards boolean NOT NULL DEFAULT false, -- also where the issuer did not say who pays: chargebacks are then its own
  routes jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(routes) = 'object') -- by method, the rail that is asked first and that which is asked where it is down
);

CREATE TABLE company_fees (                           -- plans of what a company pays for a paid order or payout, by method
  company_id uuid NOT NULL REFERENCES companies,
  payment_method text NOT NULL CHECK (payment_method ~ '^(PIX|TED|DEPOSIT|BOLETO|CREDIT_CARD|SPEI|OXXO|OXXOPAY|PAYNET|[A-Z0-9]{2,16}_PAY)$'),
  fixed_minor bigint NOT NULL DEFAULT 0 CHECK (fixed_minor >= 0), -- of the currency that the method moves
  variable_basis_points integer NOT NULL DEFAULT 0 CHECK (variable_basis_points BETWEEN 0 AND 10000),
  additional_minor bigint NOT NULL DEFAULT 0 CHECK (additional_minor >= 0),
  version bigint NOT NULL DEFAULT 1,
  direction text NOT NULL DEFAULT 'IN' CHECK (direction IN ('IN', 'OUT')), -- of orders that are paid, or of payouts
  id uuid NOT NULL,
  payer text CHECK (payer IN ('RECEIVER', 'CUSTOMER')), -- who bears it; NULL of payouts, whose sender does
  valid_from timestamptz NOT NULL,                    -- it holds from this instant until the next one of its method begins
  created_at timestamptz NOT NULL,
  removed_at timestamptz,                             -- taken away before it began, so that it never holds
  PRIMARY KEY (company_id, id),
  CHECK ((payer IS NULL) = (direction = 'OUT')),
  CHECK (valid_from >= created_at),
  CHECK (removed_at < valid_from)
);
CREATE UNIQUE INDEX company_fees_valid_from_key ON company_fees (company_id, direction, payment_method, valid_from) WHERE removed_at IS NULL;

CREATE TABLE clients (                                -- a machine that calls the API for a company
  company_id uuid NOT NULL REFERENCES companies,
  client_id text NOT NULL,                            -- holds the company's number, so that a login finds it; or outside:subject
  name text NOT NULL,
  secret_hash bytea,                                  -- SHA-256 of a 256-bit random secret; NULL: an outside issuer vouches
  secret_hash_previous bytea,                         -- still admits until secret_previous_until
  secret_previous_until timestamptz,                  -- machine time
  permissions text[] NOT NULL,                        -- subscriptions:read, orders:write, …
  allowed_networks text[] NOT NULL DEFAULT '{}',      -- where its requests may come from, as 203.0.113.0/24; none: anywhere
  requests_per_minute integer CHECK (requests_per_minute > 0), -- NULL: what the installation gives each client
  revoked_at timestamptz,                             -- machine time; from then on every request is 401
  tokens_valid_after timestamptz NOT NULL,            -- machine time; older tokens are refused
  created_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  certificates text[] NOT NULL DEFAULT '{}',          -- SHA-256, base64url, of those of which it must show one; none: it need not
  PRIMARY KEY (company_id, client_id),
  CHECK ((secret_hash IS NULL) = (client_id LIKE 'outside:%'))
);

CREATE TABLE signing_keys (                           -- the institution's own: tokens (Ed25519), Pix locations (P-256 or RSA), requests (HMAC)
  kid text PRIMARY KEY,
  purpose text NOT NULL CHECK (purpose IN ('token', 'location', 'fingerprint')),
  generation integer NOT NULL DEFAULT 1,              -- 1 is made by whichever process starts first
  private_key bytea NOT NULL,                         -- sealed
  certificate bytea,                                  -- DER, for locations
  created_at timestamptz NOT NULL,                    -- machine time
  signs_from timestamptz,                             -- machine time; NULL: published, so that all know it when it begins
  retired_at timestamptz,                             -- machine time; published until tokens it signed have ended
  chain bytea[] NOT NULL DEFAULT '{}',                -- DER of what stands above the certificate, each above the one before
  UNIQUE (purpose, generation)
);

CREATE TABLE sealing_keys (                           -- the keys of the keys file, by which a process proves that it has them
  key_id text PRIMARY KEY,                            -- never given out again: backups may need the one that had it
  proof bytea NOT NULL,                               -- a fingerprint of the key, sealed by itself
  created_at timestamptz NOT NULL                     -- machine time
);

CREATE TABLE parties (                                -- people's data, in one place, so that erasing a person is one update
  company_id uuid NOT NULL REFERENCES companies,
  id uuid NOT NULL,
  name text NOT NULL,
  document_type text,
  document_number text,
  entity_type text CHECK (entity_type IN ('INDIVIDUAL', 'ORGANIZATION')),
  email text,
  phone text,
  birth_date date,
  country text,
  address jsonb,                                      -- state, city, street, neighborhood, number, complement, postalCode
  ip text,
  bank jsonb,                                         -- ispb, branch, account, accountType of a payer
  erased_at timestamptz,                              -- since when nothing of the person is in it
  PRIMARY KEY (company_id, id),
  CONSTRAINT parties_erased CHECK (erased_at IS NULL OR (
    name = 'NAO IDENTIFICADO' AND coalesce(document_number, '') ~ '^0*$'
    AND num_nonnulls(email, phone, birth_date, address, ip) = 0 AND coalesce(bank ->> 'account', '0') = '0'))
);
CREATE INDEX parties_of_document ON parties (company_id, document_number, id) WHERE document_number IS NOT NULL;

-- ───────────────────────────────────────────── accounts and keys ─────────────────────────────────────────────

CREATE SEQUENCE account_numbers_seq;                  -- the eight digits before the check digit

CREATE TABLE account_numbers (                        -- reference table: finds the owner of an account number money is sent to
  number text PRIMARY KEY,
  company_id uuid NOT NULL,
  account_id uuid NOT NULL UNIQUE
);

-- As people look for it: without accents, in lower case.
CREATE FUNCTION folded(words text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS
  $$ SELECT lower(regexp_replace(normalize(words, NFD), '[\u0300-\u036f]', '', 'g')) $$;

CREATE TABLE accounts (                               -- a payment account that a company opened for a holder
  company_id uuid NOT NULL REFERENCES companies,
  id uuid NOT NULL,
  number text NOT NULL REFERENCES account_numbers,    -- eight digits and a check digit
  branch text NOT NULL,
  status text NOT NULL CHECK (status IN ('ACTIVE', 'INACTIVE', 'CLOSED')),
  holder_type text NOT NULL CHECK (holder_type IN ('INDIVIDUAL', 'ORGANIZATION')),
  full_name text NOT NULL,
  document_type text NOT NULL,
  document_number text NOT NULL,
  email text NOT NULL,
  phone text NOT NULL,
  city text NOT NULL DEFAULT 'SAO PAULO',             -- printed in a BR Code
  full_name_folded text NOT NULL GENERATED ALWAYS AS (folded(full_name)) STORED, -- what lists are filtered by
  email_folded text NOT NULL GENERATED ALWAYS AS (folded(email)) STORED,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX accounts_created_at_key ON accounts (company_id, created_at);
CREATE INDEX accounts_of_status ON accounts (company_id, status, created_at);
CREATE INDEX accounts_of_document ON accounts (company_id, document_number, created_at);
CREATE INDEX accounts_of_name ON accounts (company_id, full_name_folded COLLATE "C", id); -- the names that begin so

CREATE TABLE pix_keys (                               -- a key of the directory that leads to one of our accounts
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  type text NOT NULL CHECK (type IN ('CPF', 'CNPJ', 'EMAIL', 'PHONE', 'RANDOM')),
  key text NOT NULL CHECK (length(key) <= 77),
  status text NOT NULL CHECK (status IN ('ACTIVE', 'DELETED')),
  created_at timestamptz NOT NULL,
  possessed_at timestamptz NOT NULL,                  -- since when the key leads to this account
  version bigint NOT NULL DEFAULT 1,
  updated_at timestamptz NOT NULL,
  claim_id uuid,                                      -- the open claim of it by another bank
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, account_id) REFERENCES accounts,
  CONSTRAINT pix_keys_claimed CHECK (claim_id IS NULL OR status = 'ACTIVE')
);
CREATE UNIQUE INDEX pix_keys_one_active ON pix_keys (company_id, key) WHERE status = 'ACTIVE';
CREATE UNIQUE INDEX pix_keys_created_at_key ON pix_keys (company_id, created_at);
CREATE INDEX pix_keys_of_account ON pix_keys (company_id, account_id, created_at);

CREATE TABLE account_requests (                       -- what a company wants an account opened by
  company_id uuid NOT NULL REFERENCES companies,
  id uuid NOT NULL,
  status text NOT NULL CHECK (status IN ('PENDING', 'PENDING_DOCUMENTS', 'ANALYSIS', 'APPROVED', 'REPROVED')),
  external_id text NOT NULL,
  holder_type text NOT NULL CHECK (holder_type IN ('INDIVIDUAL', 'ORGANIZATION')),
  party_id uuid NOT NULL,                             -- the holder; who represents an organization stands beside it
  representative_ids uuid[] NOT NULL DEFAULT '{}',    -- parties, too
  trade_name text,
  alias text,                                         -- what the client calls the account
  open_document text,                                 -- the holder's, while this may still become an account: one such request at a time
  terms_version text NOT NULL,
  terms_accepted_at timestamptz NOT NULL,
  missing text[] NOT NULL,                            -- slots that wait for a document
  reproved_code text,
  reproved_description text,
  reproved_fields text[] NOT NULL DEFAULT '{}',       -- slots that may be uploaded again; none: the refusal is definitive
  expires_at timestamptz,                             -- PENDING_DOCUMENTS, or REPROVED and not definitive: until when uploads are taken
  submissions integer NOT NULL DEFAULT 0,             -- how often it was handed over to be looked at
  analysis_reference text,                            -- how the partner knows the last of these; NULL: people look at it
  ask_at timestamptz,                                 -- ANALYSIS at a partner: when it is asked what became of it
  asked integer NOT NULL DEFAULT 0,                   -- how often it was asked
  account_id uuid,                                    -- APPROVED: the account that was opened
  key_due_at timestamptz,                             -- APPROVED: when its account is given a Pix key; NULL: it has one
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, party_id) REFERENCES parties,
  FOREIGN KEY (company_id, account_id) REFERENCES accounts,
  CHECK ((status IN ('PENDING', 'PENDING_DOCUMENTS')) = (cardinality(missing) > 0)),
  CHECK ((status IN ('PENDING', 'PENDING_DOCUMENTS', 'ANALYSIS')) OR open_document IS NULL)
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX account_requests_created_at_key ON account_requests (company_id, created_at);
CREATE UNIQUE INDEX account_requests_external_id_key ON account_requests (company_id, external_id);
CREATE UNIQUE INDEX account_requests_one_open ON account_requests (company_id, open_document) WHERE open_document IS NOT NULL;
CREATE INDEX account_requests_expiring ON account_requests (expires_at, company_id) WHERE status = 'PENDING_DOCUMENTS';
CREATE INDEX account_requests_to_ask ON account_requests (ask_at, company_id) WHERE status = 'ANALYSIS' AND ask_at IS NOT NULL;
CREATE INDEX account_requests_without_key ON account_requests (key_due_at, company_id) WHERE key_due_at IS NOT NULL;

CREATE TABLE account_documents (                      -- a page that was uploaded for a slot of such a request
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  request_id uuid NOT NULL,
  slot text NOT NULL,
  page integer NOT NULL,                              -- counts the slot's pages, those that were replaced too
  content_type text NOT NULL CHECK (content_type IN ('application/pdf', 'image/png', 'image/jpeg')),
  size integer NOT NULL,                              -- of what is kept, in bytes, before it was sealed
  digest bytea NOT NULL,                              -- SHA-256 of the bytes as they were sent
  kept_digest bytea NOT NULL,                         -- SHA-256 of what is kept
  sealed bytea,                                       -- AES-256-GCM; NULL once another took its place
  replaced_at timestamptz,
  created_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, request_id) REFERENCES account_requests
);
CREATE UNIQUE INDEX account_documents_page_key ON account_documents (company_id, request_id, slot, page);

CREATE TABLE pix_key_validations (                    -- the proof that an e-mail address or a phone is its holder's: a code sent there, never kept
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  type text NOT NULL CHECK (type IN ('EMAIL', 'PHONE')),
  key text NOT NULL CHECK (length(key) <= 77),
  status text NOT NULL CHECK (status IN ('PENDING', 'CONFIRMED', 'CONFLICT', 'EXPIRED')),
  request_id uuid NOT NULL,                           -- what the directory is asked under, however often
  number smallint NOT NULL DEFAULT 1 CHECK (number BETWEEN 1 AND 5), -- of the code that holds
  tries smallint NOT NULL DEFAULT 0 CHECK (tries BETWEEN 0 AND 5), -- wrong codes so far, of all numbers
  sealed_by text NOT NULL,                            -- which key of the key file the code is derived from
  sent_at timestamptz NOT NULL,                       -- when the code that holds was asked for
  expires_at timestamptz NOT NULL,
  key_id uuid,                                        -- the key that it made
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  purpose text NOT NULL DEFAULT 'KEY' CHECK (purpose IN ('KEY', 'CLAIM', 'ANSWER')), -- a key; a claim of one; what is said of a claim
  claim_type text CHECK (claim_type IN ('PORTABILITY', 'CLAIM_OWNERSHIP')), -- of the claim that it is to open
  claim_id uuid,                                      -- the claim that it opened, or that is answered by it
  proved smallint,                                    -- the number of the code that came back right
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, account_id) REFERENCES accounts,
  CONSTRAINT pix_key_validations_made CHECK ((key_id IS NOT NULL) = (status = 'CONFIRMED' AND purpose = 'KEY')),
  CONSTRAINT pix_key_validations_of_claim CHECK (
    CASE purpose WHEN 'KEY' THEN claim_id IS NULL WHEN 'CLAIM' THEN (claim_id IS NOT NULL) = (status = 'CONFIRMED') ELSE claim_id IS NOT NULL END),
  CONSTRAINT pix_key_validations_claims CHECK ((purpose = 'CLAIM') = (claim_type IS NOT NULL))
);
CREATE INDEX pix_key_validations_proved ON pix_key_validations (company_id, account_id, key, updated_at) WHERE status = 'CONFLICT';
CREATE INDEX pix_key_validations_of_claim ON pix_key_validations (company_id, claim_id) WHERE claim_id IS NOT NULL;
CREATE INDEX pix_key_validations_of_key ON pix_key_validations (company_id, key_id) WHERE key_id IS NOT NULL;
CREATE INDEX pix_key_validations_due ON pix_key_validations (expires_at, company_id) WHERE status = 'PENDING';

CREATE TABLE key_claims (                             -- a claim of a Pix key: that it come to an account here, or leave one
  company_id uuid NOT NULL,
  id uuid NOT NULL,                                   -- the directory's own
  account_id uuid NOT NULL,                           -- which wants the key, or has it
  role text NOT NULL CHECK (role IN ('CLAIMER', 'DONOR')),
  claim_type text NOT NULL CHECK (claim_type IN ('PORTABILITY', 'CLAIM_OWNERSHIP')),
  key_type text NOT NULL CHECK (key_type IN ('CPF', 'CNPJ', 'EMAIL', 'PHONE')),
  key text NOT NULL CHECK (length(key) <= 77),
  key_id uuid,                                        -- the key it is about (DONOR), or that it made (CLAIMER)
  status text NOT NULL CHECK (status IN ('OPEN', 'WAITING_RESOLUTION', 'CONFIRMED', 'CANCELLED', 'COMPLETED')),
  other_bank text NOT NULL CHECK (length(other_bank) = 8), -- ISPB
  reason text,                                        -- why it was confirmed or canceled, the directory's word
  resolution_at timestamptz NOT NULL,                 -- until when the donor may answer
  completion_at timestamptz,                          -- from when on the claimer may complete an ownership
  due_at timestamptz,                                 -- when its default is told to the directory, where that is for us to tell
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  ask_at timestamptz NOT NULL DEFAULT 'epoch',        -- open: when the directory is asked how it stands
  asked integer NOT NULL DEFAULT 0,                   -- how often it was asked
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, account_id) REFERENCES accounts,
  FOREIGN KEY (company_id, key_id) REFERENCES pix_keys,
  CONSTRAINT key_claims_key CHECK ((key_id IS NOT NULL) = (role = 'DONOR' OR status = 'COMPLETED')),
  CONSTRAINT key_claims_phone CHECK (claim_type = 'PORTABILITY' OR key_type = 'PHONE')
);
CREATE UNIQUE INDEX key_claims_one_open ON key_claims (company_id, key) WHERE status IN ('OPEN', 'WAITING_RESOLUTION', 'CONFIRMED');
CREATE UNIQUE INDEX key_claims_created_at_key ON key_claims (company_id, created_at);
CREATE INDEX key_claims_of_account ON key_claims (company_id, account_id, created_at);
CREATE INDEX key_claims_of_status ON key_claims (company_id, account_id, status, created_at);
CREATE INDEX key_claims_of_key ON key_claims (company_id, key_id) WHERE key_id IS NOT NULL;
CREATE INDEX key_claims_due ON key_claims (due_at, company_id) WHERE due_at IS NOT NULL;
CREATE INDEX key_claims_to_ask ON key_claims (ask_at, company_id) WHERE status IN ('OPEN', 'WAITING_RESOLUTION', 'CONFIRMED');

CREATE TABLE account_close_requests (                 -- that an account be closed, and what came of it
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  status text NOT NULL CHECK (status IN ('REQUESTED', 'COMPLETED', 'REFUSED')), -- REQUESTED: closed, what hangs on the account is being ended
  reason_code text NOT NULL,
  reason text,                                        -- in the words of who asked
  obstacles jsonb NOT NULL DEFAULT '[]',              -- REFUSED: what stood in the way
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, account_id) REFERENCES accounts,
  CHECK ((status = 'REFUSED') = (jsonb_array_length(obstacles) > 0))
);
CREATE UNIQUE INDEX account_close_requests_created_at_key ON account_close_requests (company_id, created_at);
CREATE UNIQUE INDEX account_close_requests_once ON account_close_requests (company_id, account_id) WHERE status <> 'REFUSED';
CREATE INDEX account_close_requests_open ON account_close_requests (created_at, company_id) WHERE status = 'REQUESTED';

-- ───────────────────────────────────────────── ledger ─────────────────────────────────────────────

CREATE TABLE ledger_accounts (                        -- the chart of accounts; the id is derived from the other columns
  company_id uuid NOT NULL REFERENCES companies,
  id uuid NOT NULL,
  code text NOT NULL CHECK (code IN ('CUST', 'BLOCK', 'NET', 'FEE', 'SUSP', 'TRANSIT', 'LOSS')),
  rail text,                                          -- for NET: which network's clearing
  currency text NOT NULL,
  account_id uuid,                                    -- for CUST, BLOCK, LOSS: whose
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, account_id) REFERENCES accounts
);
CREATE INDEX ledger_accounts_of_account ON ledger_accounts (company_id, account_id);

CREATE TABLE balances (                               -- only for accounts with a floor: the row that a debit locks
  company_id uuid NOT NULL,
  ledger_account_id uuid NOT NULL,
  debits bigint NOT NULL DEFAULT 0,                   -- moved and posted
  held bigint NOT NULL DEFAULT 0 CHECK (held >= 0),   -- held, neither posted nor voided yet
  credits_folded bigint NOT NULL DEFAULT 0,           -- credits whose transaction id is below fold_xid
  fold_xid bigint NOT NULL DEFAULT 1,
  floor_minor bigint NOT NULL DEFAULT 0,              -- credits - debits - held never goes below it by a draw
  owed bigint NOT NULL DEFAULT 0 CHECK (owed >= 0),   -- booked on LOSS and not paid back: while there is less, nothing goes out
  watched bigint NOT NULL DEFAULT 0 CHECK (watched >= 0), -- to be blocked of what comes in: beyond what is owed nothing else takes it
  PRIMARY KEY (company_id, ledger_account_id),
  FOREIGN KEY (company_id, ledger_account_id) REFERENCES ledger_accounts
) WITH (fillfactor = 70);

CREATE INDEX balances_owing ON balances (company_id, ledger_account_id) WHERE owed > 0;
CREATE INDEX balances_watched ON balances (company_id, ledger_account_id) WHERE watched > 0;

CREATE TABLE settlements (                            -- money of an account that was paid out elsewhere: not in BRL
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  rail text NOT NULL,                                 -- at which it had come in
  currency text NOT NULL CHECK (currency <> 'BRL'),
  amount_minor bigint NOT NULL CHECK (amount_minor > 0),
  reference text NOT NULL,                            -- of the payment made elsewhere: books once
  created_at timestamptz NOT NULL,
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, account_id) REFERENCES accounts
);
CREATE UNIQUE INDEX settlements_reference_key ON settlements (company_id, reference);
CREATE INDEX settlements_of_account ON settlements (company_id, account_id, created_at DESC, id DESC);

CREATE TABLE transfers (                              -- double entry: one row debits one account and credits another
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('moved', 'held', 'posted', 'voided')),
  debit_id uuid NOT NULL,
  credit_id uuid NOT NULL,
  amount_minor bigint NOT NULL CHECK (amount_minor > 0),
  currency text NOT NULL,
  type text NOT NULL,                                 -- the statement's entry type: PIX_IN, FEE, …
  pending_id uuid,                                    -- posted, voided: the held transfer that ends
  reference_id uuid NOT NULL,                         -- the object whose story this is
  created_at timestamptz NOT NULL,
  xid bigint NOT NULL DEFAULT writing_xid(), -- so that a folder knows what is surely committed
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, debit_id) REFERENCES ledger_accounts,
  FOREIGN KEY (company_id, credit_id) REFERENCES ledger_accounts,
  FOREIGN KEY (company_id, pending_id) REFERENCES transfers,
  CHECK (debit_id <> credit_id),
  CHECK ((pending_id IS NOT NULL) = (kind IN ('posted', 'voided')))
);
CREATE INDEX transfers_debit ON transfers (company_id, debit_id, created_at);
CREATE INDEX transfers_credit ON transfers (company_id, credit_id, xid) INCLUDE (amount_minor, kind);
CREATE INDEX transfers_reference ON transfers (company_id, reference_id);
CREATE UNIQUE INDEX transfers_hold_ends_once ON transfers (company_id, pending_id) WHERE pending_id IS NOT NULL;
CREATE INDEX transfers_xid ON transfers USING brin (xid);
CREATE INDEX transfers_arrival ON transfers (company_id, created_at);

-- What has been credited to an account by transactions from fold_xid on (and below horizon, where one is given).
CREATE FUNCTION credit_tail(company uuid, account uuid, from_xid bigint, horizon bigint) RETURNS bigint
LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(amount_minor), 0)::bigint FROM transfers
   WHERE company_id = company AND credit_id = account AND kind IN ('moved', 'posted')
     AND xid >= from_xid AND (horizon IS NULL OR xid < horizon)
$$;

-- The one way money leaves accounts with a floor. Per account: debit_deltas is added to debits, held_deltas to held,
-- owed_deltas to owed, watched_deltas to watched; where the first two together take something, what remains must not be below
-- the floor, what the account owes and what is watched, unless it pays just that: what is owed before what is watched.
-- Rows are locked in id order. The folded part alone is tried first (safe: it can only understate); if it is too small, the
-- row is locked and looked at *again in a new statement*, which sees every credit committed until then and folds the settled ones.
CREATE FUNCTION draw(
  company uuid, accounts uuid[], debit_deltas bigint[], held_deltas bigint[], owed_deltas bigint[] DEFAULT NULL,
  watched_deltas bigint[] DEFAULT NULL
) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  horizon bigint;
  has bigint; -- more than the floor
  owes bigint;
  keeps bigint;
  d record;
BEGIN
  FOR d IN SELECT account, debit, held, debit + held AS taken, coalesce(owed, 0) AS owed, coalesce(watched, 0) AS watched
             FROM unnest(accounts, debit_deltas, held_deltas, owed_deltas, watched_deltas) AS u(account, debit, held, owed, watched)
            ORDER BY account LOOP
    UPDATE balances SET debits = debits + d.debit, held = held + d.held, owed = owed + d.owed, watched = watched + d.watched
     WHERE company_id = company AND ledger_account_id = d.account AND owed + d.owed >= 0 AND watched + d.watched >= 0
       AND (d.taken <= 0
            OR credits_folded - debits - held - d.taken
               >= floor_minor + CASE WHEN d.taken <= -d.owed THEN 0 WHEN d.taken <= -d.watched THEN owed ELSE owed + watched END);
    CONTINUE WHEN FOUND;
    PERFORM 1 FROM balances WHERE company_id = company AND ledger_account_id = d.account FOR UPDATE;
    horizon := settled_xid();
    SELECT credits_folded + credit_tail(company, d.account, fold_xid, NULL) - debits - held - floor_minor, owed, watched
      INTO has, owes, keeps FROM balances WHERE company_id = company AND ledger_account_id = d.account;
    IF owes + d.owed < 0 THEN
      RAISE EXCEPTION 'more is paid back than is owed' USING ERRCODE = 'LA409', DETAIL = d.account::text;
    ELSIF keeps + d.watched < 0 THEN
      RAISE EXCEPTION 'more is given up than is watched' USING ERRCODE = 'LA409', DETAIL = d.account::text;
    ELSIF d.taken <= 0 OR has - d.taken
          >= (CASE WHEN d.taken <= -d.owed THEN 0 WHEN d.taken <= -d.watched THEN owes ELSE owes + keeps END) THEN
      UPDATE balances b
         SET debits = debits + d.debit, held = held + d.held, owed = owed + d.owed, watched = watched + d.watched,
             fold_xid = greatest(fold_xid, horizon),
             credits_folded = credits_folded + credit_tail(company, d.account, b.fold_xid, horizon)
       WHERE company_id = company AND ledger_account_id = d.account;
    ELSIF owes > has THEN
      RAISE EXCEPTION 'the account owes' USING ERRCODE = 'LA404', DETAIL = d.account::text;
    ELSE
      RAISE EXCEPTION 'insufficient funds' USING ERRCODE = 'LA402', DETAIL = d.account::text;
    END IF;
  END LOOP;
  RETURN true;
END $$;

-- Folds the settled credits of one company's accounts that have at least `least_credits` of them behind their own fold.
-- Returns how many accounts it folded. `reach` bounds how many accounts one call locks. It sets the company for this session.
CREATE FUNCTION fold(company uuid, least_credits integer, reach integer) RETURNS integer LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  horizon bigint;
  due uuid[];
  folded integer;
BEGIN
  PERFORM set_config('lastro.company', company::text, false);
  horizon := settled_xid();
  due := ARRAY(
    SELECT b.ledger_account_id FROM balances b
     WHERE b.company_id = company
       AND least_credits <= (SELECT count(*) FROM (
             SELECT 1 FROM transfers t WHERE t.company_id = company AND t.credit_id = b.ledger_account_id
                AND t.xid >= b.fold_xid AND t.xid < horizon LIMIT least_credits) tail)
     ORDER BY b.ledger_account_id LIMIT reach);
  PERFORM 1 FROM balances WHERE company_id = company AND ledger_account_id = ANY (due)
    ORDER BY ledger_account_id FOR UPDATE;
  UPDATE balances b
     SET credits_folded = credits_folded + credit_tail(company, b.ledger_account_id, b.fold_xid, horizon),
         fold_xid = greatest(fold_xid, horizon)
   WHERE b.company_id = company AND b.ledger_account_id = ANY (due);
  GET DIAGNOSTICS folded = ROW_COUNT;
  RETURN folded;
END $$;

CREATE TABLE entries (                                -- what an account was moved by, in order, and what it had afterwards
  company_id uuid NOT NULL,
  ledger_account_id uuid NOT NULL,                    -- one of CUST, BLOCK, LOSS: what is an account's own
  side smallint NOT NULL CHECK (side IN (-1, 0, 1)),  -- 1: in, -1: out; 0: a hold was made or given up, which no statement shows
  created_at timestamptz NOT NULL,                    -- the transfer's or a little later: rises with number
  number bigint NOT NULL CHECK (number > 0),          -- 1, 2, 3 … of each ledger account
  transfer_id uuid NOT NULL,
  type text NOT NULL,                                 -- type, reference_id and amount_minor are the transfer's
  reference_id uuid NOT NULL,
  amount_minor bigint NOT NULL CHECK (amount_minor > 0),
  balance_minor bigint NOT NULL,                      -- available and held, afterwards; of LOSS below zero
  held_minor bigint NOT NULL,                         -- held of it
  PRIMARY KEY (company_id, ledger_account_id, side, created_at)
);

CREATE TABLE entry_cursors (                          -- how far each company's entries are made
  company_id uuid PRIMARY KEY REFERENCES companies,
  entered_until timestamptz NOT NULL DEFAULT '-infinity', -- every older transfer has its entries
  proven_until timestamptz NOT NULL DEFAULT '-infinity',  -- no older transfer can be committed any more
  marked_at timestamptz,                              -- whoever writes later than marked_xid has decided a second before this, or later
  marked_xid bigint
);

CREATE TABLE entries_behind (                         -- writes that were committed behind the watermark, since the server's clock had stepped back
  company_id uuid NOT NULL REFERENCES companies,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  decided_at timestamptz NOT NULL,                    -- the time of its transfers
  watermark timestamptz NOT NULL,                     -- what was complete by then
  PRIMARY KEY (company_id, id)
);

-- The last entry of a ledger account at or before a moment; no row where it has none.
CREATE FUNCTION last_entry(company uuid, account uuid, at timestamptz) RETURNS SETOF entries LANGUAGE sql STABLE ROWS 1 AS $$
  SELECT * FROM (
    (SELECT * FROM entries e WHERE e.company_id = company AND e.ledger_account_id = account AND e.side = 1 AND e.created_at <= at
      ORDER BY e.created_at DESC LIMIT 1)
    UNION ALL
    (SELECT * FROM entries e WHERE e.company_id = company AND e.ledger_account_id = account AND e.side = -1 AND e.created_at <= at
      ORDER BY e.created_at DESC LIMIT 1)
    UNION ALL
    (SELECT * FROM entries e WHERE e.company_id = company AND e.ledger_account_id = account AND e.side = 0 AND e.created_at <= at
      ORDER BY e.created_at DESC LIMIT 1)) l
   ORDER BY number DESC LIMIT 1
$$;

-- The entries of a company's transfers from since until before until, of one ledger account or of all, as they follow those
-- there are: in order of time, what gives before what takes, each a microsecond after the one before at least. put_off:
-- transfers that are entered as if they were of put_off_to. decided_at: the transfer's own time.
CREATE FUNCTION entry_rows(company uuid, since timestamptz, until timestamptz, only_account uuid DEFAULT NULL,
  put_off uuid[] DEFAULT '{}', put_off_to timestamptz[] DEFAULT '{}')
RETURNS TABLE (ledger_account_id uuid, side smallint, created_at timestamptz, number bigint, transfer_id uuid, type text,
  reference_id uuid, amount_minor bigint, balance_minor bigint, held_minor bigint, decided_at timestamptz, has_floor boolean)
LANGUAGE sql STABLE AS $$
  WITH sides AS MATERIALIZED (
    SELECT s.account, s.side, s.change, s.held, s.rank, t.id, t.type, t.reference_id, t.amount_minor, t.created_at,
           CASE WHEN cardinality(put_off) > 0 THEN (SELECT u.at FROM unnest(put_off, put_off_to) AS u(id, at) WHERE u.id = t.id)
                END AS put_off_to
      FROM transfers t
     CROSS JOIN LATERAL (
       SELECT t.debit_id, CASE WHEN t.kind IN ('moved', 'posted') THEN -1 ELSE 0 END,
              CASE WHEN t.kind IN ('moved', 'posted') THEN -t.amount_minor ELSE 0 END,
              CASE t.kind WHEN 'held' THEN t.amount_minor WHEN 'moved' THEN 0 ELSE -t.amount_minor END,
              CASE t.kind WHEN 'voided' THEN 0 WHEN 'posted' THEN 2 ELSE 1 END
       UNION ALL
       SELECT t.credit_id, 1, t.amount_minor, 0, 0 WHERE t.kind IN ('moved', 'posted')) s(account, side, change, held, rank)
     WHERE t.company_id = company AND t.created_at >= since AND t.created_at < until
       AND (only_account IS NULL OR s.account = only_account)),
  known AS MATERIALIZED (
    SELECT l.id, l.code <> 'LOSS' AS has_floor, coalesce(e.number, 0) AS number, coalesce(e.balance_minor, 0) AS balance,
           coalesce(e.held_minor, 0) AS held, coalesce(e.created_at, '-infinity') AS at
      FROM (SELECT DISTINCT account FROM sides) a
      JOIN ledger_accounts l ON l.company_id = company AND l.id = a.account AND l.account_id IS NOT NULL
      LEFT JOIN LATERAL (SELECT * FROM last_entry(company, l.id, 'infinity')) e ON true),
  ordered AS (
    SELECT s.*, k.has_floor, k.number AS before, k.balance, k.held AS held_before, k.at AS last_at,
           coalesce(s.put_off_to, s.created_at) AS at, row_number() OVER w AS place,
           sum(s.change) OVER w AS changed, sum(s.held) OVER w AS held_changed
      FROM sides s JOIN known k ON k.id = s.account
    WINDOW w AS (PARTITION BY s.account ORDER BY coalesce(s.put_off_to, s.created_at), s.rank, s.created_at, s.id))
  SELECT account, o.side::smallint,
         greatest(last_at, max(at - place * interval '1 microsecond') OVER (PARTITION BY account ORDER BY place))
           + place * interval '1 microsecond',
         before + place, id, o.type, o.reference_id, o.amount_minor, (balance + changed)::bigint,
         (held_before + held_changed)::bigint, o.created_at, o.has_floor
    FROM ordered o
$$;

-- What of these accounts' transfers is to be entered behind the credit that it stood on, and as of when. A debit relies on
-- credits that it found committed, decided up to a second after it. Where one that it needs is not among these, all from there
-- on waits; not longer than three seconds, since what is not there by then was never there. known, known_to: what is put off
-- already, which is told again; another account's debit may stand on the credit that one of these is there.
CREATE FUNCTION put_off(company uuid, since timestamptz, until timestamptz, accounts uuid[], known uuid[], known_to timestamptz[],
  OUT late uuid[], OUT late_to timestamptz[], OUT waits_from timestamptz) LANGUAGE plpgsql STABLE AS $$
DECLARE
  r record;
  account uuid;
  free bigint;     -- available, as it comes to be entered
  was bigint;      -- available, as it would be in the order of time
  ids uuid[] := '{}'; -- what waits for money, with how much it takes and since when
  takes bigint[] := '{}';
  froms timestamptz[] := '{}';
  i integer;
  place integer;
BEGIN
  late := known;
  late_to := known_to;
  FOR r IN SELECT m.ledger_account_id, m.transfer_id, m.decided_at, coalesce(k.at, m.decided_at) AS at,
                  m.balance_minor - m.held_minor AS available
             FROM entry_rows(company, since, until, NULL, known, known_to) m
             LEFT JOIN unnest(known, known_to) AS k(id, at) ON k.id = m.transfer_id
            WHERE m.ledger_account_id = ANY (accounts) ORDER BY m.ledger_account_id, m.number LOOP
    IF account IS DISTINCT FROM r.ledger_account_id THEN
      waits_from := least(waits_from, (SELECT min(f) FROM unnest(froms) f WHERE f > until - interval '3 seconds'));
      account := r.ledger_account_id;
      SELECT e.balance_minor - e.held_minor INTO free FROM last_entry(company, account, 'infinity') e;
      free := coalesce(free, 0);
      was := free;
      ids := '{}';
      takes := '{}';
      froms := '{}';
    END IF;
    IF r.available < was AND free + r.available - was < 0 THEN
      ids := ids || r.transfer_id;
      takes := takes || was - r.available;
      froms := froms || r.decided_at;
    ELSE
      free := free + r.available - was;
      i := 1;
      WHILE i <= cardinality(ids) LOOP
        IF takes[i] <= free AND froms[i] >= r.at - interval '3 seconds' THEN
          free := free - takes[i];
          place := coalesce(array_position(late, ids[i]), cardinality(late) + 1);
          late[place] := ids[i];
          late_to[place] := r.at;
          ids := ids[:i - 1] || ids[i + 1:];
          takes := takes[:i - 1] || takes[i + 1:];
          froms := froms[:i - 1] || froms[i + 1:];
        ELSE
          i := i + 1;
        END IF;
      END LOOP;
    END IF;
    was := r.available;
  END LOOP;
  waits_from := least(waits_from, (SELECT min(f) FROM unnest(froms) f WHERE f > until - interval '3 seconds'));
END $$;

-- A company's transfers from since until before until that lack an entry though the watermark is past them.
CREATE FUNCTION lack_entries(company uuid, since timestamptz, until timestamptz) RETURNS SETOF transfers LANGUAGE sql STABLE AS $$
  SELECT t.* FROM transfers t
   WHERE t.company_id = company AND t.created_at >= since AND t.created_at < until
     AND EXISTS (SELECT 1 FROM ledger_accounts l
                  WHERE l.company_id = company AND l.account_id IS NOT NULL
                    AND (l.id = t.debit_id OR l.id = t.credit_id AND t.kind IN ('moved', 'posted'))
                    AND NOT EXISTS (SELECT 1 FROM entries e WHERE e.company_id = company AND e.ledger_account_id = l.id
                                       AND e.transfer_id = t.id AND e.created_at >= t.created_at))
$$;

-- Makes the entries of one transfer behind all that there is; false, and nothing, where an account would be left below zero and it is not forced.
CREATE FUNCTION enter_one(company uuid, t transfers, as_of timestamptz, forced boolean) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  is_short boolean;
BEGIN
  WITH sides AS (
    SELECT t.debit_id AS account, CASE WHEN t.kind IN ('moved', 'posted') THEN -1 ELSE 0 END AS side,
           CASE WHEN t.kind IN ('moved', 'posted') THEN -t.amount_minor ELSE 0 END AS change,
           CASE t.kind WHEN 'held' THEN t.amount_minor WHEN 'moved' THEN 0 ELSE -t.amount_minor END AS held
    UNION ALL
    SELECT t.credit_id, 1, t.amount_minor, 0 WHERE t.kind IN ('moved', 'posted')),
  made AS MATERIALIZED (
    SELECT s.account, s.side, l.code <> 'LOSS' AS has_floor, coalesce(e.number, 0) + 1 AS number,
           greatest(coalesce(e.created_at, '-infinity'), as_of, t.created_at) + interval '1 microsecond' AS at,
           coalesce(e.balance_minor, 0) + s.change AS balance, coalesce(e.held_minor, 0) + s.held AS held, s.change < 0 OR s.held > 0 AS takes
      FROM sides s
      JOIN ledger_accounts l ON l.company_id = company AND l.id = s.account AND l.account_id IS NOT NULL
      LEFT JOIN LATERAL (SELECT * FROM last_entry(company, l.id, 'infinity')) e ON true
     WHERE NOT EXISTS (SELECT 1 FROM entries x WHERE x.company_id = company AND x.ledger_account_id = s.account AND x.transfer_id = t.id
                          AND x.created_at >= t.created_at)),
  short AS MATERIALIZED (SELECT coalesce(bool_or(has_floor AND takes AND balance < made.held), false) AND NOT forced AS is_so FROM made),
  put AS (
    INSERT INTO entries (company_id, ledger_account_id, side, created_at, number, transfer_id, type, reference_id,
                         amount_minor, balance_minor, held_minor)
    SELECT company, m.account, m.side, m.at, m.number, t.id, t.type, t.reference_id, t.amount_minor, m.balance, m.held
      FROM made m, short WHERE NOT short.is_so)
  SELECT is_so INTO is_short FROM short;
  RETURN NOT is_short;
END $$;

-- Makes the entries of transfers that came behind the watermark: behind all that there is, as of `as_of`, so that no entry that was shown
-- changes. What gives goes before what takes; what would leave an account below zero waits, unless it is forced. Returns the
-- transfers that it entered.
CREATE FUNCTION enter_behind(company uuid, late uuid[], as_of timestamptz, forced boolean) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  t transfers;
  done uuid[] := '{}';
  entered integer;
BEGIN
  LOOP
    entered := cardinality(done);
    FOR t IN SELECT * FROM transfers x WHERE x.company_id = company AND x.id = ANY (late) AND x.id <> ALL (done)
              ORDER BY x.created_at, x.id LOOP
      IF enter_one(company, t, as_of, false) THEN done := done || t.id; END IF;
    END LOOP;
    IF entered = cardinality(done) THEN
      EXIT WHEN NOT forced;
      SELECT * INTO t FROM transfers x WHERE x.company_id = company AND x.id = ANY (late) AND x.id <> ALL (done) ORDER BY x.created_at, x.id LIMIT 1;
      EXIT WHEN NOT FOUND;
      PERFORM enter_one(company, t, as_of, true);
      done := done || t.id;
    END IF;
  END LOOP;
  RETURN done;
END $$;

-- Makes the entries that are lacking though the watermark is past them, as a version before left them; the transfers that it entered.
CREATE FUNCTION mend_entries(company uuid) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  past timestamptz;
BEGIN
  SELECT entered_until INTO past FROM entry_cursors WHERE company_id = company FOR UPDATE;
  RETURN enter_behind(company, ARRAY(SELECT l.id FROM lack_entries(company, '-infinity', past) l), past, true);
END $$;

-- How far entries are made at most, and what came behind the watermark before there. It stands on credits of up to its watermark, so
-- it waits until they are entered with it, and all from there on waits too; what that leaves out may be what others stood on.
CREATE FUNCTION behind_before(company uuid, since timestamptz, INOUT until timestamptz, OUT ids uuid[]) LANGUAGE plpgsql STABLE AS $$
DECLARE
  waits_from timestamptz;
BEGIN
  LOOP
    SELECT min(b.decided_at) INTO waits_from FROM entries_behind b
     WHERE b.company_id = company AND b.decided_at >= since AND b.decided_at < until AND b.watermark + interval '1 second' >= until;
    EXIT WHEN waits_from IS NULL;
    until := waits_from;
  END LOOP;
  ids := ARRAY(SELECT DISTINCT t.id FROM entries_behind b JOIN transfers t ON t.company_id = company AND t.created_at = b.decided_at
                WHERE b.company_id = company AND b.decided_at >= since AND b.decided_at < until);
END $$;

-- Makes one company's entries, oldest first, of about `reach` transfers: only such as nothing older can come before. A Write
-- is refused once it is decided for a second (timely); so, when every transaction has ended that had begun to write by some
-- moment, nothing decided a second before that moment is still to come. One session at a time works at a company. Returns how
-- many transfers it read; 0: there is nothing to do by now. It sets the company for this session.
CREATE FUNCTION enter(company uuid, reach integer) RETURNS integer LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  begun timestamptz := business_now(); -- before this transaction has an id
  is_first boolean := pg_current_xact_id_if_assigned() IS NULL;
  is_settled boolean := false;
  c entry_cursors;
  oldest bigint;
  most integer := reach;
  seen integer;
  earliest timestamptz;
  latest timestamptz;
  until timestamptz;
  lacking uuid[];
  late uuid[] := '{}';
  late_to timestamptz[] := '{}';
  before uuid[];
  before_to timestamptz[];
  waits_from timestamptz;
  base uuid[];
  behind uuid[];
  flags uuid[];
  past timestamptz;
BEGIN
  PERFORM set_config('lastro.company', company::text, false);
  SELECT * INTO c FROM entry_cursors WHERE company_id = company FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN -- the first time, or another session is at it
    INSERT INTO entry_cursors (company_id) VALUES (company) ON CONFLICT DO NOTHING RETURNING * INTO c;
    IF NOT FOUND THEN RETURN 0; END IF;
  END IF;
  oldest := settled_xid();
  IF c.marked_xid <= oldest THEN
    c.proven_until := greatest(c.proven_until, c.marked_at - interval '1 second');
  END IF;
  IF is_first AND (c.marked_xid IS NULL OR c.marked_xid <= oldest -- or it is of another server, from before a restore
                   OR c.marked_xid > writing_xid()) THEN
    -- Where the server's clock has stepped back: past all that it was, so that whatever is still to come says that it is behind.
    c.marked_at := greatest(begun, (SELECT max(t.created_at) + interval '1.000001 seconds' FROM transfers t WHERE t.company_id = company AND t.created_at > begun));
    c.marked_xid := writing_xid();
  END IF;
  LOOP
    SELECT count(*), min(created_at), max(created_at) INTO seen, earliest, latest FROM (
      SELECT t.created_at FROM transfers t
       WHERE t.company_id = company AND t.created_at >= c.entered_until AND t.created_at < c.proven_until
       ORDER BY t.created_at LIMIT most) n;
    -- What is of one instant is entered together.
    until := CASE WHEN seen < most THEN c.proven_until WHEN earliest < latest THEN latest
                  ELSE latest + interval '1 microsecond' END;
    SELECT b.until, b.ids INTO until, base FROM behind_before(company, c.entered_until, until) b;
    late := base;
    late_to := array_fill(until, ARRAY[cardinality(base)]);
    WHILE seen > 0 AND until > earliest LOOP
      WITH made AS MATERIALIZED (SELECT * FROM entry_rows(company, c.entered_until, until, NULL, late, late_to)),
      short AS MATERIALIZED (
        SELECT array_agg(DISTINCT m.ledger_account_id) AS accounts FROM made m WHERE m.has_floor AND m.balance_minor < m.held_minor),
      put AS (
        INSERT INTO entries (company_id, ledger_account_id, side, created_at, number, transfer_id, type, reference_id,
                             amount_minor, balance_minor, held_minor)
        SELECT company, m.ledger_account_id, m.side, m.created_at, m.number, m.transfer_id, m.type, m.reference_id,
               m.amount_minor, m.balance_minor, m.held_minor
          FROM made m, short WHERE short.accounts IS NULL OR is_settled)
      SELECT accounts INTO lacking FROM short;
      EXIT WHEN lacking IS NULL OR is_settled;
      before := late;
      before_to := late_to;
      SELECT p.late, p.late_to, p.waits_from INTO late, late_to, waits_from
        FROM put_off(company, c.entered_until, until, lacking, before, before_to) p;
      IF waits_from IS NOT NULL THEN
        SELECT b.until, b.ids INTO until, base FROM behind_before(company, c.entered_until, waits_from) b;
        late := base;
        late_to := array_fill(until, ARRAY[cardinality(base)]);
      ELSE -- again, since what was put off may have been what others stood on; until that moves nothing any more
        is_settled := late = before AND late_to = before_to;
      END IF;
    END LOOP;
    EXIT WHEN seen < most OR until > earliest;
    most := most * 4; -- what it waits for lies behind more than was read
  END LOOP;
  until := greatest(c.entered_until, until);
  -- Where the server's clock has stepped back, writes come behind the watermark: they say so themselves (timely_transfers).
  SELECT array_agg(b.id), max(b.watermark) INTO flags, past FROM entries_behind b WHERE b.company_id = company;
  IF flags IS NOT NULL THEN
    behind := ARRAY(SELECT l.id FROM (SELECT DISTINCT b.decided_at FROM entries_behind b WHERE b.company_id = company AND b.id = ANY (flags)
                                        AND b.decided_at < until) b
                     CROSS JOIN LATERAL lack_entries(company, b.decided_at, b.decided_at + interval '1 microsecond') l);
    IF enter_behind(company, behind, until, until > past + interval '3 seconds') @> behind THEN
      DELETE FROM entries_behind b WHERE b.company_id = company AND b.id = ANY (flags) AND b.decided_at < until;
    END IF;
  END IF;
  IF business_now() < begun THEN -- what is written now may be of before the mark
    c.marked_at := NULL;
    c.marked_xid := NULL;
  END IF;
  UPDATE entry_cursors SET entered_until = until, proven_until = c.proven_until, marked_at = c.marked_at, marked_xid = c.marked_xid
   WHERE company_id = company;
  RETURN CASE WHEN until > earliest THEN seen ELSE 0 END;
END $$;

-- ───────────────────────────────────────────── states ─────────────────────────────────────────────

CREATE TABLE allowed_moves (                          -- reference table: the transition tables of the code, for law_every_move_allowed
  machine text NOT NULL,
  from_state text NOT NULL,                           -- '' is "not there yet"
  trigger text NOT NULL,
  to_state text NOT NULL,
  PRIMARY KEY (machine, from_state, trigger, to_state)
);

CREATE TABLE history (                                -- every move of every object; the key makes a double move impossible
  company_id uuid NOT NULL,
  reference_id uuid NOT NULL,                         -- the object that moved
  version bigint NOT NULL,                            -- the version it had afterwards
  machine text NOT NULL,
  from_state text NOT NULL,
  to_state text NOT NULL,
  trigger text NOT NULL,
  reason text,
  request_id text,                                    -- x-request-id of the client's call that moved it; NULL: none did
  created_at timestamptz NOT NULL,
  PRIMARY KEY (company_id, reference_id, version)
);

-- ───────────────────────────────────────────── orders ─────────────────────────────────────────────

CREATE TABLE orders (                                 -- a pay-in: what a customer is asked to pay, or money that came unasked
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  account_id uuid NOT NULL,                           -- credited when paid
  external_id text NOT NULL,                          -- the client's code; endToEndId, or the STR's number of a TED, for money that came unasked
  origin text NOT NULL CHECK (origin IN ('TRANSPARENT', 'SUBSCRIPTION', 'UNASKED')),
  payment_method text NOT NULL CHECK (payment_method ~ '^(PIX|TED|DEPOSIT|BOLETO|CREDIT_CARD|SPEI|OXXO|OXXOPAY|PAYNET|[A-Z0-9]{2,16}_PAY)$'), -- TED: of money that came unasked alone
  status text NOT NULL CHECK (status IN ('INITIAL', 'PENDING', 'AUTHENTICATING', 'PAID', 'EXPIRED', 'CANCELED', 'ERROR',
                                         'REFUNDED', 'PARTIAL_REFUNDED')),
  currency text NOT NULL,
  amount_minor bigint CHECK (amount_minor > 0),       -- NULL: open amount, the payer types it
  final_amount_minor bigint CHECK (final_amount_minor > 0), -- what the customer pays, fees included
  fee_fixed_minor bigint NOT NULL DEFAULT 0,
  fee_variable_basis_points integer NOT NULL DEFAULT 0,
  fee_additional_minor bigint NOT NULL DEFAULT 0,
  fee_payer text NOT NULL DEFAULT 'RECEIVER',
  description text NOT NULL,
  notification_url text,
  return_url text,
  financial_partner text,
  customer_id uuid,                                   -- who was asked
  payer_id uuid,                                      -- who paid
  pix_key text,                                       -- the key asked to pay to
  pix_key_type text,
  txid text,                                          -- conciliationId
  location_token text,                                -- the unguessable part of the location and of the image's URL
  expires_at timestamptz,                             -- the last instant of acceptance
  end_to_end_id text,
  paid_minor bigint CHECK (paid_minor > 0),           -- what came in
  paid_at timestamptz,                                -- the network's settlement
  refunded_minor bigint NOT NULL DEFAULT 0 CHECK (refunded_minor >= 0),
  error_message text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  subscription_id uuid,                               -- whose first charge, or charge of a cycle, it is
  subscription_code text,                             -- the client's code of that
  scheduled_payment_id uuid,                          -- which charge of a cycle it is; NULL: the first charge
  static_qrcode_id uuid,                              -- the static code that its money came by
  order_token text,                                   -- what leads to its hosted page; NULL: it has none
  ends_at timestamptz,                                -- where money may still be told of after expires_at: when it ends unpaid
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, account_id) REFERENCES accounts,
  FOREIGN KEY (company_id, customer_id) REFERENCES parties,
  FOREIGN KEY (company_id, payer_id) REFERENCES parties,
  CHECK (status NOT IN ('PAID', 'REFUNDED', 'PARTIAL_REFUNDED') OR (paid_minor IS NOT NULL AND paid_at IS NOT NULL)),
  CHECK (refunded_minor <= coalesce(paid_minor, 0)),
  CHECK ((origin = 'SUBSCRIPTION') = (subscription_id IS NOT NULL)),
  CHECK ((subscription_code IS NULL) = (subscription_id IS NULL)),
  CHECK (subscription_id IS NOT NULL OR scheduled_payment_id IS NULL),
  CHECK (static_qrcode_id IS NULL OR origin = 'UNASKED'),
  CONSTRAINT orders_pages_are_of_creates CHECK (order_token IS NULL OR origin = 'TRANSPARENT')
) WITH (fillfactor = 85);
CREATE UNIQUE INDEX orders_created_at_key ON orders (company_id, created_at);
CREATE UNIQUE INDEX orders_txid_key ON orders (company_id, txid);
CREATE UNIQUE INDEX orders_location_key ON orders (company_id, location_token);
CREATE UNIQUE INDEX orders_token_key ON orders (company_id, order_token) WHERE order_token IS NOT NULL;
-- An externalId may be used again once every earlier order of it has ended without money.
CREATE UNIQUE INDEX orders_external_id_key ON orders (company_id, external_id)
  WHERE origin = 'TRANSPARENT' AND status NOT IN ('EXPIRED', 'CANCELED', 'ERROR');
CREATE INDEX orders_of_status ON orders (company_id, status, created_at);
CREATE INDEX orders_of_key ON orders (company_id, pix_key) WHERE status = 'INITIAL' AND pix_key IS NOT NULL; -- unpaid orders of a key that leaves
CREATE INDEX orders_of_external_id ON orders (company_id, external_id, created_at);
CREATE INDEX orders_of_account ON orders (company_id, account_id, created_at);
CREATE INDEX orders_expiring ON orders (expires_at, company_id) WHERE status = 'INITIAL' AND payment_method = 'PIX';
CREATE INDEX orders_ending ON orders (ends_at, company_id) WHERE ends_at IS NOT NULL;
CREATE INDEX orders_of_other_method ON orders (company_id, payment_method, created_at) WHERE payment_method <> 'PIX'; -- an order by Pix pays nothing for it
CREATE INDEX orders_of_static_qrcode ON orders (company_id, static_qrcode_id, created_at) WHERE static_qrcode_id IS NOT NULL;

CREATE TABLE pix_static_qrcodes (                     -- a printed code that is paid any number of times; no row of it ever changes
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  account_id uuid NOT NULL,                           -- credited by what is paid to it
  pix_key text NOT NULL,                              -- where the directory leads who pays it
  txid text NOT NULL,                                 -- printed in it; what is paid to it carries it
  amount_minor bigint CHECK (amount_minor > 0),       -- NULL: the payer types it
  description text,                                   -- as the client sent it; the code carries what of it fits
  qrcode_data text NOT NULL,                          -- its text, as it was printed
  created_at timestamptz NOT NULL,
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, account_id) REFERENCES accounts
);
CREATE UNIQUE INDEX pix_static_qrcodes_created_at_key ON pix_static_qrcodes (company_id, created_at);
CREATE UNIQUE INDEX pix_static_qrcodes_txid_key ON pix_static_qrcodes (company_id, txid);
CREATE INDEX pix_static_qrcodes_of_account ON pix_static_qrcodes (company_id, account_id, created_at);
ALTER TABLE orders ADD FOREIGN KEY (company_id, static_qrcode_id) REFERENCES pix_static_qrcodes;

CREATE TABLE rails (                                  -- where our clearing has a position: a network, a partner, or a company's account at a bank
  rail text PRIMARY KEY CHECK (rail ~ '^[a-z][a-z0-9]{1,15}$'),
  currency text NOT NULL CHECK (currency IN ('BRL', 'MXN')),
  kind text NOT NULL CHECK (kind IN ('network', 'partner', 'connection')),
  takes_parts boolean NOT NULL DEFAULT false,         -- an order may be paid there by several payments
  company_id uuid,                                    -- whose connection it is
  CHECK ((kind = 'connection') = (company_id IS NOT NULL))
);
INSERT INTO rails (rail, currency, kind, takes_parts) VALUES
  ('pix', 'BRL', 'network', false), ('ted', 'BRL', 'network', false), ('boleto', 'BRL', 'partner', false),
  ('deposit', 'BRL', 'partner', true), ('crypto', 'BRL', 'partner', false), ('crypto2', 'BRL', 'partner', false),
  ('card', 'MXN', 'partner', false), ('spei', 'MXN', 'partner', true), ('oxxo', 'MXN', 'partner', false),
  ('oxxopay', 'MXN', 'partner', false), ('paynet', 'MXN', 'partner', false), ('paynet2', 'MXN', 'partner', false);

CREATE TABLE connections (                            -- a company's own account at a bank that speaks API Pix; its name is its rail
  company_id uuid NOT NULL REFERENCES companies,
  rail text NOT NULL REFERENCES rails,
  is_issuing boolean NOT NULL DEFAULT true,           -- false: it makes no new code, and is polled on
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (company_id, rail)
);

CREATE TABLE connection_keys (                        -- a Pix key that is registered at the bank of a connection, and the account here that it credits
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  rail text NOT NULL,
  type text NOT NULL CHECK (type IN ('CPF', 'CNPJ', 'EMAIL', 'PHONE', 'RANDOM')),
  key text NOT NULL,
  account_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  ended_at timestamptz,                               -- it is not in the file of connections any more
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, rail) REFERENCES connections,
  FOREIGN KEY (company_id, account_id) REFERENCES accounts
);
CREATE UNIQUE INDEX connection_keys_one ON connection_keys (company_id, key) WHERE ended_at IS NULL;
CREATE INDEX connection_keys_of_account ON connection_keys (company_id, account_id, created_at);

CREATE TABLE instruments (                            -- what an order is paid with at a partner: a slip, a CLABE, a voucher, …
  company_id uuid NOT NULL,
  order_id uuid NOT NULL,
  rail text NOT NULL CHECK (rail ~ '^[a-z][a-z0-9]{1,15}$'), -- whose partner collects
  reference text NOT NULL,                            -- ours, by which the partner tells of it: nosso número, CLABE, …
  code text,                                          -- a slip: what its bars say, 44 digits
  due date,                                           -- a slip: the day it is due
  payable_until date,                                 -- a slip: the last day on which it is taken
  details jsonb,                                      -- what else it is shown with, as its method knows it
  PRIMARY KEY (company_id, order_id),
  FOREIGN KEY (company_id, order_id) REFERENCES orders,
  CHECK (payable_until >= due)
);
CREATE UNIQUE INDEX instruments_reference_key ON instruments (company_id, rail, reference);
CREATE INDEX instruments_by_reference ON instruments (rail, reference); -- whose payment is it, where the reference names no company

-- Under whose numbering the ids of a rail's payments are unique. Each partner numbers its payments itself; a Pix has one id, whether
-- a network carries it or we do, and whichever of a company's connections finds it: several may be at one bank account.
CREATE FUNCTION numbered_by(of_rail text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN of_rail IN ('pix', 'book') THEN 'pix'
              WHEN of_rail IN ('ted', 'boleto', 'deposit', 'crypto', 'crypto2', 'card', 'spei', 'oxxo', 'oxxopay', 'paynet', 'paynet2') THEN of_rail
              ELSE 'connection' END
$$;

CREATE TABLE pix_payments (                           -- a Pix that came, or was asked for, by its endToEndId; a TED by the STR's number of it; or a partner's payment
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  end_to_end_id text NOT NULL,
  order_id uuid,                                      -- the order it pays; NULL when it is to be given back
  account_id uuid,                                    -- the account it was sent to; NULL when nobody has it
  state text NOT NULL CHECK (state IN ('ACCEPTED', 'REFUSED', 'FAILED', 'HELD', 'SETTLED', 'RETURNING', 'RETURNED', 'STRANDED',
                                       'CREDITED', 'PAID_OUT')),
  amount_minor bigint NOT NULL CHECK (amount_minor > 0),
  txid text,
  pix_key text,
  remittance text,                                    -- what the payer wrote
  payer_id uuid,
  code text,                                          -- why it was refused or failed, raw
  accepted_at timestamptz NOT NULL,                   -- the network's acceptance time decides whether it is late
  settled_at timestamptz,
  ask_at timestamptz,                                 -- ACCEPTED: when the network is asked what became of it
  asked integer NOT NULL DEFAULT 0,                   -- how often it was asked
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  rail text NOT NULL DEFAULT 'pix' CHECK (rail ~ '^[a-z][a-z0-9]{1,15}$'), -- book: from another account here
  authorizes text,                                    -- idRec of the recurrence that its payer authorizes by it
  maximum_minor bigint CHECK (maximum_minor > 0),     -- of one charge, as he set it there
  payer_ibge_code text,                               -- of his city
  excess_minor bigint NOT NULL DEFAULT 0 CHECK (excess_minor >= 0 AND excess_minor < amount_minor), -- of what pays an order: what goes back
  purpose text,                                       -- IPRT, REFU: of one by which a bank gives back; NULL: of any other
  location_token text,                                -- by which a message without txid names its charge
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, order_id) REFERENCES orders,
  FOREIGN KEY (company_id, payer_id) REFERENCES parties
);
CREATE UNIQUE INDEX pix_payments_end_to_end_id_key ON pix_payments (company_id, end_to_end_id, numbered_by(rail));
CREATE UNIQUE INDEX pix_payments_one_reservation ON pix_payments (company_id, order_id) WHERE state = 'ACCEPTED';
CREATE INDEX pix_payments_of_order ON pix_payments (company_id, order_id);
CREATE INDEX pix_payments_of_txid ON pix_payments (company_id, txid) WHERE order_id IS NULL; -- named a charge, paid no order
CREATE INDEX pix_payments_of_location ON pix_payments (company_id, location_token) WHERE order_id IS NULL AND location_token IS NOT NULL;
CREATE INDEX pix_payments_to_ask ON pix_payments (ask_at, company_id) WHERE state = 'ACCEPTED';
CREATE INDEX pix_payments_announced ON pix_payments (created_at) WHERE state = 'ACCEPTED' AND ask_at IS NULL; -- a partner's, without its end

CREATE TABLE foreign_payments (                       -- a Pix at a merchant's own bank that no order of ours asked for: listed, never given back
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  rail text NOT NULL CHECK (rail ~ '^[a-z][a-z0-9]{1,15}$'), -- the connection that found it
  payment_id text NOT NULL,                           -- its endToEndId
  txid text,                                          -- as the bank told it; NULL: it carried none
  pix_key text,                                       -- the merchant's key that was paid; NULL: the bank did not say
  amount_minor bigint NOT NULL CHECK (amount_minor > 0),
  paid_at timestamptz NOT NULL,                       -- when the bank had it
  reason text CHECK (reason IN ('OTHER_KEY', 'OTHER_AMOUNT', 'BEFORE_ORDER', -- why it is not ours although an order has its txid; NULL: none has
                                'REHEARSAL', 'GIVEN_BACK', 'DIFFERS_THERE', 'UNKNOWN_THERE')), -- why it cannot be claimed: the bank said the last three at a claim
  state text NOT NULL CHECK (state IN ('FOUND', 'CLAIMED', 'CLOSED')),
  order_id uuid,                                      -- that a person claimed it for
  created_at timestamptz NOT NULL,                    -- when it was found
  updated_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, order_id) REFERENCES orders,
  CONSTRAINT foreign_payments_claimed CHECK ((order_id IS NOT NULL) = (state = 'CLAIMED'))
);
CREATE UNIQUE INDEX foreign_payments_payment_key ON foreign_payments (company_id, rail, payment_id);
CREATE UNIQUE INDEX foreign_payments_created_at_key ON foreign_payments (company_id, created_at);
CREATE UNIQUE INDEX foreign_payments_of_order ON foreign_payments (company_id, order_id) WHERE order_id IS NOT NULL;
CREATE INDEX foreign_payments_of_state ON foreign_payments (company_id, state, created_at);
CREATE INDEX foreign_payments_of_rail ON foreign_payments (company_id, rail, created_at);
CREATE INDEX foreign_payments_found ON foreign_payments (company_id, rail) WHERE state = 'FOUND';
CREATE INDEX foreign_payments_to_decide ON foreign_payments (created_at) WHERE state = 'FOUND' AND reason IS NOT NULL;

CREATE TABLE refunds (                                -- money given back: asked by a client, or of our own accord
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  origin text NOT NULL CHECK (origin IN ('AUTOMATIC', 'CLIENT', 'MED')),
  payment_id uuid NOT NULL,                           -- the Pix it returns
  return_id text NOT NULL,                            -- D…, of a TED L…, of what is paid anew E…; fixed before anything is sent
  reason_code text NOT NULL,                          -- MD06, …; IPRT, REFU: somebody else than the payer is paid anew
  state text NOT NULL CHECK (state IN ('PENDING', 'PAID', 'ERROR', 'CREDITED', 'PAID_OUT')), -- the last two: people have decided
  amount_minor bigint NOT NULL CHECK (amount_minor > 0),
  hold_id uuid NOT NULL,                              -- the held transfer: out of suspense, or from the order's account
  ask_at timestamptz,                                 -- PENDING: when the network is asked what became of it
  asked integer NOT NULL DEFAULT 0,                   -- how often it was asked
  error_message text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  order_id uuid,                                      -- of one that a client asked for: the order that it gives back
  external_id text,                                   -- the client's code
  refund_reason text,                                 -- why, in the client's words; told to nobody
  refund_word text CHECK (refund_word ~ '^[A-Z_]{3,40}$'), -- how the client named reason_code; NULL: by the code itself
  description text,                                   -- what the payer is told
  error_code text,                                    -- why the network refused it, raw
  rail text NOT NULL DEFAULT 'pix',                   -- that of the payment, by which it goes back; of IPRT, REFU its own
  med_id uuid,                                        -- of one that a dispute wants: the refund request that it answers
  called_off_at timestamptz,                          -- since when the directory does not ask for it any more
  receiver_id uuid,                                   -- who is paid anew: a victim, or the payer's institution
  beside_minor bigint NOT NULL DEFAULT 0,             -- of IPRT: how much of it came beside the payment, and is not of its order
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, payment_id) REFERENCES pix_payments,
  FOREIGN KEY (company_id, order_id) REFERENCES orders,
  FOREIGN KEY (company_id, receiver_id) REFERENCES parties,
  CONSTRAINT refunds_of_order CHECK ((origin = 'AUTOMATIC') = (order_id IS NULL)),
  CONSTRAINT refunds_of_client CHECK ((origin = 'CLIENT') = (external_id IS NOT NULL)),
  CONSTRAINT refunds_of_med CHECK ((origin = 'MED') = (med_id IS NOT NULL)),
  CONSTRAINT refunds_anew CHECK ((reason_code IN ('IPRT', 'REFU')) = (receiver_id IS NOT NULL)
                                 AND (receiver_id IS NULL OR origin = 'MED')),
  CONSTRAINT refunds_beside CHECK (beside_minor = 0 OR (beside_minor BETWEEN 1 AND amount_minor AND reason_code = 'IPRT'))
);
CREATE UNIQUE INDEX refunds_return_id_key ON refunds (company_id, return_id);
CREATE INDEX refunds_of_payment ON refunds (company_id, payment_id);
CREATE INDEX refunds_to_ask ON refunds (ask_at, company_id) WHERE state = 'PENDING';
CREATE INDEX refunds_stranded ON refunds (updated_at) WHERE state = 'ERROR' AND origin = 'AUTOMATIC'; -- what waits for people
CREATE UNIQUE INDEX refunds_created_at_key ON refunds (company_id, created_at);
CREATE UNIQUE INDEX refunds_external_id_key ON refunds (company_id, external_id);
CREATE INDEX refunds_of_clients ON refunds (company_id, created_at) WHERE origin = 'CLIENT';
CREATE INDEX refunds_of_state ON refunds (company_id, state, created_at) WHERE origin = 'CLIENT';
CREATE INDEX refunds_of_order ON refunds (company_id, order_id, created_at) WHERE origin = 'CLIENT';

CREATE TABLE card_payments (                          -- how an order is paid by card: who pays is asked, then it is charged; no number of it
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  order_id uuid NOT NULL,
  state text NOT NULL CHECK (state IN ('CREATED', 'CHALLENGE_REQUIRED', 'AUTHENTICATED', 'CAPTURED', 'DECLINED', 'FAILED', 'TIMEOUT',
                                       'CANCELED')),
  charge_id text NOT NULL,                            -- how the charge is called in the outbox, beside the payment itself
  skips_3ds boolean NOT NULL DEFAULT false,           -- nobody is authenticated: the client wishes it
  flow text CHECK (flow IN ('FRICTIONLESS', 'CHALLENGE', 'DECOUPLED', 'SKIPPED')),
  trans_status text,                                  -- what came of it last: transStatus of 3-D Secure, raw
  eci text,
  ds_transaction_id text,                             -- dsTransID
  three_ds_version text,                              -- messageVersion
  challenge_url text,                                 -- the issuer's page, while it waits for the payer
  ask_at timestamptz,                                 -- AUTHENTICATED: when the acquirer is asked what became of the charge
  asked integer NOT NULL DEFAULT 0,                   -- how often it was asked
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, order_id) REFERENCES orders,
  CHECK (challenge_url IS NULL OR state = 'CHALLENGE_REQUIRED')
);
CREATE UNIQUE INDEX card_payments_order_key ON card_payments (company_id, order_id);
CREATE INDEX card_payments_to_ask ON card_payments (ask_at, company_id) WHERE state = 'AUTHENTICATED';

CREATE TABLE card_tokens (                            -- cards that a company may charge again; no row of it ever changes
  company_id uuid NOT NULL REFERENCES companies,
  name text NOT NULL,                                 -- the client's token: cardToken
  token text NOT NULL,                                -- the acquirer's, which only it can use
  brand text NOT NULL,
  last_four text NOT NULL CHECK (last_four ~ '^[0-9]{4}$'),
  expiry text NOT NULL CHECK (expiry ~ '^[0-9]{2}/[0-9]{2}$'),
  order_id uuid,                                      -- with which it was made; NULL: it was made by itself
  created_at timestamptz NOT NULL,
  PRIMARY KEY (company_id, name),
  FOREIGN KEY (company_id, order_id) REFERENCES orders
);

CREATE TABLE chargebacks (                            -- money that issuers of cards, or banks of connections, took back; no row of it ever changes
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  order_id uuid NOT NULL,
  payment_id uuid NOT NULL,                           -- the payment that it takes back
  rail text NOT NULL DEFAULT 'card' CHECK (rail ~ '^[a-z][a-z0-9]{1,15}$'), -- the acquirer's, or the connection
  chargeback_id text NOT NULL,                        -- the acquirer's own id; of a Pix endToEndId and the bank's id of its return
  code text,                                          -- why, raw
  amount_minor bigint NOT NULL CHECK (amount_minor > 0),
  taken_at timestamptz NOT NULL,                      -- when it left us
  created_at timestamptz NOT NULL,
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, order_id) REFERENCES orders,
  FOREIGN KEY (company_id, payment_id) REFERENCES pix_payments
);
CREATE UNIQUE INDEX chargebacks_key ON chargebacks (company_id, chargeback_id, rail);
CREATE INDEX chargebacks_of_order ON chargebacks (company_id, order_id);
CREATE INDEX chargebacks_taken_at ON chargebacks USING brin (taken_at);

CREATE SEQUENCE network_ids_seq;                      -- scrambled into endToEndIds and return ids, so that they never collide

-- ───────────────────────────────────────────── payouts ─────────────────────────────────────────────

CREATE TABLE own_keys (                               -- reference table: finds the owner of a Pix key that leads to one of our accounts
  key text PRIMARY KEY,
  company_id uuid NOT NULL,
  account_id uuid NOT NULL
);

CREATE TABLE bank_lists (                             -- reference table: who can be paid, as it was imported; the newest holds
  number integer PRIMARY KEY,                         -- 1, 2, 3 …; while there is none, the list that came with the code holds
  imported_at timestamptz NOT NULL,                   -- machine time
  list text NOT NULL                                  -- CSV: ispb, compe, short_name, name, str, pix
);

CREATE TABLE directory_buckets (                      -- reference table: how often the directory may still be asked, by the institution as a whole
  name text PRIMARY KEY,                              -- participant, company:… or payer:…, with a hash in place of the document
  tokens double precision NOT NULL CHECK (tokens >= 0),
  filled_at timestamptz NOT NULL                      -- machine time at which it had those
) WITH (fillfactor = 50);

CREATE TABLE directory_look_ups (                     -- reference table: what a payment gives back once it is sent; kept for a day
  end_to_end_id text PRIMARY KEY,                     -- of the payment that the look-up was for
  bucket text NOT NULL,
  back integer NOT NULL,
  asked_at timestamptz NOT NULL,                      -- machine time
  also text[] NOT NULL DEFAULT '{}'                   -- buckets that one token is given back to: the participant's, and the company's part of it
);
CREATE INDEX directory_look_ups_asked_at ON directory_look_ups (asked_at);

CREATE TABLE directory_unknown (                      -- reference table: keys that were not there when somebody asked
  key_hash text PRIMARY KEY,
  until timestamptz NOT NULL                          -- machine time; not asked again before
);
CREATE INDEX directory_unknown_until ON directory_unknown (until);

CREATE TABLE partner_states (                         -- reference table: partners that are known to be away, or were
  rail text PRIMARY KEY,
  is_down boolean NOT NULL,                           -- new orders whose route has a fallback go there
  changed_at timestamptz NOT NULL                     -- business time
);

CREATE TABLE rail_cursors (                           -- reference table: where a bank's list is read from next, and who reads it
  rail text NOT NULL CHECK (rail ~ '^[a-z][a-z0-9]{1,15}$'),
  stream text NOT NULL CHECK (stream ~ '^[a-z_]{1,30}$'), -- pix, returns, charges: each list has a place of its own
  until timestamptz NOT NULL,                         -- business time: what came before it is stored
  lease_token uuid,                                   -- of the process that reads
  leased_until timestamptz,                           -- machine time; NULL or past: anybody may read
  hints text[] NOT NULL DEFAULT '{}' CHECK (cardinality(hints) <= 1000), -- payments that a webhook has named, to be looked at
  unknown_hints bigint NOT NULL DEFAULT 0,            -- of them the bank knew none, so far
  orphans_removed integer,                            -- of stream charges: what the last night has removed; NULL: there was none yet
  orphans_left integer,                               -- and what looks like an orphan and is still open
  PRIMARY KEY (rail, stream),
  CHECK ((lease_token IS NULL) = (leased_until IS NULL))
);

CREATE TABLE law_checks (                             -- reference table: what was found when a worker read a law last
  law text PRIMARY KEY,                               -- the view's name
  tried_at timestamptz NOT NULL,                      -- machine time
  checked_at timestamptz,                             -- when it could be read last; NULL: never yet
  breaches integer CHECK (breaches >= 0),             -- found then; more than 1,000 are not counted
  CHECK ((checked_at IS NULL) = (breaches IS NULL))
);

CREATE TABLE account_limits (                         -- how much an account may send; without a row the defaults of the code hold
  company_id uuid NOT NULL,
  account_id uuid NOT NULL,
  payment_method text NOT NULL CHECK (payment_method IN ('PIX', 'TED')),
  transaction_minor bigint NOT NULL CHECK (transaction_minor > 0), -- above it a payout is split
  day_minor bigint CHECK (day_minor >= 0),            -- from 06:00 to 06:00 in Brasilia; NULL: no limit
  night_minor bigint CHECK (night_minor >= 0),        -- from 20:00 to 06:00 in Brasilia; NULL: no limit
  version bigint NOT NULL DEFAULT 1,
  raised_day_minor bigint,                            -- a higher one that was asked for, of a person; NULL: none is, or no limit
  raised_day_at timestamptz,                          -- from when on that one holds; NULL: none was asked for
  raised_night_minor bigint,                          -- likewise of a night
  raised_night_at timestamptz,
  PRIMARY KEY (company_id, account_id, payment_method),
  FOREIGN KEY (company_id, account_id) REFERENCES accounts
);

CREATE TABLE quotas (                                 -- how much of a limit is used
  company_id uuid NOT NULL REFERENCES companies,
  owner_id uuid NOT NULL,                             -- whose limit: an account, an order, or one of its payments
  kind text NOT NULL,                                 -- PIX.day, TED.night, …; refund: of what was paid for an order; part refund: by one payment
  period text NOT NULL,                               -- the day it is counted in; of an order none
  used_minor bigint NOT NULL CHECK (used_minor >= 0),
  PRIMARY KEY (company_id, owner_id, kind, period)
) WITH (fillfactor = 70);

CREATE TABLE payouts (                                -- money sent out: a transfer, a batch of transfers, or one of a batch
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  batch_id uuid,                                      -- of a batch's child: the batch
  sequence integer CHECK (sequence > 0),              -- of a batch's child: its place, from 1
  children integer NOT NULL DEFAULT 0 CHECK (children <> 1), -- of a batch: how many transfers it was split into; 0: it is one
  account_id uuid NOT NULL,                           -- who pays
  external_id text,                                   -- the client's code; NULL for a child
  idempotency_key text NOT NULL,                      -- of a child: the batch's, with its number from the second on
  payment_method text NOT NULL CHECK (payment_method IN ('PIX', 'TED')),
  rail text NOT NULL CHECK (rail IN ('pix', 'ted', 'book')), -- book: the receiver has an account here
  initiation text NOT NULL CHECK (initiation IN ('KEY', 'STATIC_QR', 'DYNAMIC_QR', 'MANUAL')),
  status text NOT NULL CHECK (status IN ('INITIAL', 'PENDING', 'PAID', 'EXPIRED', 'ANALYSIS', 'REFUNDED', 'PARTIAL_REFUNDED',
                                         'PARTIALLY_PAID', 'CANCELED', 'ERROR')),
  currency text NOT NULL,
  amount_minor bigint NOT NULL CHECK (amount_minor > 0),
  fee_minor bigint NOT NULL DEFAULT 0 CHECK (fee_minor >= 0),
  returned_minor bigint NOT NULL DEFAULT 0 CHECK (returned_minor >= 0),
  description text NOT NULL,
  receiver_id uuid NOT NULL,
  pix_key text,                                       -- the key paid to
  pix_key_type text,
  txid text,                                          -- of the QR that was paid
  end_to_end_id text,                                 -- Pix; fixed before anything is sent
  control_number text,                                -- TED, also to an account here: ours (NumCtrlIF); fixed before anything is sent
  str_control_number text,                            -- TED: the STR's, once it has given it
  message_id uuid,                                    -- the outbox row that sends it; NULL for a batch, and until it is sent
  hold_id uuid,                                       -- the amount, held
  fee_hold_id uuid,                                   -- the fee, held; of a batch: the batch's alone
  quota_period text,                                  -- the day its amount counts in, for giving it back
  is_at_night boolean NOT NULL DEFAULT false,         -- whether it counts for the night, too
  scheduled_on date,                                  -- the day in Brasilia on which it was asked to be sent
  start_at timestamptz,                               -- when it is to be begun; NULL: it is, or ended before
  send_until timestamptz,                             -- what is proven unsent by then expires
  error_code text,                                    -- the network's, raw
  error_message text,
  paid_at timestamptz,                                -- the network's settlement
  ask_at timestamptz,                                 -- sent and PENDING: when the network is asked what became of it
  asked integer NOT NULL DEFAULT 0,                   -- how often it was asked
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  likeness bigint,                                    -- the same for payouts that are alike: account, amount, receiver; NULL for a child
  qr text,                                            -- a dynamic QR that a scheduled one pays: it is read again on its day
  short_of text,                                      -- what the account of a scheduled Pix lacked when it was last tried; NULL: nothing
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, batch_id) REFERENCES payouts,
  FOREIGN KEY (company_id, account_id) REFERENCES accounts,
  FOREIGN KEY (company_id, receiver_id) REFERENCES parties,
  CHECK ((batch_id IS NULL) = (sequence IS NULL)),
  CHECK (batch_id IS NULL OR children = 0),
  CHECK ((batch_id IS NULL) = (external_id IS NOT NULL)),
  CHECK (status NOT IN ('PAID', 'REFUNDED', 'PARTIAL_REFUNDED', 'PARTIALLY_PAID') OR paid_at IS NOT NULL),
  CHECK (returned_minor <= amount_minor)
) WITH (fillfactor = 85);
CREATE UNIQUE INDEX payouts_created_at_key ON payouts (company_id, created_at) WHERE batch_id IS NULL;
CREATE UNIQUE INDEX payouts_external_id_key ON payouts (company_id, external_id);
CREATE UNIQUE INDEX payouts_end_to_end_id_key ON payouts (company_id, end_to_end_id);
CREATE UNIQUE INDEX payouts_control_number_key ON payouts (company_id, control_number);
CREATE UNIQUE INDEX payouts_of_batch ON payouts (company_id, batch_id, sequence) WHERE batch_id IS NOT NULL;
CREATE INDEX payouts_of_status ON payouts (company_id, status, created_at) WHERE batch_id IS NULL;
CREATE INDEX payouts_of_account ON payouts (company_id, account_id, created_at) WHERE batch_id IS NULL;
CREATE INDEX payouts_alike ON payouts (company_id, likeness, created_at) WHERE likeness IS NOT NULL;
CREATE INDEX payouts_to_ask ON payouts (ask_at, company_id) WHERE status = 'PENDING' AND ask_at IS NOT NULL;
CREATE INDEX payouts_to_start ON payouts (start_at, company_id) WHERE status = 'PENDING' AND start_at IS NOT NULL;
CREATE INDEX payouts_to_review ON payouts (updated_at, company_id) WHERE status = 'ANALYSIS' AND batch_id IS NULL;

CREATE TABLE payout_returns (                         -- what a receiver has given back
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  payout_id uuid NOT NULL,
  return_id text NOT NULL,                            -- the network's: D…, or the STR's number of the TED that brings it back
  amount_minor bigint NOT NULL CHECK (amount_minor > 0),
  reason_code text NOT NULL,                          -- raw
  details text,
  is_unfit boolean NOT NULL DEFAULT false,            -- more than was left to return, or its account is closed: it went to suspense
  settled_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  decision_id uuid,                                   -- of an unfit one: the transfer by which people have decided; NULL: it waits
  is_paid_out boolean NOT NULL DEFAULT false,         -- they had it paid out elsewhere; else an account was credited
  version integer NOT NULL DEFAULT 1,
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, payout_id) REFERENCES payouts
);
CREATE UNIQUE INDEX payout_returns_return_id_key ON payout_returns (company_id, return_id);
CREATE INDEX payout_returns_of_payout ON payout_returns (company_id, payout_id);
CREATE INDEX payout_returns_unfit ON payout_returns (created_at) WHERE is_unfit AND decision_id IS NULL; -- what waits for people

CREATE TABLE payout_plans (                           -- payouts that are checked, approved and made together
  company_id uuid NOT NULL REFERENCES companies,
  id uuid NOT NULL,
  status text NOT NULL CHECK (status IN ('VALIDATING', 'INVALID', 'READY', 'APPROVED', 'APPLYING', 'APPLIED',
                                         'PARTIALLY_APPLIED', 'FAILED', 'CANCELED', 'EXPIRED')),
  format text NOT NULL CHECK (format IN ('JSON', 'CSV')),
  lines integer NOT NULL CHECK (lines BETWEEN 1 AND 10000),
  hash text,                                          -- SHA-256 of all its lines as they were checked; NULL until they are
  approvals_needed integer NOT NULL,                  -- of the company, when it was made
  created_by text NOT NULL,                           -- the client that made it, who does not approve it
  expires_at timestamptz,                             -- READY or APPROVED, it can be applied until then
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  due_at timestamptz,                                 -- when a worker has to look at it; NULL: never
  sends integer NOT NULL DEFAULT 0,                   -- how often a worker took it in hand
  lease_token uuid,
  leased_until timestamptz,                           -- machine time
  PRIMARY KEY (company_id, id),
  CHECK (status IN ('VALIDATING', 'CANCELED') OR hash IS NOT NULL)
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX payout_plans_created_at_key ON payout_plans (company_id, created_at);
CREATE INDEX payout_plans_of_status ON payout_plans (company_id, status, created_at);
CREATE INDEX payout_plans_due ON payout_plans (due_at, company_id) WHERE due_at IS NOT NULL;

CREATE TABLE payout_plan_bodies (                     -- a plan as it was sent, until its lines are checked
  company_id uuid NOT NULL,
  id uuid NOT NULL,                                   -- the plan's
  body bytea,                                         -- NULL once they are
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, id) REFERENCES payout_plans
);

CREATE TABLE payout_plan_lines (                      -- one payout of a plan, as it was checked and as it was made
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  plan_id uuid NOT NULL,
  number integer NOT NULL CHECK (number > 0),         -- its place among the plan's payouts, from 1
  line integer NOT NULL CHECK (line > 0),             -- where it stands in the file; of JSON its number
  request bytea NOT NULL,                             -- the body of its create, JSON
  external_id text,                                   -- NULL where that cannot be read; so the next five
  account_id uuid,
  payment_method text,
  currency text,
  amount_minor bigint CHECK (amount_minor > 0),
  fee_minor bigint CHECK (fee_minor >= 0),
  transfers integer CHECK (transfers > 0),            -- into how many it is split
  destination text,                                   -- JSON: where its money goes, as it was found when it was checked
  duplicate_of text,                                  -- an equal payout, or line of this plan, of the last ten minutes
  issues text,                                        -- JSON: what is wrong with it, or why it was not made in the end
  digest bytea NOT NULL,                              -- SHA-256 of what is approved with it
  payout_id uuid,                                     -- what was made of it
  created_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  likeness bigint,                                    -- as of a payout; NULL of one with issues
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, plan_id) REFERENCES payout_plans,
  FOREIGN KEY (company_id, payout_id) REFERENCES payouts,
  CHECK (payout_id IS NULL OR issues IS NULL)
) WITH (fillfactor = 85);
CREATE UNIQUE INDEX payout_plan_lines_number_key ON payout_plan_lines (company_id, plan_id, number);
CREATE INDEX payout_plan_lines_to_make ON payout_plan_lines (company_id, plan_id, number) WHERE payout_id IS NULL AND issues IS NULL;
CREATE UNIQUE INDEX payout_plan_lines_payout_id_key ON payout_plan_lines (company_id, payout_id) WHERE payout_id IS NOT NULL;

CREATE TABLE payout_plan_approvals (                  -- who has signed a plan's hash
  company_id uuid NOT NULL,
  plan_id uuid NOT NULL,
  approver text NOT NULL,                             -- a client's id
  hash text NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (company_id, plan_id, approver),
  FOREIGN KEY (company_id, plan_id) REFERENCES payout_plans
);

-- ───────────────────────────────────────────── disputes ─────────────────────────────────────────────

CREATE TABLE med_objects (                            -- an object of a dispute at the directory (MED): recovery, notification, refund request
  company_id uuid NOT NULL,
  id uuid NOT NULL,                                   -- the directory's own, unless directory_id is
  object_type text NOT NULL,
  role text NOT NULL CHECK (role IN ('PAYER', 'RECEIVER')),
  account_id uuid NOT NULL,                           -- debited (PAYER) or credited (RECEIVER)
  status text NOT NULL CHECK (status IN ('CREATED', 'TRACED', 'WAITING_ANALYSIS', 'ANALYSED', 'WAITING_REFUND', 'COMPLETED', 'CANCELLED', 'OPEN', 'RECEIVED')),
  end_to_end_id text NOT NULL,                        -- the contested transaction; of a recovery that with which its case began
  recovery_id uuid,                                   -- of the others: the recovery that it belongs to, where there is one
  situation text,                                     -- what happened, as who contests it says
  reason text,                                        -- of a notification or refund request
  amount_minor bigint NOT NULL CHECK (amount_minor > 0), -- contested, or asked back
  blocked_minor bigint NOT NULL DEFAULT 0 CHECK (blocked_minor BETWEEN 0 AND amount_minor), -- of it in BLOCK now
  returned_minor bigint NOT NULL DEFAULT 0 CHECK (returned_minor >= 0), -- what came back, or was given back
  result text,                                        -- how it was decided
  rejection text,                                     -- why a refund request was rejected
  path bytea,                                         -- of a recovery that is traced: its transactions, JSON
  refund_id uuid,                                     -- the return that answers a refund request
  deadline timestamptz NOT NULL,                      -- by when it has to have ended
  due_at timestamptz,                                 -- when time does something to it: RECEIVER alone
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  occurred_at timestamptz NOT NULL,                   -- since when it has its status at the directory
  directory_id uuid,                                  -- the directory's id, where this side of an object has one of its own: its payer is here too
  called_off_at timestamptz,                          -- when we heard that it was given up there, of what was decided here
  root_id text,                                       -- of a refund request: the transaction with which its case began; NULL: not told
  requester text,                                     -- of a refund request: ISPB of the institution that asks
  details text,                                       -- of a refund request: why, in its words
  receiver_id uuid,                                   -- of a recovery's refund request: the victim, and the account to be paid
  monitor boolean NOT NULL DEFAULT true,              -- of a refund request: whether its account is watched once it has given back too little
  watched_since timestamptz,                          -- from when on later credits of its account are blocked
  watched_until timestamptz,                          -- and until when
  lacking_minor bigint NOT NULL DEFAULT 0 CHECK (lacking_minor >= 0), -- what is still to be blocked of them
  later_minor bigint NOT NULL DEFAULT 0 CHECK (later_minor >= 0), -- what was given back of them, beside returned_minor
  later_refund_id uuid,                               -- the return of them that is on its way
  defense_due_at timestamptz,                         -- until when the holder of the account may say something to a notification
  defense text CHECK (length(defense) <= 2000),
  defended_at timestamptz,
  reminded_at timestamptz,                            -- when its holder was told that this time is nearly over
  defense_documents smallint NOT NULL DEFAULT 0 CHECK (defense_documents BETWEEN 0 AND 10), -- how many the holder gave
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, account_id) REFERENCES accounts,
  FOREIGN KEY (company_id, receiver_id) REFERENCES parties,
  FOREIGN KEY (company_id, refund_id) REFERENCES refunds,
  CONSTRAINT med_objects_status_of_type CHECK (
    CASE object_type
    WHEN 'RECOVERY_VALUE' THEN status IN ('CREATED', 'TRACED', 'WAITING_ANALYSIS', 'ANALYSED', 'WAITING_REFUND', 'COMPLETED', 'CANCELLED')
    WHEN 'INFRINGEMENT_NOTIFICATION' THEN status IN ('OPEN', 'RECEIVED', 'ANALYSED', 'CANCELLED')
    WHEN 'REFUND_REQUEST' THEN status IN ('OPEN', 'ANALYSED', 'CANCELLED') ELSE false END),
  CHECK (object_type <> 'RECOVERY_VALUE' OR (role = 'PAYER' AND recovery_id IS NULL)),
  CHECK (role = 'RECEIVER' OR (blocked_minor = 0 AND due_at IS NULL AND refund_id IS NULL)),
  CONSTRAINT med_objects_directory_id CHECK (directory_id IS NULL OR (role = 'RECEIVER' AND directory_id <> id)),
  CONSTRAINT med_objects_defense CHECK (
    (defense IS NULL) = (defended_at IS NULL) AND (defense IS NULL OR defense_due_at >= defended_at AND object_type = 'INFRINGEMENT_NOTIFICATION')),
  CONSTRAINT med_objects_reminded CHECK (reminded_at IS NULL OR defense_due_at >= reminded_at AND object_type = 'INFRINGEMENT_NOTIFICATION'),
  CONSTRAINT med_objects_watched CHECK (
    watched_since IS NULL AND lacking_minor = 0 AND later_minor = 0 AND later_refund_id IS NULL
    OR watched_since IS NOT NULL AND watched_until IS NOT NULL AND object_type = 'REFUND_REQUEST' AND role = 'RECEIVER' AND status = 'ANALYSED'
       AND returned_minor + later_minor + blocked_minor + lacking_minor <= amount_minor),
  CONSTRAINT med_objects_later_refund FOREIGN KEY (company_id, later_refund_id) REFERENCES refunds
);
CREATE UNIQUE INDEX med_objects_one_recovery ON med_objects (company_id, end_to_end_id) WHERE object_type = 'RECOVERY_VALUE';
CREATE UNIQUE INDEX med_objects_refund_key ON med_objects (company_id, refund_id) WHERE refund_id IS NOT NULL;
CREATE UNIQUE INDEX med_objects_later_refund_key ON med_objects (company_id, later_refund_id) WHERE later_refund_id IS NOT NULL;
CREATE INDEX med_objects_watching ON med_objects (company_id, account_id, watched_since) WHERE lacking_minor > 0;
CREATE INDEX med_objects_of_company ON med_objects (company_id, created_at, id);
CREATE INDEX med_objects_of_account ON med_objects (company_id, account_id, created_at, id);
CREATE UNIQUE INDEX med_objects_directory_key ON med_objects (company_id, directory_id) WHERE directory_id IS NOT NULL;
CREATE INDEX med_objects_of_recovery ON med_objects (company_id, recovery_id) WHERE recovery_id IS NOT NULL;
CREATE INDEX med_objects_of_transaction ON med_objects (company_id, end_to_end_id);
CREATE INDEX med_objects_pending ON med_objects (company_id, created_at, id)
 WHERE status NOT IN ('COMPLETED', 'CANCELLED') AND (status <> 'ANALYSED' OR object_type = 'RECOVERY_VALUE');
CREATE TABLE med_documents (                          -- a file that the holder of an account gave with its defense to a notification
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  object_id uuid NOT NULL,
  number smallint NOT NULL CHECK (number BETWEEN 1 AND 10),
  content_type text NOT NULL CHECK (content_type IN ('application/pdf', 'image/png', 'image/jpeg')),
  size integer NOT NULL,                              -- of what is kept, in bytes, before it was sealed
  digest bytea NOT NULL,                              -- SHA-256 of the bytes as they were sent
  kept_digest bytea NOT NULL,                         -- SHA-256 of what is kept
  sealed bytea,                                       -- AES-256-GCM; NULL once it was erased
  created_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, object_id) REFERENCES med_objects
);
CREATE UNIQUE INDEX med_documents_number_key ON med_documents (company_id, object_id, number);
CREATE INDEX med_objects_due ON med_objects (due_at, company_id) WHERE due_at IS NOT NULL;

-- ───────────────────────────────────────────── subscriptions ─────────────────────────────────────────────

CREATE TABLE subscriptions (                          -- a recurring charge that its payer authorizes once (Pix Automático)
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  account_id uuid NOT NULL,                           -- credited by its charges
  external_id text NOT NULL,                          -- the client's code
  provider_id text NOT NULL,                          -- idRec: what the network knows it by
  type text NOT NULL CHECK (type IN ('AUTHORIZATION_QRCODE', 'AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT')),
  status text NOT NULL CHECK (status IN ('INITIAL', 'PENDING_AUTHORIZATION', 'ACCEPTED', 'REJECTED', 'CANCELED', 'ERROR')),
  frequency text NOT NULL CHECK (frequency IN ('WEEKLY', 'MONTHLY', 'QUARTERLY', 'SEMIANNUAL', 'ANNUAL')),
  starts_on date NOT NULL,                            -- the first day of its first cycle
  ends_on date,                                       -- the last day on which a charge may be due; NULL: open-ended
  currency text NOT NULL,
  fixed_minor bigint CHECK (fixed_minor > 0),         -- what each charge is of
  floor_minor bigint CHECK (floor_minor > 0),         -- the least maximum that the payer may set
  charges_after_due boolean NOT NULL,                 -- whether an unpaid charge may be tried again
  adjusts boolean NOT NULL,                           -- whether a due date on a weekend moves to Monday
  auto_schedule boolean NOT NULL,                     -- whether the service itself schedules each cycle's charge
  description text,
  webhook_url text NOT NULL,
  debtor_id uuid NOT NULL,                            -- whom the contract is with
  named_payer_id uuid,                                -- whom the client expects to pay
  order_id uuid,                                      -- its first charge, of journey 3 alone
  location_token text,                                -- the unguessable part of the recurrence's location; NULL: a bank made it
  lapses_at timestamptz,                              -- the first instant at which it cannot be authorized any more; NULL: none
  ends_at timestamptz,                                -- when ends_on is over in Brasilia
  payer_id uuid,                                      -- who authorized it
  payer_ibge_code text,                               -- of his city
  maximum_minor bigint CHECK (maximum_minor > 0),     -- of a charge, as the payer set it
  accepted_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  covered integer NOT NULL DEFAULT -1,                -- the last cycle whose charge the service has made by itself; -1: none
  charge_at timestamptz,                              -- when it makes the next one
  refused_minor bigint,                               -- what its first charge was of, whose order was not made: it was
  refused_expires_at timestamptz,                     -- refused at once. And what the answer to its create said of it
  refused_txid text,
  refused_location_token text,
  rail text NOT NULL DEFAULT 'pix' CHECK (rail ~ '^[a-z][a-z0-9]{1,15}$'), -- a connection: its bank has the recurrence
  bank_code text,                                     -- of such a one: the code that its bank has made
  asked integer NOT NULL DEFAULT 0,                   -- how often that bank was asked what became of it
  ask_at timestamptz,                                 -- when next
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, account_id) REFERENCES accounts,
  FOREIGN KEY (company_id, debtor_id) REFERENCES parties,
  FOREIGN KEY (company_id, named_payer_id) REFERENCES parties,
  FOREIGN KEY (company_id, payer_id) REFERENCES parties,
  FOREIGN KEY (company_id, order_id) REFERENCES orders,
  CHECK (ends_on > starts_on),
  CHECK ((ends_on IS NULL) = (ends_at IS NULL)),
  CHECK (fixed_minor IS NULL OR floor_minor IS NULL),
  CHECK (fixed_minor IS NOT NULL OR NOT auto_schedule),
  CHECK ((payer_id IS NULL) = (accepted_at IS NULL)),
  CHECK (accepted_at IS NOT NULL OR status <> 'ACCEPTED'),
  CHECK (num_nulls(location_token, bank_code) = 1),
  CONSTRAINT subscriptions_refused_charge CHECK (
    refused_minor IS NULL OR status = 'ERROR' AND order_id IS NULL AND refused_minor > 0
      AND num_nulls(refused_expires_at, refused_txid, refused_location_token) = 0)
) WITH (fillfactor = 85);
CREATE UNIQUE INDEX subscriptions_created_at_key ON subscriptions (company_id, created_at);
CREATE UNIQUE INDEX subscriptions_external_id_key ON subscriptions (company_id, external_id);
CREATE UNIQUE INDEX subscriptions_provider_id_key ON subscriptions (company_id, provider_id);
CREATE UNIQUE INDEX subscriptions_location_key ON subscriptions (company_id, location_token);
CREATE UNIQUE INDEX subscriptions_order_id_key ON subscriptions (company_id, order_id) WHERE order_id IS NOT NULL;
CREATE INDEX subscriptions_of_status ON subscriptions (company_id, status, created_at);
CREATE INDEX subscriptions_of_account ON subscriptions (company_id, account_id, created_at);
CREATE INDEX subscriptions_of_start ON subscriptions (company_id, starts_on, created_at);
CREATE INDEX subscriptions_of_end ON subscriptions (company_id, ends_on, created_at) WHERE ends_on IS NOT NULL;
CREATE INDEX subscriptions_lapsing ON subscriptions (lapses_at, company_id) WHERE status = 'PENDING_AUTHORIZATION';
CREATE INDEX subscriptions_to_charge ON subscriptions (charge_at, company_id) WHERE status = 'ACCEPTED' AND charge_at IS NOT NULL;
CREATE INDEX subscriptions_to_ask ON subscriptions (ask_at, company_id)
  WHERE status IN ('PENDING_AUTHORIZATION', 'ACCEPTED') AND ask_at IS NOT NULL;
CREATE INDEX subscriptions_ending ON subscriptions (ends_at, company_id) WHERE status = 'ACCEPTED' AND ends_at IS NOT NULL;
ALTER TABLE orders ADD FOREIGN KEY (company_id, subscription_id) REFERENCES subscriptions;

CREATE TABLE subscription_cancellations (             -- who wanted a subscription to end, and what became of it
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  subscription_id uuid NOT NULL,
  status text NOT NULL CHECK (status IN ('PENDING', 'ACCEPTED', 'REJECTED', 'ERROR')),
  idempotency_key text NOT NULL,                      -- as it was sent; a message's id in the network; else the id of this row
  reason text NOT NULL CHECK (reason IN ('REQUESTED_BY_RECEIVER', 'FRAUD_SUSPECTED', 'OTHER', 'REQUESTED_BY_PAYER',
                                         'ACCOUNT_CLOSED', 'AUTHORIZATION_EXPIRED', 'RECURRENCE_ENDED')),
  raw_reason text,                                    -- the network's code, as it came
  requested_by_id uuid,                               -- NULL: the holder of the account
  message_id text,                                    -- by which the payer's bank was asked; NULL: nobody had to be
  ask_at timestamptz,                                 -- PENDING: when the network is asked what became of it
  asked integer NOT NULL DEFAULT 0,                   -- how often it was asked
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  rail text NOT NULL DEFAULT 'pix',                   -- of the subscription: who is asked
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, subscription_id) REFERENCES subscriptions,
  FOREIGN KEY (company_id, requested_by_id) REFERENCES parties
);
CREATE INDEX subscription_cancellations_of_subscription ON subscription_cancellations (company_id, subscription_id, created_at);
CREATE UNIQUE INDEX subscription_cancellations_one_open ON subscription_cancellations (company_id, subscription_id)
  WHERE status = 'PENDING';

CREATE TABLE subscription_payments (                  -- the charge of one cycle of a subscription
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  subscription_id uuid NOT NULL,
  external_id text NOT NULL,                          -- the client's code
  status text NOT NULL CHECK (status IN ('SCHEDULED', 'PENDING', 'PAID', 'CANCELED', 'EXPIRED', 'ERROR')),
  order_id uuid NOT NULL,                             -- what is paid when it is settled
  currency text NOT NULL,
  amount_minor bigint NOT NULL CHECK (amount_minor > 0),
  due_on date NOT NULL,                               -- decides the cycle
  settles_on date NOT NULL,                           -- decides the settlement: due_on, or the Monday after
  cycle integer NOT NULL CHECK (cycle >= 0),          -- its number, from 0
  cycle_starts_on date NOT NULL,
  next_cycle_starts_on date NOT NULL,
  auto_retry boolean NOT NULL,                        -- whether the service itself tries again after an unpaid day
  description text,
  code text,                                          -- why it ended without money, as the network said it
  due_at timestamptz,                                 -- when time does something to it next
  cancel_message_id text,                             -- of our question whether the payer's bank drops it, while that is open
  cancel_asked_at timestamptz,
  asked integer NOT NULL DEFAULT 0,                   -- how often the network was asked what became of that question
  ask_at timestamptz,                                 -- when next
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  cancel_refused_at timestamptz,                      -- when its bank has last said that it does not drop it
  cancel_refusal text,                                -- why not, as the network said it
  rail text NOT NULL DEFAULT 'pix',                   -- of the subscription: who is asked
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, subscription_id) REFERENCES subscriptions,
  FOREIGN KEY (company_id, order_id) REFERENCES orders,
  CHECK (cycle_starts_on <= due_on AND due_on < next_cycle_starts_on AND due_on <= settles_on),
  CHECK ((cancel_message_id IS NULL) = (cancel_asked_at IS NULL)),
  CHECK (cancel_refusal IS NULL OR cancel_refused_at IS NOT NULL)
) WITH (fillfactor = 85);
-- Two that are in each other's way have the same code or the same cycle, and the code is told first: its index is the older.
CREATE UNIQUE INDEX subscription_payments_external_id_key ON subscription_payments (company_id, subscription_id, external_id);
CREATE UNIQUE INDEX subscription_payments_cycle_key ON subscription_payments (company_id, subscription_id, cycle)
  WHERE status NOT IN ('CANCELED', 'ERROR');
CREATE UNIQUE INDEX subscription_payments_created_at_key ON subscription_payments (company_id, subscription_id, created_at);
CREATE UNIQUE INDEX subscription_payments_order_id_key ON subscription_payments (company_id, order_id);
CREATE INDEX subscription_payments_due ON subscription_payments (due_at, company_id) WHERE due_at IS NOT NULL;
CREATE INDEX subscription_payments_to_ask ON subscription_payments (ask_at, company_id) WHERE status = 'SCHEDULED' AND ask_at IS NOT NULL;
ALTER TABLE orders ADD FOREIGN KEY (company_id, scheduled_payment_id) REFERENCES subscription_payments;

CREATE TABLE payment_attempts (                       -- a try to collect a scheduled payment on a day
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  payment_id uuid NOT NULL,
  number integer NOT NULL CHECK (number > 0),         -- 1 for the first
  status text NOT NULL CHECK (status IN ('REQUESTED', 'SCHEDULED', 'PAID', 'REJECTED', 'CANCELED', 'EXPIRED')),
  kind text NOT NULL CHECK (kind IN ('AGND', 'NTAG', 'RIFL')), -- the first; after the due date; the same again after a failure
  collects_on date NOT NULL,
  message_id text NOT NULL,                           -- of the instruction, which is its name in the network
  end_to_end_id text,                                 -- given by the payer's bank when it schedules
  code text,                                          -- why it collected nothing, as the network said it
  asked integer NOT NULL DEFAULT 0,                   -- how often the network was asked what became of it
  ask_at timestamptz,                                 -- when next
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  closes_at timestamptz,                              -- when the last window of its day is over; NULL of what was made before that was kept
  rail text NOT NULL DEFAULT 'pix',                   -- of the subscription: who is asked
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, payment_id) REFERENCES subscription_payments
) WITH (fillfactor = 85);
CREATE UNIQUE INDEX payment_attempts_number_key ON payment_attempts (company_id, payment_id, number);
CREATE UNIQUE INDEX payment_attempts_message_id_key ON payment_attempts (company_id, message_id);
CREATE UNIQUE INDEX payment_attempts_one_open ON payment_attempts (company_id, payment_id) WHERE status IN ('REQUESTED', 'SCHEDULED');
CREATE INDEX payment_attempts_to_ask ON payment_attempts (ask_at, company_id) WHERE status IN ('REQUESTED', 'SCHEDULED');
CREATE UNIQUE INDEX subscription_cancellations_message_key ON subscription_cancellations (company_id, message_id)
  WHERE message_id IS NOT NULL;
CREATE INDEX subscription_cancellations_to_ask ON subscription_cancellations (ask_at, company_id) WHERE status = 'PENDING';

-- ───────────────────────────────────────────── events and their delivery ─────────────────────────────────────────────

CREATE TABLE events (                                 -- a fact told to the client, written in the transaction of the fact
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  type text NOT NULL,                                 -- ORDER-PAYIN.PAID, …
  reference_id uuid NOT NULL,
  url text,                                           -- the object's own; NULL: the company's for this type, or the feed alone
  body bytea,                                         -- the bytes that are sent, always the same; NULL once forgotten
  created_at timestamptz NOT NULL,
  xid bigint NOT NULL DEFAULT writing_xid(),
  PRIMARY KEY (company_id, id)
);
CREATE INDEX events_reference ON events (company_id, reference_id);
CREATE INDEX events_arrival ON events (company_id, xid, id);

CREATE TABLE event_numbers (                          -- the feed's dense numbers, given behind, in order of commit
  company_id uuid NOT NULL,
  sequence bigint NOT NULL CHECK (sequence > 0),
  event_id uuid NOT NULL,
  created_at timestamptz NOT NULL,                    -- the event's, or the next microsecond after the number before: rises with sequence
  PRIMARY KEY (company_id, sequence),
  UNIQUE (company_id, event_id),
  FOREIGN KEY (company_id, event_id) REFERENCES events
);

CREATE TABLE event_cursors (                          -- how far each company's events are numbered
  company_id uuid PRIMARY KEY REFERENCES companies,
  last_sequence bigint NOT NULL DEFAULT 0,
  last_created_at timestamptz NOT NULL DEFAULT '-infinity', -- of the event numbered last_sequence
  numbered_below_xid bigint NOT NULL DEFAULT 0,       -- every event of an older transaction has its number
  forgotten_below bigint NOT NULL DEFAULT 1           -- the feed begins here; bodies of smaller numbers are forgotten
);

CREATE TABLE event_eras (                             -- numbers that a company's feed leaves out, since events that were lost may have had them
  company_id uuid NOT NULL REFERENCES companies,
  id uuid NOT NULL,
  era timestamptz NOT NULL REFERENCES eras,           -- as it began
  last_before bigint NOT NULL,                        -- the last number that came back
  first_sequence bigint NOT NULL CHECK (first_sequence > last_before + 1), -- the first of the era
  told_at timestamptz,                                -- when the company was told of it, business time; NULL: it is due
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (company_id, id),
  UNIQUE (company_id, era)
);
CREATE INDEX event_eras_untold ON event_eras (company_id) WHERE told_at IS NULL;

CREATE TABLE forgotten_bodies (                       -- what stays of an event's body whose time is over
  company_id uuid NOT NULL,
  event_id uuid NOT NULL,
  sha256 bytea NOT NULL,                              -- of the bytes that were sent
  forgotten_at timestamptz NOT NULL,
  PRIMARY KEY (company_id, event_id),
  FOREIGN KEY (company_id, event_id) REFERENCES events
);

CREATE TABLE webhook_settings (                       -- where a company has events of a type sent that name no URL of their own
  company_id uuid NOT NULL REFERENCES companies,
  event text NOT NULL,                                -- ORDER-PAYIN.PAID, …
  url text,
  active boolean NOT NULL,                            -- false: not to this URL
  is_extra boolean NOT NULL,                          -- beyond interface.md: while not active, it is sent to no URL at all
  updated_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (company_id, event)
);

-- Where an event is sent: the object's own URL, else the company's; NULL: nowhere, it is told in the feed alone.
CREATE FUNCTION told_url(own text, companys text, active boolean, is_extra boolean) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
  'SELECT CASE WHEN active IS NOT FALSE THEN coalesce(own, companys) WHEN NOT is_extra THEN own END';

CREATE TABLE deliveries (                             -- one row for each event that is sent to a URL, born when it is numbered
  company_id uuid NOT NULL,
  id uuid NOT NULL,                                   -- the event's
  sequence bigint NOT NULL,
  reference_id uuid NOT NULL,
  url text NOT NULL,
  -- Stands for scheme, host and port of the URL: whose requests at once are limited. A number, so that who finds work
  -- across companies learns no names.
  endpoint bigint NOT NULL GENERATED ALWAYS AS (hashtextextended(lower(substring(url from '^[^/?#]*//[^/?#]*')), 0)) STORED,
  url_hash bigint NOT NULL GENERATED ALWAYS AS (hashtextextended(url, 0)) STORED, -- finds it: a URL may be too long for an index
  type text NOT NULL,
  status text NOT NULL CHECK (status IN ('PENDING', 'RETRYING', 'FAILED', 'DELIVERED')),
  attempts integer NOT NULL DEFAULT 0,                -- all attempts ever, x-delivery-attempt
  plan_attempts integer NOT NULL DEFAULT 0,           -- attempts of the present plan, at most 5
  due_at timestamptz,                                 -- when the next attempt is due; NULL when none is
  waits boolean NOT NULL DEFAULT false,               -- due_at is that of an earlier event of the object, which goes first
  sends integer NOT NULL DEFAULT 0,                   -- counted before anything is sent
  lease_token uuid,
  leased_until timestamptz,                           -- machine time
  created_at timestamptz NOT NULL,                    -- that of event_numbers: unique in the company, so that pages can go by it
  updated_at timestamptz,
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, id) REFERENCES events
) WITH (fillfactor = 70);
CREATE INDEX deliveries_due ON deliveries (due_at, company_id) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_of_endpoint ON deliveries (company_id, endpoint, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_in_order ON deliveries (company_id, reference_id, sequence) WHERE status IN ('PENDING', 'RETRYING');
CREATE INDEX deliveries_pending ON deliveries (company_id, created_at) WHERE status = 'PENDING'; -- one index in four parts: each row is in one
CREATE INDEX deliveries_retrying ON deliveries (company_id, created_at) WHERE status = 'RETRYING';
CREATE INDEX deliveries_failed ON deliveries (company_id, created_at) WHERE status = 'FAILED';
CREATE INDEX deliveries_delivered ON deliveries (company_id, created_at) WHERE status = 'DELIVERED';
CREATE INDEX deliveries_of_type ON deliveries (company_id, type, status, created_at);
CREATE INDEX deliveries_of_url ON deliveries (company_id, url_hash, status, created_at);

CREATE TABLE delivery_attempts (                      -- every attempt, for ever; what was said to it as long as the event's body
  company_id uuid NOT NULL,
  event_id uuid NOT NULL,
  number integer NOT NULL,
  status_code integer NOT NULL,                       -- 0: no HTTP answer
  message text NOT NULL,                              -- '' too once it is forgotten
  requested_at timestamptz NOT NULL,
  duration_ms integer NOT NULL,
  failure text CHECK (failure IN ('TIMEOUT', 'DNS_FAILURE', 'CONNECTION_REFUSED', 'CONNECTION_CLOSED', 'TLS_FAILURE', 'ADDRESS_REFUSED',
                                   'REDIRECT', 'TOO_LARGE', 'BAD_ACKNOWLEDGEMENT', 'BAD_STATUS')), -- NULL: acknowledged
  PRIMARY KEY (company_id, event_id, number),
  FOREIGN KEY (company_id, event_id) REFERENCES deliveries
);

CREATE TABLE webhook_circuits (                       -- endpoints that stopped answering a company's events; without a row: CLOSED
  company_id uuid NOT NULL REFERENCES companies,
  endpoint bigint NOT NULL,                           -- that of deliveries
  origin text NOT NULL,                               -- what it stands for: scheme, host and port
  state text NOT NULL CHECK (state IN ('CLOSED', 'OPEN', 'HALF_OPEN')),
  opened_at timestamptz NOT NULL,                     -- when it last opened
  failure text NOT NULL,                              -- how the last attempt that counted failed
  failed_probes integer NOT NULL DEFAULT 0,           -- since it opened
  probe_at timestamptz,                               -- when one delivery may try the endpoint; from HALF_OPEN: if that one is lost
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (company_id, endpoint),
  CHECK ((state = 'CLOSED') = (probe_at IS NULL))
);
CREATE INDEX webhook_circuits_open ON webhook_circuits (company_id, endpoint) WHERE state <> 'CLOSED';

CREATE TABLE erasures (                               -- that a person was erased where no law keeps the data: of how many rows; no data
  company_id uuid NOT NULL REFERENCES companies,
  id uuid NOT NULL,
  reference text NOT NULL,                            -- the number under which the person's request is kept elsewhere
  erased_by text NOT NULL,
  erased jsonb NOT NULL,                              -- how many rows of what were emptied
  kept jsonb NOT NULL,                                -- how many things stay as they are, by the ground
  created_at timestamptz NOT NULL,
  PRIMARY KEY (company_id, id)
);

CREATE TABLE erased_bodies (                          -- events from whose body a person was erased
  company_id uuid NOT NULL,
  event_id uuid NOT NULL,
  number integer NOT NULL CHECK (number > 0),         -- 1, 2, 3 … of each event: it may name two people
  erasure_id uuid NOT NULL,
  sha256 bytea NOT NULL,                              -- of the bytes before: of number 1 those that were sent
  left_sha256 bytea NOT NULL,                         -- of what was left
  PRIMARY KEY (company_id, event_id, number),
  FOREIGN KEY (company_id, event_id) REFERENCES events,
  FOREIGN KEY (company_id, erasure_id) REFERENCES erasures DEFERRABLE INITIALLY DEFERRED
);

-- What is due and not attempted, because its endpoint's circuit is not closed: for six hours at most, then it is attempted all
-- the same. What is on its way is not among them.
CREATE VIEW held_deliveries WITH (security_invoker = true) AS
  SELECT d.company_id, d.id, d.due_at FROM webhook_circuits c
    JOIN deliveries d ON d.company_id = c.company_id AND d.endpoint = c.endpoint
   WHERE c.state <> 'CLOSED' AND c.probe_at > (SELECT business_now())
     AND d.due_at <= (SELECT business_now()) AND d.due_at > (SELECT business_now()) - interval '6 hours'
     AND (d.leased_until IS NULL OR d.leased_until < (SELECT machine_now()));

-- ───────────────────────────────────────────── the networks ─────────────────────────────────────────────

CREATE TABLE outbox (                                 -- what is to be told to a network; its id there is fixed already
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  rail text NOT NULL,
  kind text NOT NULL,
  network_id text NOT NULL,                           -- the message's id: the same on every send
  reference_id uuid NOT NULL,
  body bytea NOT NULL,                                -- what is told, as rails/port.py writes it
  created_at timestamptz NOT NULL,
  due_at timestamptz,                                 -- NULL when done
  sends integer NOT NULL DEFAULT 0,                   -- counted before anything is sent
  lease_token uuid,
  leased_until timestamptz,                           -- machine time
  done_at timestamptz,
  outcome text,
  answered integer NOT NULL DEFAULT 0,                -- of the copies sent: never left, or were not taken, as the network said
  waits_for text,                                     -- not needed, or refused: copies that may arrive yet, or the reason of the refusal
  PRIMARY KEY (company_id, id)
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX outbox_network_id_key ON outbox (company_id, rail, network_id);
CREATE INDEX outbox_due ON outbox (due_at, company_id) WHERE due_at IS NOT NULL;
CREATE INDEX outbox_reference ON outbox (company_id, reference_id);

CREATE TABLE inbox (                                  -- what a network told us, stored before it is acknowledged
  company_id uuid NOT NULL,                           -- whose it is; the institution's where nobody else's
  id uuid NOT NULL,
  rail text NOT NULL,
  kind text NOT NULL,
  network_id text NOT NULL,                           -- the message's id: a second copy is dropped
  subject text NOT NULL,                              -- endToEndId or return id it is about
  txid text,                                          -- of the charge or code it names; of a charge without it: its location's token
  body bytea NOT NULL,                                -- what was told, as rails/port.py writes it; of kind unknown, as it came
  received_at timestamptz NOT NULL,
  due_at timestamptz,                                 -- NULL when done
  sends integer NOT NULL DEFAULT 0,                   -- how often it was taken in hand
  lease_token uuid,
  leased_until timestamptz,                           -- machine time
  done_at timestamptz,
  outcome text,
  PRIMARY KEY (company_id, id)
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX inbox_network_id_key ON inbox (company_id, rail, network_id);
CREATE INDEX inbox_due ON inbox (due_at, company_id) WHERE due_at IS NOT NULL;
CREATE INDEX inbox_subject ON inbox (subject);       -- a final message names the payment alone: whose is it?
CREATE INDEX inbox_open_txid ON inbox (company_id, txid) WHERE due_at IS NOT NULL;

-- ───────────────────────────────────────────── reconciliation ─────────────────────────────────────────────

CREATE TABLE statements (                             -- what a network or partner says of one of its days
  company_id uuid NOT NULL,                           -- the institution's: a day is of all companies together
  id uuid NOT NULL,
  rail text NOT NULL,
  day date NOT NULL,                                  -- of Brasilia's calendar
  state text NOT NULL CHECK (state IN ('TAKING', 'TAKEN')),
  edition integer NOT NULL DEFAULT 1 CHECK (edition > 0), -- one more each time that it is taken again
  currency text NOT NULL DEFAULT 'BRL',
  place text,                                         -- where its next page begins, in the partner's words; NULL: the first
  lines integer NOT NULL DEFAULT 0,                   -- taken so far, as the next two
  in_minor bigint NOT NULL DEFAULT 0,
  out_minor bigint NOT NULL DEFAULT 0,
  opening_minor bigint,                               -- what the partner says that we had there, before and after the day; NULL: it tells no balances
  closing_minor bigint,
  looks integer NOT NULL DEFAULT 0,                   -- how often it was looked whether what it said first is booked
  due_at timestamptz,                                 -- when a worker goes on with it; NULL: there is nothing to go on with
  sends integer NOT NULL DEFAULT 0,                   -- how often it was taken in hand
  lease_token uuid,
  leased_until timestamptz,                           -- machine time
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (company_id, id)
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX statements_day_key ON statements (company_id, rail, day);
CREATE INDEX statements_due ON statements (due_at, company_id) WHERE due_at IS NOT NULL;

CREATE TABLE statement_lines (                        -- every line of every statement, for ever: it explains its day
  company_id uuid NOT NULL,                           -- whose movement it is; the institution's where nobody else's
  id uuid NOT NULL,
  statement_id uuid NOT NULL,                         -- the institution's row
  edition integer NOT NULL,
  line_id text NOT NULL,                              -- the partner's own id of it
  rail text NOT NULL,
  day date NOT NULL,
  kind text NOT NULL CHECK (kind IN ('IN', 'OUT', 'RETURN_IN', 'RETURN_OUT', 'CHARGEBACK', 'FEE')),
  network_id text NOT NULL,                           -- endToEndId, control number, payment id or return id
  reference text,                                     -- txid, number of the STR, nosso número, or what a return gives back
  amount_minor bigint NOT NULL CHECK (amount_minor > 0),
  currency text NOT NULL,
  settled_at timestamptz NOT NULL,
  verdict text NOT NULL,                              -- MATCHED, COST, or how it differed from the books when it was taken
  object_id uuid,                                     -- what of ours it is
  is_current boolean NOT NULL DEFAULT true,           -- false: its statement was taken again since
  created_at timestamptz NOT NULL,
  PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX statement_lines_line_key ON statement_lines (company_id, statement_id, edition, line_id);
CREATE INDEX statement_lines_network_id ON statement_lines (company_id, rail, kind, network_id);

CREATE TABLE statement_items (                        -- a difference between a statement and the books
  company_id uuid NOT NULL,
  id uuid NOT NULL,
  statement_id uuid NOT NULL,                         -- the institution's row
  rail text NOT NULL,
  day date NOT NULL,
  kind text NOT NULL,                                 -- of line
  network_id text NOT NULL,
  difference text NOT NULL CHECK (difference IN ('UNHEARD', 'UNTOLD', 'MISSING', 'TWICE', 'AMOUNT', 'REFERENCE', 'CONTRADICTED', 'UNKNOWN')),
  state text NOT NULL CHECK (state IN ('OPEN', 'EXPLAINED', 'BOOKED', 'ACCEPTED')),
  line_id text,                                       -- the partner's line; NULL where it has none
  object_id uuid,                                     -- ours; NULL where we have none
  currency text NOT NULL,
  theirs_minor bigint,
  ours_minor bigint,
  theirs text,                                        -- references, as either side has them
  ours text,
  ours_state text,                                    -- of our object when it was compared
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (company_id, id),
  CHECK (line_id IS NOT NULL OR object_id IS NOT NULL)
);
CREATE UNIQUE INDEX statement_items_one_open ON statement_items (company_id, rail, kind, network_id, difference) WHERE state = 'OPEN';
CREATE INDEX statement_items_open ON statement_items (created_at, company_id) WHERE state = 'OPEN';
CREATE INDEX statement_items_network_id ON statement_items (company_id, rail, kind, network_id);
CREATE INDEX statement_items_of_day ON statement_items (company_id, rail, day);
-- What was settled on a day, to be looked for in its statement.
CREATE INDEX pix_payments_settled ON pix_payments USING brin (settled_at);
CREATE INDEX payouts_paid ON payouts USING brin (paid_at);
CREATE INDEX refunds_moved ON refunds USING brin (updated_at);
CREATE INDEX payout_returns_settled ON payout_returns USING brin (settled_at);

-- ───────────────────────────────────────────── answers given ─────────────────────────────────────────────

CREATE TABLE answers (                                -- idempotency: what was answered under a key, byte for byte
  company_id uuid NOT NULL,
  operation text NOT NULL,
  key text NOT NULL,
  fingerprint bytea NOT NULL,                         -- keyed hash of the request as parsed
  status integer NOT NULL,                            -- 400: a no that counted; body says which
  body bytea,                                         -- NULL once its time is over; the key still answers with object_id
  object_id uuid NOT NULL,
  keep text NOT NULL CHECK (keep IN ('forever', 'month', 'week')),
  created_at timestamptz NOT NULL,
  PRIMARY KEY (company_id, operation, key)
) WITH (toast_tuple_target = 4096);
CREATE INDEX answers_to_forget ON answers (company_id, keep, created_at) WHERE body IS NOT NULL AND keep <> 'forever';

-- ───────────────────────────────────────────── people of the console ─────────────────────────────────────────────
-- None of these tables but the last is a company's: who works for the institution sees several, and who it is must be known
-- before a company is. All their times are machine time.

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

CREATE TABLE people_ended (                           -- reference table: who may enter no longer, for what companies ask of their approvers
  act_id uuid PRIMARY KEY,                            -- the act that ends the person; written before it, and removed if it is refused
  person_id uuid NOT NULL,
  ended_at timestamptz NOT NULL
);
CREATE INDEX people_ended_of ON people_ended (person_id);

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
  detail jsonb,                                       -- what was chosen, about how much, of which object; no words of a person
  PRIMARY KEY (company_id, id)
);
CREATE INDEX console_acts_by_time ON console_acts (company_id, created_at, id);

-- ───────────────────────────────────────────── doors ─────────────────────────────────────────────

-- Raises where a guard did not hit what it should: a guard that hits no row would not stop its siblings.
CREATE FUNCTION demand(name text, expected bigint, counted bigint) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF expected <> counted THEN
    RAISE EXCEPTION '%: expected %, counted %', name, expected, counted USING ERRCODE = 'LA409', CONSTRAINT = name;
  END IF;
  RETURN true;
END $$;

-- Uses limits, or gives back: each is looked at and written under the lock of its row. mosts: above it nothing is written.
-- To use nothing of a limit is to say how much others may have used of it.
CREATE FUNCTION use_quotas(company uuid, owners uuid[], kinds text[], periods text[], amounts bigint[], mosts bigint[])
RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  q record;
  used bigint;
BEGIN
  FOR q IN SELECT * FROM unnest(owners, kinds, periods, amounts, mosts) AS u(owner, kind, period, amount, most) LOOP
    INSERT INTO quotas AS t (company_id, owner_id, kind, period, used_minor)
    VALUES (company, q.owner, q.kind, q.period, greatest(q.amount, 0))
        ON CONFLICT (company_id, owner_id, kind, period) DO UPDATE SET used_minor = t.used_minor + q.amount
    RETURNING used_minor INTO used;
    IF q.amount >= 0 AND used > q.most THEN
      RAISE EXCEPTION '%', q.kind USING ERRCODE = 'LA403', DETAIL = greatest(q.most - used + q.amount, 0)::text;
    END IF;
  END LOOP;
  RETURN true;
END $$;

-- Raises where another payout like this one was made within so long: two requests at once have both found none. Whoever looks
-- holds the likeness until the commit; the look is a statement of its own, and sees what was committed meanwhile. Alike is
-- what one receiver gets, however it was named; two dynamic QRs are two charges, each paid once by its own bank.
CREATE FUNCTION unrepeated_payout(company uuid, payout uuid, within interval) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(p.likeness) FROM payouts p WHERE p.company_id = company AND p.id = payout;
  IF EXISTS (
    SELECT 1 FROM payouts n JOIN parties nr ON nr.company_id = n.company_id AND nr.id = n.receiver_id
      JOIN payouts p ON p.company_id = n.company_id AND p.likeness = n.likeness AND p.created_at > n.created_at - within
      JOIN parties r ON r.company_id = p.company_id AND r.id = p.receiver_id
     WHERE n.company_id = company AND n.id = payout AND p.id <> n.id AND p.account_id = n.account_id AND p.batch_id IS NULL
       AND p.payment_method = n.payment_method AND p.amount_minor = n.amount_minor
       AND p.status NOT IN ('ERROR', 'CANCELED', 'EXPIRED')
       AND r.document_number = nr.document_number AND r.bank ->> 'ispb' = nr.bank ->> 'ispb'
       AND ltrim(r.bank ->> 'account', '0') = ltrim(nr.bank ->> 'account', '0')
       AND NOT (p.initiation = 'DYNAMIC_QR' AND n.initiation = 'DYNAMIC_QR')) THEN
    RAISE EXCEPTION 'a payout like % was made meanwhile', payout USING ERRCODE = 'LA409', CONSTRAINT = 'payouts';
  END IF;
  RETURN true;
END $$;

-- Takes a token from each bucket before the directory is asked, or from none. The last bucket is the payer's, which gets `back`
-- tokens again when the payment is sent. refills: tokens a second. names: in their order, so that nobody waits in a ring.
-- is_unknown: the key was not there lately; seconds: until the emptiest bucket has a token. In both cases nothing is taken.
CREATE FUNCTION directory_take(asked_key text, look_up text, names text[], refills double precision[],
                               capacities double precision[], back integer, OUT is_unknown boolean, OUT seconds integer)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  at timestamptz;
BEGIN
  -- The participant's row is everybody's: nobody waits for a disk on it. What a crash forgets, the directory says again.
  PERFORM set_config('synchronous_commit', 'off', true);
  is_unknown := EXISTS (SELECT 1 FROM directory_unknown u WHERE u.key_hash = asked_key AND u.until > machine_now());
  IF is_unknown THEN RETURN; END IF;
  INSERT INTO directory_buckets (name, tokens, filled_at)
  SELECT u.name, u.capacity, machine_now() FROM unnest(names, capacities) AS u(name, capacity) ON CONFLICT DO NOTHING;
  PERFORM 1 FROM directory_buckets b WHERE b.name = ANY (names) ORDER BY b.name FOR UPDATE;
  at := machine_now();
  SELECT greatest(ceil(max((1 - least(u.capacity, b.tokens + extract(epoch FROM at - b.filled_at) * u.refill)) / u.refill)), 0)
    INTO seconds FROM unnest(names, refills, capacities) AS u(name, refill, capacity) JOIN directory_buckets b USING (name);
  IF seconds > 0 THEN RETURN; END IF;
  seconds := NULL;
  UPDATE directory_buckets b
     SET tokens = least(u.capacity, b.tokens + extract(epoch FROM at - b.filled_at) * u.refill) - 1, filled_at = at
    FROM unnest(names, refills, capacities) AS u(name, refill, capacity) WHERE b.name = u.name;
  INSERT INTO directory_look_ups (end_to_end_id, bucket, back, asked_at, also)
  VALUES (look_up, names[cardinality(names)], directory_take.back, at, names[:cardinality(names) - 1])
      ON CONFLICT (end_to_end_id) DO UPDATE SET bucket = excluded.bucket, asked_at = excluded.asked_at, also = excluded.also;
  DELETE FROM directory_look_ups l WHERE l.end_to_end_id IN (
    SELECT o.end_to_end_id FROM directory_look_ups o WHERE o.asked_at < at - interval '1 day'
     ORDER BY o.asked_at LIMIT 4 FOR UPDATE SKIP LOCKED);
END $$;

-- What a look-up cost beyond its one token, once that is known. unknown_key: remembered as not there for so long; NULL: it is.
CREATE FUNCTION directory_settle(names text[], costs double precision[], unknown_key text, remembered interval) RETURNS void
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM 1 FROM directory_buckets b WHERE b.name = ANY (names) ORDER BY b.name FOR UPDATE;
  UPDATE directory_buckets b SET tokens = greatest(b.tokens - u.cost, 0)
    FROM unnest(names, costs) AS u(name, cost) WHERE b.name = u.name;
  IF unknown_key IS NULL THEN RETURN; END IF;
  INSERT INTO directory_unknown (key_hash, until) VALUES (unknown_key, machine_now() + remembered)
      ON CONFLICT (key_hash) DO UPDATE SET until = excluded.until;
  DELETE FROM directory_unknown u WHERE u.key_hash IN (
    SELECT o.key_hash FROM directory_unknown o WHERE o.until < machine_now() ORDER BY o.until LIMIT 4 FOR UPDATE SKIP LOCKED);
END $$;

-- The payments that these look-ups were for have been sent: their payers get tokens back, and the participant one, once for
-- each (DICT API 2.12.1, "Regras de contagem das políticas"). The next look-up keeps to the capacity. Buckets are locked in the
-- order of their names, as for a look-up.
CREATE FUNCTION directory_sent(look_ups text[]) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  WITH paid AS (DELETE FROM directory_look_ups l WHERE l.end_to_end_id = ANY (look_ups) RETURNING l.bucket, l.back, l.also),
  given AS (SELECT u.name, sum(u.back) AS tokens FROM paid p
             CROSS JOIN LATERAL (SELECT p.bucket AS name, p.back UNION ALL SELECT a.name, 1 FROM unnest(p.also) AS a(name)) u
             GROUP BY u.name),
  held AS MATERIALIZED (
    SELECT b.name, g.tokens FROM directory_buckets b JOIN given g USING (name) ORDER BY b.name FOR UPDATE OF b)
  UPDATE directory_buckets b SET tokens = b.tokens + held.tokens FROM held WHERE b.name = held.name;
END $$;

-- Raises where a decision has grown old before it was written: a list that goes forward trusts that whoever was given a time
-- two seconds ago has committed by now. written: how many rows, so that they are there before the time is looked at.
CREATE FUNCTION timely(decided_at timestamptz, VARIADIC written bigint[] DEFAULT '{}') RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM FROM clock c WHERE machine_now() + c.offset_us * interval '1 microsecond' - decided_at > interval '1 second';
  IF FOUND THEN PERFORM demand('timely', 1, 0); END IF;
  RETURN true;
END $$;

-- The same of a write with transfers. One that comes behind the watermark of its company's entries says so: the server's clock
-- has stepped back. Entries are made of transfers alone, so no other write looks for the watermark.
CREATE FUNCTION timely_transfers(decided_at timestamptz, VARIADIC written bigint[] DEFAULT '{}') RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  complete timestamptz;
BEGIN
  PERFORM timely(decided_at, VARIADIC written);
  complete := greatest(
    (SELECT greatest(c.entered_until, c.proven_until, c.marked_at - interval '1 second') FROM entry_cursors c WHERE c.company_id = tenant()),
    (SELECT t.created_at FROM transfers t WHERE t.company_id = tenant() ORDER BY t.created_at DESC LIMIT 1) - interval '1 second');
  IF decided_at < complete THEN
    INSERT INTO entries_behind (company_id, decided_at, watermark) VALUES (tenant(), decided_at, complete);
  END IF;
  RETURN true;
END $$;

-- Sets the company for this session and says what time it is.
CREATE FUNCTION door_enter(company uuid, OUT at timestamptz, OUT clock_version bigint) LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM set_config('lastro.company', company::text, false);
  SELECT machine_now() + c.offset_us * interval '1 microsecond', c.version INTO at, clock_version FROM clock c;
END $$;

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

-- What stands in the way of closing an account (states.md 8): money in any currency, and what is unfinished. One statement, so
-- one snapshot: what ends meanwhile is seen with its money or without it, never neither. No row: it may be closed.
CREATE FUNCTION account_obstacles(company uuid, account uuid)
RETURNS TABLE (kind text, currency text, minor bigint, items bigint) LANGUAGE sql STABLE AS $$
  WITH has AS (
    SELECT l.code, l.currency, b.held, b.owed,
           b.credits_folded + credit_tail(b.company_id, b.ledger_account_id, b.fold_xid, NULL) - b.debits - b.held AS free
      FROM ledger_accounts l JOIN balances b ON b.company_id = l.company_id AND b.ledger_account_id = l.id
     WHERE l.company_id = company AND l.account_id = account AND l.code IN ('CUST', 'BLOCK')),
  money AS (
    SELECT 'AVAILABLE' AS kind, h.currency, h.free AS minor FROM has h WHERE h.code = 'CUST'
    UNION ALL SELECT 'HELD', h.currency, h.held FROM has h WHERE h.code = 'CUST'
    UNION ALL SELECT 'BLOCKED', h.currency, h.free + h.held FROM has h WHERE h.code = 'BLOCK'
    UNION ALL SELECT 'OWED', h.currency, h.owed FROM has h WHERE h.code = 'CUST'),
  work AS (
    SELECT 'PAYOUTS' AS kind, count(*) AS items FROM payouts p
     WHERE p.company_id = company AND p.account_id = account AND p.batch_id IS NULL AND p.status IN ('INITIAL', 'PENDING', 'ANALYSIS')
    UNION ALL
    SELECT 'PLANS', count(DISTINCT p.id) FROM payout_plans p
      JOIN payout_plan_lines l ON l.company_id = p.company_id AND l.plan_id = p.id AND l.payout_id IS NULL AND l.issues IS NULL
     WHERE p.company_id = company AND p.status = 'APPLYING' AND l.account_id = account
    UNION ALL
    SELECT 'REFUNDS', count(*) FROM refunds r JOIN orders o ON o.company_id = r.company_id AND o.id = r.order_id
     WHERE r.company_id = company AND r.state = 'PENDING' AND r.origin = 'CLIENT' AND o.account_id = account
    UNION ALL
    SELECT 'PAYMENTS', count(*) FROM pix_payments p
     WHERE p.company_id = company AND p.state = 'ACCEPTED' AND p.account_id = account
    UNION ALL -- part of it is in, its payer is being asked, or its card charged
    SELECT 'ORDERS', count(*) FROM orders o
     WHERE o.company_id = company AND o.account_id = account AND o.scheduled_payment_id IS NULL
       AND (o.status IN ('PENDING', 'AUTHENTICATING')
            OR o.status = 'INITIAL' AND EXISTS (SELECT 1 FROM card_payments c WHERE c.company_id = o.company_id AND c.order_id = o.id
                                                   AND c.state = 'AUTHENTICATED'))
    UNION ALL
    SELECT 'SCHEDULED_PAYMENTS', count(*) FROM subscriptions s
      JOIN subscription_payments p ON p.company_id = s.company_id AND p.subscription_id = s.id AND p.status IN ('SCHEDULED', 'PENDING')
     WHERE s.company_id = company AND s.account_id = account
    UNION ALL
    SELECT 'DISPUTES', count(*) FROM med_objects d
     WHERE d.company_id = company AND d.account_id = account
       AND (d.status IN ('CREATED', 'TRACED', 'WAITING_ANALYSIS', 'WAITING_REFUND', 'OPEN', 'RECEIVED') OR d.blocked_minor > 0
            OR d.object_type = 'RECOVERY_VALUE' AND d.status = 'ANALYSED'))
  SELECT m.kind, m.currency, m.minor, NULL::bigint FROM money m WHERE m.minor <> 0
  UNION ALL
  SELECT w.kind, NULL, NULL, w.items FROM work w WHERE w.items > 0
$$;

-- How many keys an account has, and will have by claims of its own.
CREATE FUNCTION key_count(company uuid, account uuid) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT (SELECT count(*) FROM pix_keys WHERE company_id = company AND account_id = account AND status = 'ACTIVE')
       + (SELECT count(*) FROM key_claims WHERE company_id = company AND account_id = account AND role = 'CLAIMER'
                                            AND status IN ('OPEN', 'WAITING_RESOLUTION', 'CONFIRMED'))
$$;

-- How much of a payment that came disputes block, but for what is on its way back.
CREATE FUNCTION blocked_of(company uuid, payment uuid) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(m.blocked_minor), 0)::bigint FROM pix_payments p
    JOIN med_objects m ON m.company_id = p.company_id AND m.end_to_end_id = p.end_to_end_id
   WHERE p.company_id = company AND p.id = payment AND m.role = 'RECEIVER' AND m.later_refund_id IS NULL
     AND (m.refund_id IS NULL OR m.watched_since IS NOT NULL)
$$;

-- The first part of every write: enters, and refuses unless each row the write relied on is still at the version it read.
-- Rows relied on stay share-locked until the commit. NULL for a version means: not relied on.
CREATE FUNCTION door_commit(company uuid, client text, client_version bigint, clock_version bigint,
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
      WHEN 'connection_keys' THEN
        PERFORM 1 FROM connection_keys WHERE company_id = company AND id = ids[i] AND version = versions[i] FOR SHARE;
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

-- Leaves out so many numbers of a sequence; returns the next one. Where each server gives out every so manieth number, the next one is
-- this server's own all the same.
CREATE FUNCTION skip_numbers(counter regclass, many bigint) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  step bigint := (SELECT seqincrement FROM pg_sequence WHERE seqrelid = counter);
  last bigint;
BEGIN
  EXECUTE format('SELECT last_value FROM %s', counter) INTO last;
  RETURN step + setval(counter, last + step * many);
END $$;

-- Begins an era, after a restore: the counters of the whole installation are moved on, above all that can have been given out since
-- lost_since (without it: since the last beat that came back). For each second lost, 4,000 numbers for networks, one account number
-- and one company number; some more, so that clocks need not agree to ten seconds. What is due by now waits for people. Run as the owner, begin_era_of of each company
-- behind it in the same transaction.
CREATE FUNCTION begin_era(lost_since timestamptz DEFAULT NULL) RETURNS eras LANGUAGE plpgsql VOLATILE AS $$
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
  made.network_ids_from := skip_numbers('network_ids_seq', 4000 * (lost + 10));
  made.account_numbers_from := skip_numbers('account_numbers_seq', 10000 + lost);
  made.company_numbers_from := made.company_numbers_before + 1000 + lost;
  INSERT INTO eras SELECT made.*;
  UPDATE beats SET era = made.began_at, at = made.began_at, server = NULL, timeline = NULL;
  RETURN made;
END $$;

-- How many seconds an era counts as lost: of what is older than 40 days no copy is put back into work.
CREATE FUNCTION lost_seconds(made eras) RETURNS bigint LANGUAGE sql IMMUTABLE AS
  'SELECT least(ceil(extract(epoch FROM made.began_at - made.lost_from)), 3456000)::bigint';

-- What was to be begun by then and moves money waits for people.
CREATE FUNCTION held_until() RETURNS timestamptz LANGUAGE sql STABLE AS
  'SELECT coalesce(max(held_until), ''-infinity'') FROM eras WHERE released_at IS NULL';

-- What the present era's beginning changes in one company: the feed leaves out numbers, a million and 1,000 more for each second lost, and what
-- waits to be sent for the first time may have been sent, so that its network is asked first. Returns how much that is. It sets the
-- company for this session.
CREATE FUNCTION begin_era_of(company uuid) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  made eras;
  last bigint;
  doubted bigint;
BEGIN
  PERFORM set_config('lastro.company', company::text, false);
  IF NOT EXISTS (SELECT FROM companies c WHERE c.company_id = company) THEN
    RETURN 0; -- a crash has left its number alone
  END IF;
  SELECT * INTO made FROM eras ORDER BY began_at DESC LIMIT 1;
  INSERT INTO event_cursors AS c (company_id, last_sequence) VALUES (company, 1000000 + 1000 * lost_seconds(made))
    ON CONFLICT (company_id) DO UPDATE SET last_sequence = c.last_sequence + excluded.last_sequence RETURNING last_sequence INTO last;
  INSERT INTO event_eras (company_id, id, era, last_before, first_sequence)
  VALUES (company, gen_random_uuid(), made.began_at, last - 1000000 - 1000 * lost_seconds(made), last + 1);
  UPDATE outbox SET sends = 1 WHERE company_id = company AND due_at IS NOT NULL AND sends = 0;
  GET DIAGNOSTICS doubted = ROW_COUNT;
  RETURN doubted;
END $$;

-- Numbers one company's committed events in order of their transactions, and bears their deliveries. A transaction's id
-- is taken when it writes first and a later event of the same object can only be written after the earlier committed,
-- so this order is the order of each object's facts. createdAt rises with the number: an event decided earlier but numbered
-- later takes the next free microsecond. Companies are numbered by one session at a time, so that what is numbered is
-- never followed by something older, and a page that goes by createdAt misses nothing. Returns how many it numbered, n; as
-- -1 - n where there is more that waits for an older transaction: its number can be had in a moment. It sets the company for
-- this session.
CREATE FUNCTION number_events(company uuid, reach integer) RETURNS integer LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  below bigint;
  last bigint;
  latest timestamptz;
  horizon bigint;
  newest bigint;
  numbered integer;
BEGIN
  PERFORM set_config('lastro.company', company::text, false);
  SELECT numbered_below_xid, last_sequence, last_created_at INTO below, last, latest
    FROM event_cursors WHERE company_id = company FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN -- the first time, or another session is at it
    INSERT INTO event_cursors (company_id) VALUES (company) ON CONFLICT DO NOTHING
      RETURNING numbered_below_xid, last_sequence, last_created_at INTO below, last, latest;
    IF NOT FOUND THEN RETURN 0; END IF;
  END IF;
  horizon := settled_xid();
  WITH arrived AS MATERIALIZED (
    SELECT e.id, e.xid, e.type, e.reference_id, e.url, e.created_at, row_number() OVER (ORDER BY e.xid, e.id) AS place
      FROM events e
     WHERE e.company_id = company AND e.xid >= below AND e.xid < horizon
       AND NOT EXISTS (SELECT 1 FROM event_numbers n WHERE n.company_id = company AND n.event_id = e.id)
     ORDER BY e.xid, e.id LIMIT reach),
  placed AS MATERIALIZED (
    SELECT a.*, last + place AS sequence,
           greatest(latest, max(created_at - place * interval '1 microsecond') OVER (ORDER BY place))
             + place * interval '1 microsecond' AS unique_at
      FROM arrived a),
  given AS (
    INSERT INTO event_numbers (company_id, sequence, event_id, created_at)
    SELECT company, sequence, id, unique_at FROM placed RETURNING 1),
  born AS (
    INSERT INTO deliveries (company_id, id, sequence, reference_id, url, type, status, due_at, created_at)
    SELECT company, p.id, p.sequence, p.reference_id, told.url, p.type, 'PENDING', p.created_at, p.unique_at
      FROM placed p
      LEFT JOIN webhook_settings s ON s.company_id = company AND s.event = p.type
     CROSS JOIN LATERAL (SELECT told_url(p.url, s.url, s.active, s.is_extra) AS url) told
     WHERE told.url IS NOT NULL RETURNING 1)
  SELECT count(*), max(xid), greatest(latest, max(unique_at)) INTO numbered, newest, latest FROM placed;
  UPDATE event_cursors
     SET last_sequence = last_sequence + numbered, last_created_at = latest,
         numbered_below_xid = CASE WHEN numbered = reach THEN newest ELSE horizon END
   WHERE company_id = company;
  PERFORM 1 FROM events e WHERE e.company_id = company AND e.xid >= horizon LIMIT 1;
  RETURN CASE WHEN FOUND THEN -1 - numbered ELSE numbered END;
END $$;

-- Forgets bodies that are older than so long, up to `reach` numbers from where the feed begins, and what receivers said to them:
-- their hashes stay, and the feed begins behind them. It stops at an event that may still be sent. A delivery's version rises with it, so that a resend
-- which saw the body is decided anew. Returns how many it forgot; 0 also when another session is at this company.
CREATE FUNCTION forget_events(company uuid, older_than interval, reach integer) RETURNS integer LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  first bigint;
  forgotten integer;
  highest bigint;
BEGIN
  SELECT forgotten_below INTO first FROM event_cursors WHERE company_id = company FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN 0; END IF;
  IF NOT EXISTS (SELECT 1 FROM event_numbers WHERE company_id = company AND sequence >= first AND sequence < first + reach) THEN
    SELECT min(sequence) INTO first FROM event_numbers WHERE company_id = company AND sequence >= first; -- an era that began left the others out
    IF first IS NULL THEN RETURN 0; END IF;
  END IF;
  WITH old AS MATERIALIZED (
    SELECT n.sequence, n.event_id FROM event_numbers n
     WHERE n.company_id = company AND n.sequence >= first AND n.sequence < first + reach
       AND n.created_at < (SELECT business_now()) - older_than),
  held AS MATERIALIZED (
    SELECT o.sequence, d.status FROM old o JOIN deliveries d ON d.company_id = company AND d.id = o.event_id
       FOR NO KEY UPDATE OF d),
  gone AS MATERIALIZED (
    SELECT o.event_id, o.sequence FROM old o
     WHERE o.sequence < coalesce((SELECT min(h.sequence) FROM held h WHERE h.status IN ('PENDING', 'RETRYING')), first + reach)),
  hashed AS (
    INSERT INTO forgotten_bodies (company_id, event_id, sha256, forgotten_at)
    SELECT company, g.event_id, sha256(e.body), (SELECT business_now())
      FROM gone g JOIN events e ON e.company_id = company AND e.id = g.event_id),
  emptied AS (UPDATE events e SET body = NULL FROM gone g WHERE e.company_id = company AND e.id = g.event_id),
  silenced AS (UPDATE delivery_attempts t SET message = '' FROM gone g WHERE t.company_id = company AND t.event_id = g.event_id),
  marked AS (UPDATE deliveries d SET version = d.version + 1 FROM gone g WHERE d.company_id = company AND d.id = g.event_id)
  SELECT count(*), max(sequence) INTO forgotten, highest FROM gone;
  UPDATE event_cursors SET forgotten_below = highest + 1 WHERE company_id = company AND forgotten > 0;
  RETURN forgotten;
END $$;

-- Whether these bytes are what an erasure has left of an event's body: nothing else may stand in its place. A function, since Citus
-- spreads no table whose policy asks a query.
CREATE FUNCTION is_left_by_erasure(company uuid, event uuid, bytes bytea) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT 1 FROM erased_bodies b WHERE b.company_id = company AND b.event_id = event AND b.left_sha256 = sha256(bytes))
$$;

-- What these people are here, and why it has to stay: IN_USE, it has not ended, or a message about it is still due; OPERATION, money was moved or asked for at a
-- network (Circular 3.978, Art. 67: ten years from the first day of the year after); RELATION, an account (the same, from its
-- closing). until: when the ground ends; NULL, while it has no end yet. ground NULL: nothing keeps it.
CREATE FUNCTION people_held(company uuid, people uuid[], years integer)
RETURNS TABLE (party_id uuid, thing text, role text, object_id uuid, status text, created_at timestamptz, ground text, until timestamptz)
LANGUAGE sql STABLE AS $$
  WITH telling AS (                                   -- what a network is still to be told something of
    SELECT coalesce(c.subscription_id, p.subscription_id, m.reference_id) AS id FROM outbox m
      LEFT JOIN subscription_cancellations c ON c.company_id = company AND c.id = m.reference_id
      LEFT JOIN payment_attempts a ON a.company_id = company AND a.id = m.reference_id
      LEFT JOIN subscription_payments p ON p.company_id = company AND p.id = coalesce(a.payment_id, m.reference_id)
     WHERE m.company_id = company AND m.due_at IS NOT NULL),
  found AS (
    SELECT w.party_id, 'order' AS thing, w.role, o.id, o.status, o.created_at, o.updated_at AS ended_at,
           CASE WHEN o.status IN ('INITIAL', 'PENDING', 'AUTHENTICATING') THEN 'IN_USE'
                WHEN o.paid_minor IS NOT NULL OR EXISTS (SELECT 1 FROM pix_payments p WHERE p.company_id = company
                       AND p.order_id = o.id AND p.state NOT IN ('REFUSED', 'FAILED') OFFSET 0) THEN 'OPERATION' END AS ground
      FROM orders o CROSS JOIN LATERAL (VALUES (o.customer_id, 'customer'), (o.payer_id, 'payer')) w(party_id, role)
     WHERE o.company_id = company AND w.party_id = ANY (people)
    UNION ALL
    SELECT p.payer_id, 'payment', 'payer', p.id, p.state, p.created_at, p.updated_at,
           CASE WHEN p.state IN ('ACCEPTED', 'HELD', 'RETURNING', 'STRANDED') THEN 'IN_USE' ELSE 'OPERATION' END
      FROM pix_payments p WHERE p.company_id = company AND p.payer_id = ANY (people)
    UNION ALL
    SELECT p.receiver_id, 'payout', 'receiver', p.id, p.status, p.created_at, p.updated_at,
           CASE WHEN p.status IN ('INITIAL', 'PENDING', 'ANALYSIS') THEN 'IN_USE'
                WHEN p.message_id IS NOT NULL OR p.paid_at IS NOT NULL THEN 'OPERATION' END
      FROM payouts p WHERE p.company_id = company AND p.receiver_id = ANY (people)
    UNION ALL
    SELECT r.receiver_id, 'refund', 'receiver', r.id, r.state, r.created_at, r.updated_at,
           CASE r.state WHEN 'PENDING' THEN 'IN_USE' ELSE 'OPERATION' END
      FROM refunds r WHERE r.company_id = company AND r.receiver_id = ANY (people)
    UNION ALL
    SELECT m.receiver_id, 'dispute', 'victim', m.id, m.status, m.created_at, m.updated_at,
           CASE m.status WHEN 'OPEN' THEN 'IN_USE' ELSE 'OPERATION' END
      FROM med_objects m WHERE m.company_id = company AND m.receiver_id = ANY (people)
    UNION ALL                                         -- a defense says what was sold to whom: it goes with the payment's payer
    SELECT p.payer_id, 'dispute', 'payer', m.id, m.status, m.created_at, m.updated_at,
           CASE WHEN m.status IN ('OPEN', 'RECEIVED') THEN 'IN_USE' ELSE 'OPERATION' END
      FROM pix_payments p JOIN med_objects m ON m.company_id = company AND m.end_to_end_id = p.end_to_end_id
                                            AND m.object_type = 'INFRINGEMENT_NOTIFICATION' AND m.role = 'RECEIVER'
     WHERE p.company_id = company AND p.payer_id = ANY (people)
    UNION ALL
    SELECT w.party_id, 'subscription', w.role, s.id, s.status, s.created_at, s.updated_at,
           CASE WHEN s.status IN ('INITIAL', 'PENDING_AUTHORIZATION', 'ACCEPTED') THEN 'IN_USE'
                WHEN s.accepted_at IS NOT NULL THEN 'OPERATION' END
      FROM subscriptions s CROSS JOIN LATERAL (
        SELECT s.debtor_id, 'debtor' UNION ALL SELECT s.named_payer_id, 'expected payer' UNION ALL SELECT s.payer_id, 'payer'
        UNION ALL SELECT c.requested_by_id, 'canceler' FROM subscription_cancellations c
                   WHERE c.company_id = company AND c.subscription_id = s.id) w(party_id, role)
     WHERE s.company_id = company AND w.party_id = ANY (people)
    UNION ALL
    SELECT w.party_id, 'accountRequest', w.role, r.id, r.status, r.created_at, c.updated_at,
           CASE WHEN r.status = 'APPROVED' THEN 'RELATION' WHEN r.status = 'REPROVED' AND (r.expires_at > business_now()) IS NOT TRUE THEN NULL
                ELSE 'IN_USE' END
      FROM account_requests r
     CROSS JOIN LATERAL (SELECT r.party_id, 'holder' UNION ALL SELECT unnest(r.representative_ids), 'representative') w(party_id, role)
      LEFT JOIN account_close_requests c ON c.company_id = r.company_id AND c.account_id = r.account_id AND c.status = 'COMPLETED'
     WHERE r.company_id = company AND w.party_id = ANY (people))
  SELECT party_id, thing, role, id, status, created_at, held.ground,
         CASE WHEN held.ground IN ('OPERATION', 'RELATION') THEN
           (date_trunc('year', ended_at AT TIME ZONE 'America/Sao_Paulo') + make_interval(years => years + 1)) AT TIME ZONE 'America/Sao_Paulo'
         END
    FROM found CROSS JOIN LATERAL (SELECT CASE WHEN id IN (SELECT t.id FROM telling t) THEN 'IN_USE' ELSE found.ground END AS ground) held
$$;

-- The same JSON with other words in place of some, each a key with its whole value, as in "name":"Bento": what a client called a
-- thing, or a status, may be the same text under another key.
CREATE FUNCTION worded_anew(body bytea, words text[], instead text[]) RETURNS bytea LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  says text := convert_from(body, 'UTF8');
BEGIN
  FOR i IN 1 .. coalesce(cardinality(words), 0) LOOP
    says := replace(says, words[i], instead[i]);
  END LOOP;
  RETURN convert_to(says, 'UTF8');
END $$;

-- How an order that nobody asked for is called where its payer wrote nothing.
CREATE FUNCTION undescribed(method text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE method WHEN 'TED' THEN 'TED received' ELSE 'Pix received' END
$$;

-- Erases these people where nothing keeps them: their rows, and their words in what was told to clients, kept as an answer,
-- sent to a network or uploaded for them, and what they wrote with their money. Lines of plans that were never paid, and name the document, the e-mail or the phone as
-- the receiver's or as the key, lose it too. Writes down of how many rows, and returns that. It sets the company for this session.
CREATE FUNCTION erase_people(company uuid, erasure uuid, people uuid[], document text, years integer, by text, request text)
RETURNS SETOF erasures LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  asked uuid[] := people;
  kept uuid[];
  things uuid[];
  words text[];
  instead text[];
  e record;
  parties_gone bigint := 0;
  events_gone bigint := 0;
  answers_gone bigint;
  messages_gone bigint;
  lines_gone bigint;
  uploads_gone bigint;
  defenses uuid[];
  documents_gone bigint;
BEGIN
  PERFORM set_config('lastro.company', company::text, false);
  PERFORM 1 FROM parties p WHERE p.company_id = company AND p.id = ANY (people) ORDER BY p.id FOR UPDATE;
  kept := ARRAY(SELECT DISTINCT h.party_id FROM people_held(company, people, years) h
                 WHERE h.ground IS NOT NULL AND (h.until > business_now()) IS NOT FALSE);
  people := ARRAY(SELECT p.id FROM parties p WHERE p.company_id = company AND p.id = ANY (people) AND p.id <> ALL (kept) AND p.erased_at IS NULL);
  things := ARRAY(SELECT DISTINCT h.object_id FROM people_held(company, people, years) h);
  defenses := ARRAY(SELECT m.id FROM med_objects m WHERE m.company_id = company AND m.id = ANY (things)
                       AND m.object_type = 'INFRINGEMENT_NOTIFICATION');
  things := things || ARRAY(
    SELECT c.id FROM subscription_cancellations c WHERE c.company_id = company AND c.subscription_id = ANY (things)
    UNION ALL SELECT unnest(array_append(ARRAY(SELECT a.id FROM payment_attempts a WHERE a.company_id = company AND a.payment_id = p.id), p.id))
      FROM subscription_payments p WHERE p.company_id = company AND p.subscription_id = ANY (things));
  SELECT array_agg(w.word), array_agg(w.instead) INTO words, instead FROM (
    SELECT DISTINCT to_json(k) || ':' || v.word AS word, to_json(k) || ':' || v.instead AS instead FROM (
      SELECT u.keys, to_json(u.word)::text AS word, coalesce(to_json(u.instead)::text, 'null') AS instead FROM parties p CROSS JOIN LATERAL (VALUES
          (p.name, 'NAO IDENTIFICADO', '{name,fullName}'),
          (p.document_number, repeat('0', length(p.document_number)), '{number,document,document_number,payer_document,receiver_document}'),
          (p.document_number, 'NAO IDENTIFICADO', '{key}'), (p.email, 'NAO IDENTIFICADO', '{key}'), (p.phone, 'NAO IDENTIFICADO', '{key}'),
          (p.email, '', '{email}'), (p.phone, '', '{phone}'), (p.ip, '', '{ip}'), (p.birth_date::text, NULL, '{birth_date}'),
          (p.bank ->> 'account', '0', '{account,accountNumber,receiver_account}')) u(word, instead, keys)
       WHERE p.company_id = company AND p.id = ANY (people) AND u.word <> ''
      UNION ALL SELECT ARRAY[a.key]::text, to_json(a.value)::text, '""' FROM parties p CROSS JOIN LATERAL jsonb_each_text(p.address) a
       WHERE p.company_id = company AND p.id = ANY (people) AND a.value <> ''
      UNION ALL SELECT '{key}', to_json(p.pix_key)::text, '"NAO IDENTIFICADO"' FROM payouts p
       WHERE p.company_id = company AND p.id = ANY (things)
      UNION ALL SELECT '{description}', to_json(o.description)::text, to_json(undescribed(o.payment_method))::text FROM orders o
        JOIN pix_payments p ON p.company_id = company AND p.order_id = o.id AND p.remittance = o.description
       WHERE o.company_id = company AND o.id = ANY (things) AND o.origin = 'UNASKED' AND o.payer_id = ANY (people)
      UNION ALL SELECT '{defense}', to_json(m.defense)::text, '"NAO IDENTIFICADO"' FROM med_objects m
       WHERE m.company_id = company AND m.id = ANY (defenses)
      UNION ALL SELECT u.keys, to_json(u.word)::text, coalesce(to_json(u.instead)::text, 'null') FROM account_requests r CROSS JOIN LATERAL (VALUES
          (r.trade_name, NULL, '{trade_name}'), (r.reproved_description, r.reproved_code, '{description,reprovedDescription}')) u(word, instead, keys)
       WHERE r.company_id = company AND r.id = ANY (things) AND r.party_id = ANY (people)) v
     CROSS JOIN LATERAL unnest(v.keys::text[]) k WHERE v.word IS NOT NULL) w;
  FOR e IN SELECT v.id, v.body, worded_anew(v.body, words, instead) AS left_body FROM events v
            WHERE v.company_id = company AND v.reference_id = ANY (things) AND v.body IS NOT NULL FOR UPDATE LOOP
    CONTINUE WHEN e.left_body = e.body;
    INSERT INTO erased_bodies (company_id, event_id, number, erasure_id, sha256, left_sha256)
    SELECT company, e.id, 1 + count(*), erasure, sha256(e.body), sha256(e.left_body) FROM erased_bodies b
     WHERE b.company_id = company AND b.event_id = e.id;
    UPDATE events v SET body = e.left_body WHERE v.company_id = company AND v.id = e.id;
    UPDATE delivery_attempts t SET message = '' WHERE t.company_id = company AND t.event_id = e.id;
    events_gone := events_gone + 1;
  END LOOP;
  UPDATE answers a SET body = worded_anew(a.body, words, instead)
   WHERE a.company_id = company AND a.object_id = ANY (things) AND a.body IS NOT NULL
     AND a.body <> worded_anew(a.body, words, instead);
  GET DIAGNOSTICS answers_gone = ROW_COUNT;
  UPDATE outbox o SET body = n.body FROM (
    SELECT m.id, worded_anew(
             convert_to(regexp_replace(convert_from(m.body, 'UTF8'), '"browser":\{("([^"\\]|\\.)*"|[^"}])*\}', '"browser":null'), 'UTF8'),
             array_append(words, '"address":' || coalesce(to_json(as_json(m.body) #>> '{payer,address}')::text, '""')),
             array_append(instead, '"address":""')) AS body
      FROM outbox m WHERE m.company_id = company AND m.reference_id = ANY (things)) n
   WHERE o.company_id = company AND o.id = n.id AND o.due_at IS NULL AND o.body <> n.body;
  GET DIAGNOSTICS messages_gone = ROW_COUNT;
  UPDATE payout_plan_lines l SET request = '{}', destination = NULL, likeness = NULL FROM payout_plans p
   WHERE l.company_id = company AND p.company_id = company AND p.id = l.plan_id AND l.request <> '{}'
     AND p.status NOT IN ('VALIDATING', 'READY', 'APPROVED', 'APPLYING')
     AND (l.payout_id = ANY (things) OR (l.payout_id IS NULL AND EXISTS (
            SELECT FROM (VALUES (as_json(l.request) #>> '{receiver,document,number}'), (as_json(l.request) #>> '{paymentData,pixKey}'),
                                (l.destination::jsonb #>> '{receiver,document_number}'), (l.destination::jsonb ->> 'key')) said(word)
             WHERE upper(regexp_replace(said.word, '[./-]', '', 'g')) = document
                OR lower(said.word) IN (SELECT lower(u.word) FROM parties p CROSS JOIN LATERAL (VALUES (p.email), (p.phone)) u(word)
                                         WHERE p.company_id = company AND p.id = ANY (asked)))));
  GET DIAGNOSTICS lines_gone = ROW_COUNT;
  UPDATE account_documents d SET sealed = NULL FROM account_requests r
   WHERE d.company_id = company AND d.request_id = ANY (things) AND d.sealed IS NOT NULL AND r.company_id = company AND r.id = d.request_id
     AND (r.party_id = ANY (people) OR (r.representative_ids && people AND d.slot IN ('documentRepresentative', 'selfieRepresentative')));
  GET DIAGNOSTICS uploads_gone = ROW_COUNT;
  UPDATE med_documents d SET sealed = NULL WHERE d.company_id = company AND d.object_id = ANY (defenses) AND d.sealed IS NOT NULL;
  GET DIAGNOSTICS documents_gone = ROW_COUNT;
  UPDATE med_objects m SET defense = 'NAO IDENTIFICADO'
   WHERE m.company_id = company AND m.id = ANY (defenses) AND m.defense IS NOT NULL;
  UPDATE account_requests r SET trade_name = NULL, alias = NULL, reproved_description = NULL
   WHERE r.company_id = company AND r.id = ANY (things) AND r.party_id = ANY (people) AND num_nonnulls(r.trade_name, r.alias, r.reproved_description) > 0;
  UPDATE payouts p SET pix_key = CASE WHEN p.pix_key IS NOT NULL THEN 'NAO IDENTIFICADO' END, qr = NULL, likeness = NULL
   WHERE p.company_id = company AND p.id = ANY (things) AND num_nonnulls(p.pix_key, p.qr, p.likeness) > 0;
  -- What a payer wrote is his; what a company called its order, or printed in a code, is the company's.
  UPDATE orders o SET description = undescribed(o.payment_method) FROM pix_payments p
   WHERE o.company_id = company AND o.id = ANY (things) AND o.origin = 'UNASKED' AND o.payer_id = ANY (people)
     AND p.company_id = company AND p.order_id = o.id AND p.remittance = o.description;
  UPDATE pix_payments p SET remittance = NULL
   WHERE p.company_id = company AND p.id = ANY (things) AND p.payer_id = ANY (people) AND p.remittance IS NOT NULL;
  UPDATE parties p SET name = 'NAO IDENTIFICADO', document_number = repeat('0', length(p.document_number)), email = NULL,
         phone = NULL, birth_date = NULL, address = NULL, ip = NULL, bank = bank || '{"branch": "0", "account": "0"}', erased_at = business_now()
   WHERE p.company_id = company AND p.id = ANY (people);
  GET DIAGNOSTICS parties_gone = ROW_COUNT;
  RETURN QUERY INSERT INTO erasures (company_id, id, reference, erased_by, erased, kept, created_at)
    VALUES (company, erasure, request, by,
            jsonb_build_object('people', parties_gone, 'events', events_gone, 'answers', answers_gone, 'messages', messages_gone,
                               'planLines', lines_gone, 'uploads', uploads_gone, 'defenseDocuments', documents_gone),
            jsonb_build_object('people', cardinality(kept)), business_now())
    RETURNING *;
END $$;

-- ───────────────────────────────────────────── laws ─────────────────────────────────────────────
-- Each view selects the breaches of one law and must be empty: test oracle, `lastro verify` and alert read the same views.
-- Laws whose name ends in _at_rest hold when nothing is on its way; every other one holds after each commit. A law's
-- comment is its sentence: verify prints it, docs/money.md explains it. No law selects a name, a document or a body.

-- The share of an amount in hundredths of a percent, half to even: as Money.share of the code.
CREATE FUNCTION share(minor bigint, basis_points integer) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT minor * basis_points / 10000
         + CASE WHEN minor * basis_points % 10000 > 5000
                  OR (minor * basis_points % 10000 = 5000 AND minor * basis_points / 10000 % 2 = 1) THEN 1 ELSE 0 END
$$;

-- A number as base-62 digits, most significant first: as ids carry a company's number.
CREATE FUNCTION base62(number bigint, digits integer) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT string_agg(substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
                           (number / (62 ^ place)::bigint % 62)::integer + 1, 1), '' ORDER BY place DESC)
    FROM generate_series(0, digits - 1) place
$$;

-- Bytes as the JSON they hold; NULL where they hold none, so that a law can say so instead of failing.
CREATE FUNCTION as_json(body bytea) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN convert_from(body, 'UTF8')::jsonb;
EXCEPTION WHEN data_exception THEN
  RETURN NULL;
END $$;

-- Whether banks settle on a day: no Saturday, Sunday or national holiday, as standards/calendar.py has them with their
-- sources. A holiday counts from the year that made it one; Easter by the computus of Meeus, Jones and Butcher.
CREATE FUNCTION is_business_day(day date) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT extract(isodow FROM day) < 6
         AND NOT EXISTS (SELECT FROM (VALUES (101, 1949), (421, 1951), (501, 1949), (907, 1949), (1012, 1980), (1102, 2003), (1115, 1949),
                                             (1120, 2024), (1225, 1949)) AS fixed(month_day, since)
                          WHERE month_day = extract(month FROM day) * 100 + extract(day FROM day) AND extract(year FROM day) >= since)
         AND day - make_date(g.year, (e.epact + e.to_sunday - 7 * e.late + 114) / 31, (e.epact + e.to_sunday - 7 * e.late + 114) % 31 + 1)
             NOT IN (-48, -47, -2, 60)
    FROM (SELECT extract(year FROM day)::integer AS year) g
   CROSS JOIN LATERAL (SELECT g.year % 19 AS golden, g.year / 100 AS century, g.year % 100 AS rest) a
   CROSS JOIN LATERAL (SELECT (19 * a.golden + a.century - a.century / 4 - (a.century - (a.century + 8) / 25 + 1) / 3 + 15) % 30 AS epact) b
   CROSS JOIN LATERAL (SELECT b.epact, (32 + 2 * (a.century % 4) + 2 * (a.rest / 4) - b.epact - a.rest % 4) % 7 AS to_sunday) c
   CROSS JOIN LATERAL (SELECT c.epact, c.to_sunday, (a.golden + 11 * c.epact + 22 * c.to_sunday) / 451 AS late) e
$$;

-- The day itself where banks settle on it, else the first one after it on which they do.
CREATE FUNCTION next_business_day(day date) RETURNS date LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT min(day + n) FROM generate_series(0, 9) n WHERE is_business_day(day + n)
$$;

-- An amount as it is printed, of a currency with two decimals.
CREATE FUNCTION printed(minor bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT minor / 100 || '.' || lpad((minor % 100)::text, 2, '0')
$$;

-- The chart of accounts of each company: where its clearing has a position. At a connection only its own company has one.
CREATE VIEW clearing_rails WITH (security_invoker = true) AS
  SELECT c.company_id, r.rail, r.currency FROM companies c CROSS JOIN rails r WHERE r.kind <> 'connection'
  UNION ALL
  SELECT n.company_id, r.rail, r.currency FROM connections n JOIN rails r USING (rail);

-- Whether a payment of this rail is a Pix, so that its id is an endToEndId.
CREATE FUNCTION is_pix(of_rail text) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT of_rail IN ('pix', 'book') OR EXISTS (SELECT FROM rails r WHERE r.rail = of_rail AND r.kind = 'connection')
$$;

-- The word that the types of a rail's transfers begin with: what comes by a connection is a Pix.
CREATE FUNCTION entry_word(of_rail text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN EXISTS (SELECT FROM rails r WHERE r.rail = of_rail AND r.kind = 'connection') THEN 'PIX' ELSE upper(of_rail) END
$$;

-- What a transfer of each type moves, whether at once or by a hold, and for which objects. part: what pays an order is
-- credited (in) and kept (fee), what fits none waits (unfit) to go back (return), a client gives back (refund). Of what lies in
-- suspense people decide, where it was sent to us (stranded) and where it came back of a payout (decided). rail pix: of every
-- connection too.
CREATE VIEW entry_types WITH (security_invoker = true) AS
  SELECT upper(r.rail) || e.suffix AS type, e.at_once, e.debit, e.credit, r.rail, e.machine, e.part
    FROM (SELECT * FROM rails WHERE kind <> 'connection') r
   CROSS JOIN (VALUES ('_IN', true, 'NET', 'CUST', 'orders', 'in'), ('_FEE', true, 'NET', 'FEE', 'orders', 'fee'),
                      ('_UNFIT', true, 'NET', 'SUSP', 'pix_payments', 'unfit'),
                      ('_RETURN', false, 'SUSP', 'NET', 'refunds', 'return'),
                      ('_REFUND', false, 'CUST', 'NET', 'refunds', 'refund'),
                      ('_PAID_OUT', true, 'SUSP', 'NET', 'refunds', 'stranded'),
                      ('_SETTLEMENT', true, 'CUST', 'NET', 'settlements', 'settlement')) e(suffix, at_once, debit, credit, machine, part)
   WHERE NOT (r.rail = 'ted' AND e.part = 'refund') -- nobody refunds a TED: he pays anew
     AND NOT (r.rail = 'pix' AND e.part = 'fee') AND NOT (r.currency = 'BRL' AND e.part = 'settlement')
  UNION ALL
  SELECT * FROM (VALUES
    ('FEE', true, 'NET', 'FEE', 'pix', 'orders', 'fee'),
    ('PART_IN', true, 'SUSP', 'CUST', NULL, 'orders', 'in'), ('PART_FEE', true, 'SUSP', 'FEE', NULL, 'orders', 'fee'),
    ('BOOK_IN', true, 'TRANSIT', 'CUST', NULL, 'orders', 'in'), ('BOOK_FEE', true, 'TRANSIT', 'FEE', NULL, 'orders', 'fee'),
    ('BOOK_REFUND', false, 'CUST', 'TRANSIT', NULL, 'refunds', 'refund'),
    ('STRANDED_IN', true, 'SUSP', 'CUST', NULL, 'refunds', 'stranded'),
    ('PIX_OUT', false, 'CUST', 'NET', 'pix', 'payouts', NULL), ('TED_OUT', false, 'CUST', 'NET', 'ted', 'payouts', NULL),
    ('BOOK_OUT', false, 'CUST', 'TRANSIT', NULL, 'payouts', NULL),
    ('PAYOUT_FEE', false, 'CUST', 'FEE', NULL, 'payouts', NULL),
    ('PIX_RETURNED', true, 'NET', 'CUST', 'pix', 'payouts', NULL),
    ('TED_RETURNED', true, 'NET', 'CUST', 'ted', 'payouts', NULL),
    ('BOOK_RETURNED', true, 'TRANSIT', 'CUST', NULL, 'payouts', NULL),
    ('PIX_RETURN_UNFIT', true, 'NET', 'SUSP', 'pix', 'payouts', NULL),
    ('TED_RETURN_UNFIT', true, 'NET', 'SUSP', 'ted', 'payouts', NULL),
    ('BOOK_RETURN_UNFIT', true, 'TRANSIT', 'SUSP', NULL, 'payouts', NULL),
    ('RETURN_CREDITED', true, 'SUSP', 'CUST', NULL, 'payouts', 'decided'),
    ('PIX_RETURN_PAID_OUT', true, 'SUSP', 'NET', 'pix', 'payouts', 'decided'),
    ('TED_RETURN_PAID_OUT', true, 'SUSP', 'NET', 'ted', 'payouts', 'decided'),
    ('PIX_PROVED', true, 'CUST', 'NET', 'pix', 'payouts', NULL), ('PIX_LACK', true, 'LOSS', 'NET', 'pix', 'payouts', NULL),
    ('TED_PROVED', true, 'CUST', 'NET', 'ted', 'payouts', NULL), ('TED_LACK', true, 'LOSS', 'NET', 'ted', 'payouts', NULL),
    ('PIX_REFUND_PROVED', true, 'CUST', 'NET', 'pix', 'refunds', NULL), ('PIX_REFUND_LACK', true, 'LOSS', 'NET', 'pix', 'refunds', NULL),
    ('CARD_CHARGEBACK', true, 'CUST', 'NET', 'card', 'orders', NULL), ('CARD_LACK', true, 'LOSS', 'NET', 'card', 'orders', NULL),
    ('PIX_TAKEN', true, 'CUST', 'NET', 'pix', 'orders', NULL), ('PIX_TAKEN_LACK', true, 'LOSS', 'NET', 'pix', 'orders', NULL),
    ('MED_BLOCK', true, 'CUST', 'BLOCK', NULL, 'med_objects', NULL),
    ('MED_RELEASE', true, 'BLOCK', 'CUST', NULL, 'med_objects', NULL),
    ('MED_RETURN', false, 'BLOCK', 'NET', 'pix', 'refunds', 'dispute'),
    ('MED_BOOK_RETURN', false, 'BLOCK', 'TRANSIT', NULL, 'refunds', 'dispute'),
    ('LOSS_RECOVERED', true, 'CUST', 'LOSS', NULL, 'accounts', NULL))
    AS t(type, at_once, debit, credit, rail, machine, part);

-- What a statement says of an entry besides its figures, by the object that the transfer was booked for. party_id: who is at
-- the other end. batch_id: of one transfer of a batch. txid: that the Pix carried.
CREATE VIEW entry_subjects WITH (security_invoker = true) AS
  SELECT o.company_id, o.id AS reference_id, o.description, o.id AS order_id, o.end_to_end_id,
         coalesce(o.payer_id, o.customer_id) AS party_id, NULL::uuid AS batch_id,
         (SELECT p.txid FROM pix_payments p -- of a charge whose payer's bank forgot it there is none
           WHERE p.company_id = o.company_id AND p.order_id = o.id AND p.end_to_end_id = o.end_to_end_id AND is_pix(p.rail)) AS txid,
         CASE o.payment_method WHEN 'TED' THEN o.external_id END AS control_number -- the STR's, of a TED
    FROM orders o
  UNION ALL
  SELECT company_id, id, description, NULL, end_to_end_id, receiver_id, batch_id, txid, str_control_number FROM payouts
  UNION ALL
  SELECT r.company_id, r.id, r.description, r.order_id,
         (SELECT p.end_to_end_id FROM pix_payments p -- a partner's id of a payment is no endToEndId
           WHERE p.company_id = r.company_id AND p.id = r.payment_id AND is_pix(p.rail)),
         coalesce(r.receiver_id, (SELECT p.payer_id FROM pix_payments p WHERE p.company_id = r.company_id AND p.id = r.payment_id)), NULL,
         (SELECT p.txid FROM pix_payments p
           WHERE p.company_id = r.company_id AND p.id = r.payment_id AND is_pix(p.rail)), NULL FROM refunds r
  UNION ALL
  SELECT m.company_id, m.id, 'MED ' || m.id,
         (SELECT p.order_id FROM pix_payments p WHERE p.company_id = m.company_id AND p.end_to_end_id = m.end_to_end_id AND p.rail IN ('pix', 'book')),
         m.end_to_end_id, NULL, NULL,
         (SELECT p.txid FROM pix_payments p WHERE p.company_id = m.company_id AND p.end_to_end_id = m.end_to_end_id AND p.rail IN ('pix', 'book')), NULL
    FROM med_objects m;

-- What an endToEndId leads to: the order it paid, what of it was given back, the payout that it is, the disputes about it.
CREATE VIEW entry_names WITH (security_invoker = true) AS
  SELECT company_id, end_to_end_id, order_id AS reference_id FROM pix_payments WHERE order_id IS NOT NULL
  UNION ALL
  SELECT company_id, end_to_end_id, id FROM payouts WHERE end_to_end_id IS NOT NULL
  UNION ALL
  SELECT r.company_id, p.end_to_end_id, r.id FROM pix_payments p
    JOIN refunds r ON r.company_id = p.company_id AND r.payment_id = p.id
  UNION ALL
  SELECT company_id, end_to_end_id, id FROM med_objects;

-- The entries of a ledger account that its payouts of a batch made: money out, one for each transfer that left.
CREATE FUNCTION batch_entries(company uuid, account uuid, batch uuid) RETURNS SETOF entries LANGUAGE sql STABLE ROWS 10 AS $$
  SELECT e.* FROM payouts p
    JOIN transfers t ON t.company_id = p.company_id AND t.reference_id = p.id AND t.debit_id = account
     AND t.kind IN ('moved', 'posted')
   CROSS JOIN LATERAL (
     SELECT * FROM entries n WHERE n.company_id = company AND n.ledger_account_id = account AND n.side = -1
        AND n.created_at >= t.created_at AND n.created_at < t.created_at + interval '10 seconds' AND n.transfer_id = t.id) e
   WHERE p.company_id = company AND p.batch_id = batch
$$;

CREATE VIEW ledger_sides WITH (security_invoker = true) AS -- every transfer that moved money, seen from both of its accounts
  SELECT company_id, debit_id AS ledger_account_id, id AS transfer_id, -amount_minor AS change_minor, currency, type,
         reference_id, created_at, xid
    FROM transfers WHERE kind IN ('moved', 'posted')
  UNION ALL
  SELECT company_id, credit_id, id, amount_minor, currency, type, reference_id, created_at, xid
    FROM transfers WHERE kind IN ('moved', 'posted');

CREATE VIEW open_holds WITH (security_invoker = true) AS  -- held, and neither posted nor voided
  SELECT h.* FROM transfers h
   WHERE h.kind = 'held' AND NOT EXISTS (
         SELECT 1 FROM transfers e WHERE e.company_id = h.company_id AND e.pending_id = h.id);

CREATE VIEW objects WITH (security_invoker = true) AS      -- everything that has a state
  SELECT company_id, id, 'orders' AS machine, status AS state, version, created_at, updated_at FROM orders
  UNION ALL SELECT company_id, id, 'pix_payments', state, version, created_at, updated_at FROM pix_payments
  UNION ALL SELECT company_id, id, 'refunds', state, version, created_at, updated_at FROM refunds
  UNION ALL SELECT company_id, id, 'foreign_payments', state, version, created_at, updated_at FROM foreign_payments
  UNION ALL SELECT company_id, id, 'payouts', status, version, created_at, updated_at FROM payouts
  UNION ALL SELECT company_id, id, 'payout_plans', status, version, created_at, updated_at FROM payout_plans
  UNION ALL SELECT company_id, id, 'subscriptions', status, version, created_at, updated_at FROM subscriptions
  UNION ALL SELECT company_id, id, 'subscription_cancellations', status, version, created_at, updated_at FROM subscription_cancellations
  UNION ALL SELECT company_id, id, 'subscription_payments', status, version, created_at, updated_at FROM subscription_payments
  UNION ALL SELECT company_id, id, 'payment_attempts', status, version, created_at, updated_at FROM payment_attempts
  UNION ALL SELECT company_id, id, 'card_payments', state, version, created_at, updated_at FROM card_payments
  UNION ALL SELECT company_id, id, 'account_requests', status, version, created_at, updated_at FROM account_requests
  UNION ALL SELECT company_id, id, 'pix_keys', status, version, created_at, updated_at FROM pix_keys
  UNION ALL SELECT company_id, id, 'pix_key_validations', status, version, created_at, updated_at FROM pix_key_validations
  UNION ALL SELECT company_id, id, 'key_claims', status, version, created_at, updated_at FROM key_claims
  UNION ALL SELECT company_id, id, 'accounts', status, version, created_at, updated_at FROM accounts
  UNION ALL SELECT company_id, id, 'account_close_requests', status, version, created_at, updated_at FROM account_close_requests
  UNION ALL SELECT company_id, id, 'med_objects', status, version, created_at, updated_at FROM med_objects
  UNION ALL SELECT company_id, id, 'statements', state, version, created_at, updated_at FROM statements
  UNION ALL SELECT company_id, id, 'statement_items', state, version, created_at, updated_at FROM statement_items;

-- the ledger

CREATE VIEW law_balances_equal_transfers WITH (security_invoker = true) AS
  SELECT b.company_id, b.ledger_account_id, b.debits, s.debits AS debits_of_transfers, b.held, s.held AS held_of_transfers,
         b.credits_folded, s.credits AS credits_of_transfers
    FROM balances b CROSS JOIN LATERAL (
      SELECT (SELECT coalesce(sum(amount_minor), 0) FROM transfers t WHERE t.company_id = b.company_id
                 AND t.debit_id = b.ledger_account_id AND t.kind IN ('moved', 'posted')) AS debits,
             (SELECT coalesce(sum(amount_minor), 0) FROM open_holds h WHERE h.company_id = b.company_id
                 AND h.debit_id = b.ledger_account_id) AS held,
             (SELECT coalesce(sum(amount_minor), 0) FROM transfers t WHERE t.company_id = b.company_id
                 AND t.credit_id = b.ledger_account_id AND t.kind IN ('moved', 'posted') AND t.xid < b.fold_xid) AS credits) s
   WHERE b.debits <> s.debits OR b.held <> s.held OR b.credits_folded <> s.credits;
COMMENT ON VIEW law_balances_equal_transfers IS
  'An account''s debits, held amount and folded credits are the sums of the transfers behind them.';

CREATE VIEW law_no_account_below_floor WITH (security_invoker = true) AS
  SELECT b.company_id, b.ledger_account_id, b.floor_minor,
         b.credits_folded + credit_tail(b.company_id, b.ledger_account_id, b.fold_xid, NULL) - b.debits - b.held
           AS available_minor
    FROM balances b
   WHERE b.credits_folded + credit_tail(b.company_id, b.ledger_account_id, b.fold_xid, NULL) - b.debits - b.held
         < b.floor_minor;
COMMENT ON VIEW law_no_account_below_floor IS
  'What an account has left is not below its floor.';

CREATE VIEW law_what_is_owed_lies_on_loss WITH (security_invoker = true) AS
  SELECT b.company_id, b.ledger_account_id, l.account_id, b.owed AS owed_minor, s.lost_minor
    FROM balances b JOIN ledger_accounts l ON l.company_id = b.company_id AND l.id = b.ledger_account_id
   CROSS JOIN LATERAL (
     SELECT coalesce(-sum(x.change_minor), 0) AS lost_minor FROM ledger_accounts o
       JOIN ledger_sides x ON x.company_id = o.company_id AND x.ledger_account_id = o.id
      WHERE o.company_id = l.company_id AND o.account_id = l.account_id AND o.currency = l.currency AND o.code = 'LOSS'
        AND l.code = 'CUST') s
   WHERE b.owed <> s.lost_minor;
COMMENT ON VIEW law_what_is_owed_lies_on_loss IS
  'What an account owes is what was booked on its LOSS and not yet paid back.';

CREATE VIEW law_what_is_owed_is_taken_at_rest WITH (security_invoker = true) AS
  SELECT b.company_id, b.ledger_account_id, b.owed AS owed_minor, s.available_minor
    FROM balances b CROSS JOIN LATERAL (
      SELECT b.credits_folded + credit_tail(b.company_id, b.ledger_account_id, b.fold_xid, NULL) - b.debits - b.held
               - b.floor_minor AS available_minor) s
   WHERE b.owed > 0 AND s.available_minor > 0 -- what has just become free is given a minute
     AND NOT EXISTS (SELECT 1 FROM transfers t WHERE t.company_id = b.company_id
                        AND (t.credit_id = b.ledger_account_id OR (t.debit_id = b.ledger_account_id AND t.kind = 'voided'))
                        AND t.created_at > (SELECT business_now()) - interval '1 minute');
COMMENT ON VIEW law_what_is_owed_is_taken_at_rest IS
  'An account that owes has had nothing available for more than a minute, when nothing is on its way.';

CREATE VIEW law_customer_accounts_have_a_floor WITH (security_invoker = true) AS
  SELECT l.company_id, l.id AS ledger_account_id, l.code FROM ledger_accounts l
   WHERE (l.code IN ('CUST', 'BLOCK')) <> EXISTS (
         SELECT 1 FROM balances b WHERE b.company_id = l.company_id AND b.ledger_account_id = l.id);
COMMENT ON VIEW law_customer_accounts_have_a_floor IS
  'CUST and BLOCK accounts, and only they, have a row in balances.';

CREATE VIEW law_the_chart_is_whole WITH (security_invoker = true) AS
  WITH currencies AS (SELECT DISTINCT currency FROM rails)
  SELECT w.company_id, NULL::uuid AS account_id, w.code, w.rail, w.currency
    FROM (SELECT company_id, 'NET' AS code, rail, currency FROM clearing_rails
          UNION ALL SELECT c.company_id, o.code, NULL, currency
                      FROM companies c, currencies, (VALUES ('FEE'), ('SUSP'), ('TRANSIT')) o(code)) w
   WHERE NOT EXISTS (SELECT 1 FROM ledger_accounts l WHERE l.company_id = w.company_id AND l.code = w.code
                        AND l.currency = w.currency AND coalesce(l.rail, '') = coalesce(w.rail, ''))
  UNION ALL
  SELECT a.company_id, a.id, w.code, NULL, c.currency FROM accounts a
   CROSS JOIN (VALUES ('CUST'), ('BLOCK'), ('LOSS')) w(code) CROSS JOIN currencies c
   WHERE NOT EXISTS (SELECT 1 FROM ledger_accounts l WHERE l.company_id = a.company_id AND l.account_id = a.id
                        AND l.code = w.code AND l.currency = c.currency)
  UNION ALL
  SELECT company_id, account_id, code, rail, currency FROM ledger_accounts l
   WHERE (rail IS NOT NULL) <> (code = 'NET') OR (account_id IS NOT NULL) <> (code IN ('CUST', 'BLOCK', 'LOSS'))
      OR NOT EXISTS (SELECT 1 FROM clearing_rails r WHERE r.company_id = l.company_id AND r.currency = l.currency
                        AND r.rail = coalesce(l.rail, r.rail));
COMMENT ON VIEW law_the_chart_is_whole IS
  'Every company has its FEE, SUSP, TRANSIT and NET accounts, every account CUST, BLOCK and LOSS, in each currency; none has another shape.';

CREATE VIEW law_a_ledger_account_has_the_id_of_its_name WITH (security_invoker = true) AS
  SELECT company_id, id AS ledger_account_id, code, rail, currency, account_id FROM ledger_accounts
   WHERE id <> encode(substr(sha256(convert_to(format('%s:%s:%s:%s:%s', company_id, code, currency, rail, account_id),
                                               'UTF8')), 1, 16), 'hex')::uuid;
COMMENT ON VIEW law_a_ledger_account_has_the_id_of_its_name IS
  'A ledger account''s id is the one derived from its name, so that no name has two accounts.';

CREATE VIEW law_entries_add_up WITH (security_invoker = true) AS
  SELECT e.company_id, e.ledger_account_id, e.number, e.created_at, e.balance_minor, e.held_minor
    FROM (SELECT n.*, lag(number, 1, 0::bigint) OVER w AS number_before, lag(created_at, 1, '-infinity') OVER w AS at_before,
                 lag(balance_minor, 1, 0::bigint) OVER w AS balance_before, lag(held_minor, 1, 0::bigint) OVER w AS held_before
            FROM entries n WINDOW w AS (PARTITION BY company_id, ledger_account_id ORDER BY number)) e
    JOIN transfers t ON t.company_id = e.company_id AND t.id = e.transfer_id
   WHERE e.number <> e.number_before + 1 OR e.created_at <= e.at_before
      OR e.balance_minor <> e.balance_before + e.side * e.amount_minor
      OR e.held_minor <> e.held_before + CASE WHEN e.side = 1 OR t.kind = 'moved' THEN 0 WHEN t.kind = 'held' THEN e.amount_minor
                                              ELSE -e.amount_minor END;
COMMENT ON VIEW law_entries_add_up IS
  'The entries of a ledger account are numbered without gaps in order of time, and each leaves what the one before left and its own.';

CREATE VIEW law_transfers_have_their_entries WITH (security_invoker = true) AS
  WITH due AS (
    SELECT t.company_id, l.id AS ledger_account_id, t.id AS transfer_id, t.type, t.reference_id, t.amount_minor, t.created_at,
           CASE WHEN t.kind NOT IN ('moved', 'posted') THEN 0 WHEN l.id = t.credit_id THEN 1 ELSE -1 END AS side
      FROM entry_cursors c
      JOIN transfers t ON t.company_id = c.company_id AND t.created_at < c.entered_until
       AND NOT EXISTS (SELECT 1 FROM entries_behind b WHERE b.company_id = t.company_id AND b.decided_at = t.created_at)
      JOIN ledger_accounts l ON l.company_id = t.company_id AND l.id IN (t.debit_id, t.credit_id) AND l.account_id IS NOT NULL
     WHERE l.id = t.debit_id OR t.kind IN ('moved', 'posted'))
  SELECT coalesce(d.company_id, e.company_id) AS company_id, coalesce(d.transfer_id, e.transfer_id) AS transfer_id,
         coalesce(d.ledger_account_id, e.ledger_account_id) AS ledger_account_id, count(e.number) AS entries
    FROM due d FULL JOIN entries e ON e.company_id = d.company_id AND e.ledger_account_id = d.ledger_account_id
                                  AND e.transfer_id = d.transfer_id
   GROUP BY 1, 2, 3
  HAVING count(*) <> 1 OR count(e.number) <> 1 OR count(d.transfer_id) <> 1
      OR NOT bool_and((e.side, e.type, e.reference_id, e.amount_minor) = (d.side, d.type, d.reference_id, d.amount_minor)
                      AND e.created_at >= d.created_at);
COMMENT ON VIEW law_transfers_have_their_entries IS
  'What is older than the cursor of the entries has been entered once for each account it moved, as the transfer says, not before it.';

CREATE VIEW law_no_entry_below_zero WITH (security_invoker = true) AS
  SELECT e.company_id, e.ledger_account_id, e.number, e.balance_minor, e.held_minor FROM entries e
    JOIN ledger_accounts l ON l.company_id = e.company_id AND l.id = e.ledger_account_id
    JOIN balances b ON b.company_id = e.company_id AND b.ledger_account_id = e.ledger_account_id
   WHERE l.code <> 'LOSS' AND e.balance_minor - e.held_minor < least(b.floor_minor, 0);
COMMENT ON VIEW law_no_entry_below_zero IS
  'By its entries an account never had less than its floor: what took money is entered behind what gave it.';

CREATE VIEW law_a_hold_ends_as_it_began WITH (security_invoker = true) AS
  SELECT e.company_id, e.id AS ending_id, h.id AS hold_id FROM transfers e
    JOIN transfers h ON h.company_id = e.company_id AND h.id = e.pending_id
   WHERE h.kind <> 'held' OR (h.debit_id, h.credit_id, h.amount_minor, h.currency, h.reference_id)
         IS DISTINCT FROM (e.debit_id, e.credit_id, e.amount_minor, e.currency, e.reference_id);
COMMENT ON VIEW law_a_hold_ends_as_it_began IS
  'What ends a hold has its accounts, amount, currency and object.';

CREATE VIEW law_a_transfer_has_one_currency WITH (security_invoker = true) AS
  SELECT t.company_id, t.id AS transfer_id FROM transfers t
    JOIN ledger_accounts d ON d.company_id = t.company_id AND d.id = t.debit_id
    JOIN ledger_accounts c ON c.company_id = t.company_id AND c.id = t.credit_id
   WHERE d.currency <> t.currency OR c.currency <> t.currency;
COMMENT ON VIEW law_a_transfer_has_one_currency IS
  'A transfer''s currency is that of both of its accounts.';

CREATE VIEW law_a_transfer_is_what_its_type_says WITH (security_invoker = true) AS
  SELECT t.company_id, t.id AS transfer_id, t.type, t.kind, d.code AS debit, c.code AS credit, t.reference_id
    FROM transfers t
    JOIN entry_types says ON says.type = t.type
    JOIN ledger_accounts d ON d.company_id = t.company_id AND d.id = t.debit_id
    JOIN ledger_accounts c ON c.company_id = t.company_id AND c.id = t.credit_id
    LEFT JOIN rails n ON n.rail = coalesce(d.rail, c.rail) AND n.kind = 'connection'
   WHERE (t.kind = 'moved', d.code, c.code, CASE WHEN n.rail IS NULL THEN coalesce(d.rail, c.rail) ELSE 'pix' END)
         IS DISTINCT FROM (says.at_once, says.debit, says.credit, says.rail)
      OR CASE WHEN says.machine = 'accounts' THEN (d.account_id, c.account_id) IS DISTINCT FROM (t.reference_id, t.reference_id)
              WHEN says.machine = 'settlements' THEN NOT EXISTS (
                   SELECT 1 FROM settlements s WHERE s.company_id = t.company_id AND s.id = t.reference_id)
              ELSE NOT EXISTS (SELECT 1 FROM objects o WHERE o.company_id = t.company_id AND o.id = t.reference_id
                                  AND o.machine = says.machine) END;
COMMENT ON VIEW law_a_transfer_is_what_its_type_says IS
  'A transfer moves between the accounts that its type names, at once or by a hold, for an object of the kind that books so.';

CREATE VIEW law_horizons_are_in_the_past WITH (security_invoker = true) AS
  WITH seen AS MATERIALIZED (
    SELECT settled_xid() AS oldest_open,
           next_xid() AS next_xid,
           CASE WHEN pg_current_xact_id_if_assigned() IS NULL THEN 0 ELSE writing_xid() END AS own)
  SELECT b.company_id, 'balances' AS place, b.ledger_account_id AS id, b.fold_xid AS horizon, s.oldest_open AS below
    FROM balances b, seen s WHERE b.fold_xid > s.oldest_open
  UNION ALL
  SELECT c.company_id, 'event_cursors', NULL, c.numbered_below_xid, s.oldest_open
    FROM event_cursors c, seen s WHERE c.numbered_below_xid > s.oldest_open
  UNION ALL
  SELECT t.company_id, 'transfers', t.id, t.xid, s.next_xid FROM transfers t, seen s
   WHERE t.xid >= (SELECT next_xid FROM seen) AND t.xid <> s.own
  UNION ALL
  SELECT e.company_id, 'events', e.id, e.xid, s.next_xid FROM events e, seen s
   WHERE e.xid >= (SELECT next_xid FROM seen) AND e.xid <> s.own;
COMMENT ON VIEW law_horizons_are_in_the_past IS
  'Nothing is folded, numbered or dated beyond the transactions that have ended.';

CREATE VIEW law_in_transit_is_zero_at_rest WITH (security_invoker = true) AS
  SELECT NULL::uuid AS company_id, l.currency, sum(x.change_minor) AS in_transit_minor FROM ledger_accounts l
    JOIN ledger_sides x ON x.company_id = l.company_id AND x.ledger_account_id = l.id
   WHERE l.code = 'TRANSIT' GROUP BY l.currency HAVING sum(x.change_minor) <> 0;
COMMENT ON VIEW law_in_transit_is_zero_at_rest IS
  'All companies'' TRANSIT together is zero when nothing is on its way from one to another.';

-- orders and the money that pays them

CREATE VIEW law_clearing_equals_payments WITH (security_invoker = true) AS
  SELECT l.company_id, l.id AS ledger_account_id, s.booked_minor, s.settled_minor FROM ledger_accounts l
   CROSS JOIN LATERAL (
     SELECT (SELECT coalesce(-sum(change_minor), 0) FROM ledger_sides x
              WHERE x.company_id = l.company_id AND x.ledger_account_id = l.id) AS booked_minor,
            (SELECT coalesce(sum(amount_minor), 0) FROM pix_payments p WHERE p.company_id = l.company_id
                AND p.rail = l.rail AND p.state IN ('SETTLED', 'HELD', 'RETURNING', 'STRANDED', 'CREDITED'))
          - (SELECT coalesce(sum(r.amount_minor), 0) FROM refunds r
               JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id
              WHERE r.company_id = l.company_id AND r.rail = l.rail AND p.state = 'SETTLED' AND r.state IN ('PAID', 'PAID_OUT'))
          - (SELECT coalesce(sum(amount_minor), 0) FROM payouts o WHERE o.company_id = l.company_id AND o.rail = l.rail
                AND o.children = 0 AND o.status IN ('PAID', 'PARTIAL_REFUNDED', 'REFUNDED'))
          + (SELECT coalesce(sum(r.amount_minor), 0) FROM payout_returns r
               JOIN payouts o ON o.company_id = r.company_id AND o.id = r.payout_id
              WHERE r.company_id = l.company_id AND o.rail = l.rail AND NOT r.is_paid_out)
          - (SELECT coalesce(sum(amount_minor), 0) FROM settlements x
              WHERE x.company_id = l.company_id AND x.rail = l.rail)
          - (SELECT coalesce(sum(b.amount_minor), 0) FROM chargebacks b
              WHERE b.company_id = l.company_id AND b.rail = l.rail) AS settled_minor) s
   WHERE l.code = 'NET' AND s.booked_minor <> s.settled_minor;
COMMENT ON VIEW law_clearing_equals_payments IS
  'What a NET account says came in is what settled there: payments kept, less refunds, payouts, settlements, chargebacks, plus what came back.';

CREATE VIEW law_suspense_is_explained WITH (security_invoker = true) AS
  SELECT l.company_id, l.id AS ledger_account_id, s.in_suspense_minor, s.explained_minor FROM ledger_accounts l
   CROSS JOIN LATERAL (
     SELECT (SELECT coalesce(sum(change_minor), 0) FROM ledger_sides x
              WHERE x.company_id = l.company_id AND x.ledger_account_id = l.id) AS in_suspense_minor,
            (SELECT coalesce(sum(amount_minor), 0) FROM pix_payments p LEFT JOIN rails q ON q.rail = p.rail
              WHERE p.company_id = l.company_id AND p.state IN ('HELD', 'RETURNING', 'STRANDED')
                AND coalesce(q.currency, 'BRL') = l.currency)
          + (SELECT coalesce(sum(p.excess_minor), 0) - coalesce(sum(r.amount_minor), 0) FROM pix_payments p
               JOIN rails q ON q.rail = p.rail
               LEFT JOIN refunds r ON r.company_id = p.company_id AND r.payment_id = p.id AND r.origin = 'AUTOMATIC'
                                  AND r.state IN ('PAID', 'CREDITED', 'PAID_OUT')
              WHERE p.company_id = l.company_id AND p.state = 'SETTLED' AND p.excess_minor > 0 AND q.currency = l.currency)
          + (SELECT coalesce(sum(amount_minor), 0) FROM payout_returns r
              WHERE r.company_id = l.company_id AND r.is_unfit AND r.decision_id IS NULL AND l.currency = 'BRL') AS explained_minor) s
   WHERE l.code = 'SUSP' AND s.in_suspense_minor <> s.explained_minor;
COMMENT ON VIEW law_suspense_is_explained IS
  'What lies in SUSP is payments HELD, RETURNING, STRANDED, excess not given back, and returns of payouts that fit nothing and wait.';

CREATE VIEW law_a_settlement_is_booked_and_told WITH (security_invoker = true) AS
  SELECT s.company_id, s.id AS settlement_id, s.amount_minor, b.transfers, b.booked_minor, b.account_id, e.events FROM settlements s
   CROSS JOIN LATERAL (
     SELECT count(*) AS transfers, sum(t.amount_minor) AS booked_minor, min(d.account_id::text)::uuid AS account_id,
            min(t.type) AS type FROM transfers t
       JOIN ledger_accounts d ON d.company_id = t.company_id AND d.id = t.debit_id
      WHERE t.company_id = s.company_id AND t.reference_id = s.id) b
   CROSS JOIN LATERAL (
     SELECT count(*) AS events FROM events v WHERE v.company_id = s.company_id AND v.reference_id = s.id
        AND v.type = 'ACCOUNT.SETTLED'
        AND (v.body IS NULL OR (as_json(v.body) #>> '{amount,value}', as_json(v.body) #>> '{amount,currency}', as_json(v.body) ->> 'accountId')
                               = (printed(s.amount_minor), s.currency, s.account_id::text))) e
   WHERE (b.transfers, b.booked_minor, b.account_id, b.type, e.events)
         IS DISTINCT FROM (1, s.amount_minor, s.account_id, upper(s.rail) || '_SETTLEMENT', 1);
COMMENT ON VIEW law_a_settlement_is_booked_and_told IS
  'A settlement is one transfer of all of it out of its account, and one event says so.';

CREATE VIEW law_an_order_costs_what_its_plan_says WITH (security_invoker = true) AS
  SELECT o.company_id, o.id, o.amount_minor, f.fee_minor, o.final_amount_minor, o.paid_minor FROM orders o
   CROSS JOIN LATERAL (SELECT o.fee_fixed_minor + share(o.amount_minor, o.fee_variable_basis_points)
                              + o.fee_additional_minor AS fee_minor) f
   WHERE o.final_amount_minor IS DISTINCT FROM CASE WHEN o.origin <> 'UNASKED' AND o.fee_payer = 'CUSTOMER'
                                                    THEN o.amount_minor + f.fee_minor ELSE o.amount_minor END
      OR (o.origin <> 'UNASKED' AND o.fee_payer = 'RECEIVER' AND f.fee_minor > o.amount_minor)
      OR o.paid_minor <> o.final_amount_minor;
COMMENT ON VIEW law_an_order_costs_what_its_plan_says IS
  'An order''s final amount is its amount and the fees its customer bears, and just that is what was paid.';

CREATE VIEW law_a_paid_order_is_booked_once WITH (security_invoker = true) AS
  SELECT o.company_id, o.id, o.status, o.paid_minor, m.payments, m.received_minor, m.booked_minor FROM orders o
   CROSS JOIN LATERAL (
     SELECT (SELECT count(*) FROM pix_payments p WHERE p.company_id = o.company_id AND p.order_id = o.id
                AND p.state = 'SETTLED') AS payments,
            (SELECT count(*) FROM pix_payments p JOIN rails q ON q.rail = p.rail WHERE p.company_id = o.company_id
                AND p.order_id = o.id AND p.state = 'SETTLED' AND q.takes_parts) AS parts,
            (SELECT coalesce(sum(p.amount_minor - p.excess_minor), 0) FROM pix_payments p WHERE p.company_id = o.company_id
                AND p.order_id = o.id AND p.state = 'SETTLED') AS received_minor,
            (SELECT coalesce(sum(t.amount_minor), 0) FROM transfers t WHERE t.company_id = o.company_id
                AND t.reference_id = o.id AND t.type IN (SELECT type FROM entry_types WHERE part IN ('in', 'fee'))) AS booked_minor) m
   WHERE CASE WHEN o.status IN ('PAID', 'REFUNDED', 'PARTIAL_REFUNDED')
              THEN m.payments < 1 OR (m.payments > 1 AND m.parts <> m.payments)
                OR m.received_minor <> o.paid_minor OR m.booked_minor <> o.paid_minor
              ELSE m.payments <> 0 OR m.booked_minor <> 0 END;
COMMENT ON VIEW law_a_paid_order_is_booked_once IS
  'A paid order has one settled payment, or several where parts are taken, and bookings that add up to it; any other order has none.';

CREATE VIEW law_money_of_a_static_code_names_it WITH (security_invoker = true) AS
  SELECT o.company_id, o.id, o.static_qrcode_id, q.id AS paid_to, o.paid_minor, q.amount_minor AS asked_minor FROM orders o
    JOIN pix_payments p ON p.company_id = o.company_id AND p.order_id = o.id
    LEFT JOIN pix_static_qrcodes q ON q.company_id = p.company_id AND q.txid = p.txid AND q.account_id = o.account_id
   WHERE o.origin = 'UNASKED' AND (o.static_qrcode_id IS DISTINCT FROM q.id OR q.amount_minor <> o.paid_minor);
COMMENT ON VIEW law_money_of_a_static_code_names_it IS
  'An order that money made names the static code by which it came, if any, and was paid what that asks for.';

CREATE VIEW law_a_payment_is_split_as_planned WITH (security_invoker = true) AS
  SELECT o.company_id, o.id, o.paid_minor, f.fee_minor,
         coalesce(sum(t.amount_minor) FILTER (WHERE e.part = 'fee'), 0) AS booked_fee_minor,
         count(*) FILTER (WHERE e.part = 'in' AND c.account_id IS DISTINCT FROM o.account_id) AS astray
    FROM orders o
   CROSS JOIN LATERAL (
     SELECT CASE WHEN o.origin <> 'UNASKED' AND o.fee_payer = 'CUSTOMER' AND o.amount_minor IS NOT NULL
                 THEN o.paid_minor - o.amount_minor
                 ELSE least(o.paid_minor, o.fee_fixed_minor + share(o.paid_minor, o.fee_variable_basis_points)
                                          + o.fee_additional_minor) END AS fee_minor) f
    JOIN transfers t ON t.company_id = o.company_id AND t.reference_id = o.id
    JOIN entry_types e ON e.type = t.type AND e.part IN ('in', 'fee')
    JOIN ledger_accounts c ON c.company_id = t.company_id AND c.id = t.credit_id
   WHERE o.paid_minor IS NOT NULL GROUP BY o.company_id, o.id, o.paid_minor, f.fee_minor
  HAVING count(*) FILTER (WHERE e.part = 'in' AND c.account_id IS DISTINCT FROM o.account_id) > 0
      OR coalesce(sum(t.amount_minor) FILTER (WHERE e.part = 'fee'), 0) <> f.fee_minor;
COMMENT ON VIEW law_a_payment_is_split_as_planned IS
  'Of what was paid we keep the planned fee, and the rest is credited to the order''s account.';

CREATE VIEW law_a_paid_order_names_its_payment WITH (security_invoker = true) AS
  SELECT p.company_id, p.id AS payment_id, p.order_id, p.end_to_end_id, o.end_to_end_id AS named,
         p.settled_at, o.paid_at, p.account_id, o.account_id AS credited
    FROM pix_payments p LEFT JOIN orders o ON o.company_id = p.company_id AND o.id = p.order_id
   WHERE p.state = 'SETTLED' AND p.rail NOT IN (SELECT rail FROM rails WHERE takes_parts)
     AND (CASE WHEN is_pix(p.rail) AND o.payment_method IS DISTINCT FROM 'TED' THEN p.end_to_end_id END, p.amount_minor, p.settled_at, p.account_id, p.payer_id)
         IS DISTINCT FROM (o.end_to_end_id, o.paid_minor, o.paid_at, o.account_id, o.payer_id)
  UNION ALL
  SELECT p.company_id, p.id, p.order_id, p.end_to_end_id, o.end_to_end_id, p.settled_at, o.paid_at, p.account_id, o.account_id
    FROM pix_payments p
    JOIN rails q ON q.rail = p.rail AND q.takes_parts
    LEFT JOIN orders o ON o.company_id = p.company_id AND o.id = p.order_id
    LEFT JOIN LATERAL (
      SELECT max(s.settled_at) AS last_at, bool_or(s.payer_id IS NOT DISTINCT FROM o.payer_id) AS is_payer FROM pix_payments s
       WHERE s.company_id = p.company_id AND s.order_id = p.order_id AND s.state = 'SETTLED') m ON true
   WHERE p.state = 'SETTLED'
     AND (o.end_to_end_id IS NOT NULL OR (p.account_id, m.last_at, m.is_payer) IS DISTINCT FROM (o.account_id, o.paid_at, true));
COMMENT ON VIEW law_a_paid_order_names_its_payment IS
  'A settled payment''s order names its id, amount, time, account and payer; one paid in parts names the last time and one payer.';

CREATE VIEW law_no_foreign_payment_moved_our_books WITH (security_invoker = true) AS
  SELECT f.company_id, f.id AS foreign_id, f.rail, f.payment_id, f.state, f.order_id, p.state AS payment_state, p.order_id AS pays
    FROM foreign_payments f
    LEFT JOIN pix_payments p ON p.company_id = f.company_id AND p.end_to_end_id = f.payment_id AND p.rail = f.rail
   WHERE (p.state, p.order_id, p.amount_minor)
         IS DISTINCT FROM (CASE f.state WHEN 'CLAIMED' THEN 'SETTLED' END, f.order_id,
                           CASE f.state WHEN 'CLAIMED' THEN f.amount_minor END);
COMMENT ON VIEW law_no_foreign_payment_moved_our_books IS
  'A Pix that no order asked for has no payment in the books; once a person claimed it for an order, it has that order''s one.';

CREATE VIEW law_a_payment_is_of_one_company WITH (security_invoker = true) AS
  SELECT p.company_id, p.id AS payment_id, p.end_to_end_id FROM pix_payments p
   WHERE (p.end_to_end_id, numbered_by(p.rail)) IN
         (SELECT end_to_end_id, numbered_by(rail) FROM pix_payments GROUP BY 1, 2 HAVING count(*) > 1);
COMMENT ON VIEW law_a_payment_is_of_one_company IS
  'No two companies, and no two connections, know a payment of the same endToEndId; no two companies one of the same id at one partner.';

CREATE VIEW law_nothing_settles_before_it_was_created WITH (security_invoker = true) AS
  WITH slack AS (SELECT interval '1 minute' + offset_us * interval '1 microsecond' AS most FROM clock) -- clocks differ; a sandbox steps its own first
  SELECT o.company_id, 'orders' AS place, o.id, o.paid_at AS settled_at, o.created_at FROM orders o
   WHERE o.origin <> 'UNASKED' AND o.paid_at < o.created_at - (SELECT most FROM slack)
     AND NOT EXISTS (SELECT 1 FROM foreign_payments f WHERE f.company_id = o.company_id AND f.order_id = o.id) -- claimed for it later
  UNION ALL
  SELECT p.company_id, 'payouts', p.id, p.paid_at, p.created_at FROM payouts p
   WHERE p.paid_at < p.created_at - (SELECT most FROM slack)
  UNION ALL
  SELECT r.company_id, 'payout_returns', r.id, r.settled_at, p.created_at FROM payout_returns r
    JOIN payouts p ON p.company_id = r.company_id AND p.id = r.payout_id
   WHERE r.settled_at < p.created_at - (SELECT most FROM slack)
  UNION ALL
  SELECT k.company_id, 'chargebacks', k.id, k.taken_at, o.created_at FROM chargebacks k
    JOIN orders o ON o.company_id = k.company_id AND o.id = k.order_id
   WHERE k.taken_at < o.created_at - (SELECT most FROM slack)
  UNION ALL
  SELECT r.company_id, 'refunds', r.id, s.at, r.created_at FROM inbox i
   CROSS JOIN LATERAL (SELECT (as_json(i.body) ->> 'settled_at')::timestamptz AS at OFFSET 0) s
    JOIN refunds r ON r.company_id = i.company_id AND r.return_id = i.subject
   WHERE i.kind = 'return.final' AND i.outcome IN ('handled', 'known') AND i.rail <> 'own' -- what a statement proved may be older
     AND s.at < r.created_at - (SELECT most FROM slack);
COMMENT ON VIEW law_nothing_settles_before_it_was_created IS
  'Nothing was paid, sent, given back or taken back before there was an order, payout or refund for it, but for what a person claimed.';

CREATE VIEW law_a_reference_is_of_one_company WITH (security_invoker = true) AS
  WITH names AS MATERIALIZED (
    SELECT company_id, rail || ' instrument' AS kind, reference AS name FROM instruments
    UNION ALL SELECT company_id, 'txid', txid FROM orders WHERE txid IS NOT NULL
    UNION ALL SELECT company_id, 'txid', txid FROM pix_static_qrcodes
    UNION ALL SELECT company_id, 'payment', coalesce(control_number, end_to_end_id) FROM payouts WHERE children = 0
    UNION ALL SELECT company_id, 'return', return_id FROM refunds
    UNION ALL SELECT company_id, 'recurrence', provider_id FROM subscriptions WHERE provider_id IS NOT NULL
    UNION ALL -- of whom a partner's news were booked: an instrument of an earlier era, too, that a backup did not have
    SELECT DISTINCT company_id, rail || ' instrument', subject FROM inbox
     WHERE kind IN ('collection.announced', 'collection.settled', 'collection.void') AND outcome IN ('handled', 'known'))
  SELECT n.company_id, n.kind, n.name FROM names n
   WHERE (n.kind, n.name) IN (SELECT kind, name FROM names GROUP BY 1, 2 HAVING count(DISTINCT company_id) > 1);
COMMENT ON VIEW law_a_reference_is_of_one_company IS
  'No two companies have an instrument, charge, payment, return or recurrence under one name, in whatever era it was given out.';

CREATE VIEW law_a_reserved_order_waits WITH (security_invoker = true) AS
  SELECT p.company_id, p.id AS payment_id, p.order_id, o.status FROM pix_payments p
    JOIN orders o ON o.company_id = p.company_id AND o.id = p.order_id
   WHERE (p.state = 'ACCEPTED' AND o.status NOT IN ('INITIAL', 'PENDING')) OR (p.state = 'HELD' AND o.status <> 'PENDING')
  UNION ALL
  SELECT o.company_id, min(p.id::text)::uuid, o.id, o.status FROM orders o
    JOIN instruments i ON i.company_id = o.company_id AND i.order_id = o.id
    JOIN rails q ON q.rail = i.rail AND q.takes_parts
    LEFT JOIN pix_payments p ON p.company_id = o.company_id AND p.order_id = o.id AND p.state = 'HELD'
   WHERE o.status = 'PENDING' GROUP BY o.company_id, o.id, o.status, o.final_amount_minor
  HAVING coalesce(sum(p.amount_minor), 0) NOT BETWEEN 1 AND o.final_amount_minor - 1;
COMMENT ON VIEW law_a_reserved_order_waits IS
  'An order with a payment accepted is open until that ends; with parts in it is PENDING, and they are less than it asks for.';

CREATE VIEW law_refunds_add_up WITH (security_invoker = true) AS
  SELECT o.company_id, o.id, o.status, o.paid_minor, o.refunded_minor, coalesce(g.given_minor, 0) AS given_minor
    FROM orders o
    LEFT JOIN (SELECT b.company_id, b.order_id, sum(b.amount_minor) AS given_minor FROM (
                 SELECT p.company_id, p.order_id, r.amount_minor - r.beside_minor AS amount_minor FROM refunds r
                   JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id
                  WHERE r.state = 'PAID' AND p.state = 'SETTLED' AND (r.origin <> 'AUTOMATIC' OR p.excess_minor = 0)
                  UNION ALL SELECT company_id, order_id, amount_minor FROM chargebacks) b GROUP BY b.company_id, b.order_id) g
      ON g.company_id = o.company_id AND g.order_id = o.id
   WHERE o.refunded_minor <> coalesce(g.given_minor, 0)
      OR CASE WHEN o.refunded_minor = 0 THEN o.status IN ('REFUNDED', 'PARTIAL_REFUNDED')
              WHEN o.refunded_minor >= coalesce(o.amount_minor, o.paid_minor) THEN o.status <> 'REFUNDED'
              ELSE o.status <> 'PARTIAL_REFUNDED' END;
COMMENT ON VIEW law_refunds_add_up IS
  'What an order has given back is the sum of its paid refunds and chargebacks, and its status says how much that is.';

CREATE VIEW law_what_fits_nothing_goes_back WITH (security_invoker = true) AS
  SELECT p.company_id, p.id AS payment_id, p.state, p.amount_minor, r.refunds, r.state AS refund_state, r.refunded_minor,
         t.suspended_minor
    FROM pix_payments p
    LEFT JOIN (SELECT company_id, payment_id, count(*) AS refunds, min(state) AS state, sum(amount_minor) AS refunded_minor
                 FROM refunds WHERE origin = 'AUTOMATIC' GROUP BY company_id, payment_id) r
      ON r.company_id = p.company_id AND r.payment_id = p.id
    LEFT JOIN (SELECT company_id, reference_id, sum(amount_minor) AS suspended_minor FROM transfers
                WHERE type IN (SELECT type FROM entry_types WHERE part = 'unfit') GROUP BY company_id, reference_id) t
      ON t.company_id = p.company_id AND t.reference_id = p.id
   CROSS JOIN LATERAL (
     SELECT CASE WHEN p.state IN ('RETURNING', 'RETURNED', 'STRANDED', 'CREDITED', 'PAID_OUT') THEN p.amount_minor
                 WHEN p.state = 'SETTLED' THEN nullif(p.excess_minor, 0) END AS back_minor,
            p.state IN ('HELD', 'SETTLED') AND EXISTS (SELECT 1 FROM history h WHERE h.company_id = p.company_id
               AND h.reference_id = p.id AND h.version = 1 AND h.to_state = 'HELD') AS has_waited) w
   WHERE (r.refunds, CASE WHEN p.state <> 'SETTLED' THEN r.state END, r.refunded_minor, t.suspended_minor) IS DISTINCT FROM
         (CASE WHEN w.back_minor IS NOT NULL THEN 1 END,
          CASE p.state WHEN 'RETURNING' THEN 'PENDING' WHEN 'RETURNED' THEN 'PAID' WHEN 'STRANDED' THEN 'ERROR'
                       WHEN 'CREDITED' THEN 'CREDITED' WHEN 'PAID_OUT' THEN 'PAID_OUT' END,
          w.back_minor,
          CASE WHEN w.has_waited THEN p.amount_minor ELSE w.back_minor END)
      OR (p.excess_minor > 0 AND p.state <> 'SETTLED');
COMMENT ON VIEW law_what_fits_nothing_goes_back IS
  'A payment that goes back, or its excess, lies in suspense and has one refund that stands where it does; a part waits there.';

CREATE VIEW law_a_refund_is_held_until_it_ends WITH (security_invoker = true) AS
  SELECT r.company_id, r.id AS refund_id, r.state, r.amount_minor, h.id AS hold_id, h.amount_minor AS held_minor,
         e.kind AS ended, n.holds
    FROM refunds r
    LEFT JOIN transfers h ON h.company_id = r.company_id AND h.id = r.hold_id
    LEFT JOIN transfers e ON e.company_id = r.company_id AND e.pending_id = r.hold_id
   CROSS JOIN LATERAL (SELECT count(*) AS holds FROM transfers x
                        WHERE x.company_id = r.company_id AND x.reference_id = r.id AND x.kind = 'held') n
   WHERE (h.kind, h.amount_minor, h.reference_id, n.holds) IS DISTINCT FROM ('held', r.amount_minor, r.id, 1)
      OR (e.kind IS DISTINCT FROM CASE r.state WHEN 'PAID' THEN 'posted' WHEN 'PENDING' THEN NULL ELSE 'voided' END
          AND NOT ((r.state, e.kind) IS NOT DISTINCT FROM ('PAID', 'voided') AND EXISTS (
               SELECT 1 FROM history p WHERE p.company_id = r.company_id AND p.reference_id = r.id AND p.trigger = 'prove')));
COMMENT ON VIEW law_a_refund_is_held_until_it_ends IS
  'A refund holds its amount once: open while it is PENDING, posted when PAID, voided when ERROR, CREDITED or PAID_OUT.';

CREATE VIEW law_stranded_money_is_booked_as_decided WITH (security_invoker = true) AS
  SELECT coalesce(r.company_id, t.company_id) AS company_id, coalesce(r.id, t.reference_id) AS refund_id, r.state, r.amount_minor,
         t.transfers, t.booked_minor
    FROM (SELECT r.*, p.account_id FROM refunds r JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id
           WHERE r.state IN ('CREDITED', 'PAID_OUT')) r
    FULL JOIN (SELECT t.company_id, t.reference_id, count(*) AS transfers, sum(t.amount_minor) AS booked_minor,
                      min(t.type) AS type, min(c.account_id::text)::uuid AS account_id
                 FROM transfers t JOIN ledger_accounts c ON c.company_id = t.company_id AND c.id = t.credit_id
                WHERE t.type IN (SELECT type FROM entry_types WHERE part = 'stranded') GROUP BY t.company_id, t.reference_id) t
      ON t.company_id = r.company_id AND t.reference_id = r.id
   WHERE (r.origin, t.transfers, t.booked_minor, t.type, t.account_id) IS DISTINCT FROM
         ('AUTOMATIC', 1, r.amount_minor, CASE r.state WHEN 'CREDITED' THEN 'STRANDED_IN' ELSE entry_word(r.rail) || '_PAID_OUT' END,
          CASE r.state WHEN 'CREDITED' THEN r.account_id END);
COMMENT ON VIEW law_stranded_money_is_booked_as_decided IS
  'What people decide about a return that was refused is one transfer of all of it, to the account that it was sent to or out.';

CREATE VIEW law_refunds_fit_what_was_paid WITH (security_invoker = true) AS
  SELECT coalesce(g.company_id, q.company_id) AS company_id, coalesce(g.order_id, q.owner_id) AS order_id, g.asked_minor,
         q.used_minor, coalesce(o.amount_minor, o.paid_minor) AS most_minor
    FROM (SELECT company_id, order_id, sum(amount_minor - beside_minor) AS asked_minor FROM refunds
           WHERE origin <> 'AUTOMATIC' AND state IN ('PENDING', 'PAID') GROUP BY company_id, order_id) g
    FULL JOIN (SELECT company_id, owner_id, used_minor FROM quotas WHERE kind = 'refund') q
      ON q.company_id = g.company_id AND q.owner_id = g.order_id
    LEFT JOIN orders o ON o.company_id = coalesce(g.company_id, q.company_id) AND o.id = coalesce(g.order_id, q.owner_id)
   WHERE coalesce(g.asked_minor, 0) <> coalesce(q.used_minor, 0)
      OR coalesce(g.asked_minor, 0) > coalesce(o.amount_minor, o.paid_minor, 0)
  UNION ALL
  SELECT coalesce(g.company_id, q.company_id), coalesce(g.order_id, p.order_id), g.asked_minor, q.used_minor,
         coalesce(g.whole_minor, p.amount_minor - p.excess_minor)
    FROM (SELECT p.company_id, p.id, p.order_id, p.amount_minor - p.excess_minor AS whole_minor, s.takes_parts,
                 sum(r.amount_minor - r.beside_minor) AS asked_minor
            FROM refunds r
            JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id
            LEFT JOIN rails s ON s.rail = p.rail
           WHERE r.origin <> 'AUTOMATIC' AND r.state IN ('PENDING', 'PAID')
           GROUP BY p.company_id, p.id, p.order_id, whole_minor, s.takes_parts) g
    FULL JOIN (SELECT company_id, owner_id, used_minor FROM quotas WHERE kind = 'part refund') q
      ON q.company_id = g.company_id AND q.owner_id = g.id
    LEFT JOIN pix_payments p ON p.company_id = q.company_id AND p.id = q.owner_id
   WHERE coalesce(q.used_minor, 0) <> CASE WHEN g.takes_parts THEN g.asked_minor ELSE 0 END
      OR g.asked_minor > g.whole_minor;
COMMENT ON VIEW law_refunds_fit_what_was_paid IS
  'What clients and disputes want back, and has not failed, is counted, and is never more than an order, or its payment, brought.';

CREATE VIEW law_a_refund_is_of_its_order WITH (security_invoker = true) AS
  SELECT r.company_id, r.id AS refund_id, r.origin, r.order_id, p.order_id AS paid_order_id, p.state AS payment_state,
         h.type AS hold_type, d.account_id AS held_of, o.account_id, o.paid_at, r.created_at
    FROM refunds r
    LEFT JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id
    LEFT JOIN orders o ON o.company_id = r.company_id AND o.id = r.order_id
    LEFT JOIN transfers h ON h.company_id = r.company_id AND h.reference_id = r.id AND h.kind = 'held'
    LEFT JOIN ledger_accounts d ON d.company_id = h.company_id AND d.id = h.debit_id
   WHERE CASE r.origin
         WHEN 'CLIENT' THEN (p.state, p.order_id, h.type, d.account_id) IS DISTINCT FROM
              ('SETTLED', r.order_id, entry_word(p.rail) || '_REFUND', o.account_id)
              OR r.created_at > o.paid_at + interval '90 days'
         WHEN 'MED' THEN (p.state, p.order_id, h.type, d.account_id) IS DISTINCT FROM
              ('SETTLED', r.order_id, CASE r.rail WHEN 'pix' THEN 'MED_RETURN' WHEN 'book' THEN 'MED_BOOK_RETURN' END, o.account_id)
         ELSE h.type IS DISTINCT FROM entry_word(p.rail) || '_RETURN' END
      OR (r.rail <> p.rail AND r.receiver_id IS NULL); -- who is paid anew may be here although the payer is not, and the reverse
COMMENT ON VIEW law_a_refund_is_of_its_order IS
  'A client''s refund, or a dispute''s, gives back its order''s payment, from its account or its blocked part; any other takes from suspense.';

-- payouts

CREATE VIEW law_a_payout_is_held_until_it_ends WITH (security_invoker = true) AS
  WITH due AS (
    SELECT p.company_id, p.id, p.status, 'amount' AS what, p.amount_minor AS minor, p.hold_id AS hold_id,
           CASE WHEN p.status IN ('PAID', 'PARTIAL_REFUNDED', 'REFUNDED') THEN 'posted'
                WHEN p.status IN ('ERROR', 'EXPIRED', 'CANCELED') THEN 'voided' END AS ends,
           p.message_id IS NOT NULL OR p.status = 'ANALYSIS' OR (p.status = 'PENDING' AND p.start_at IS NULL) AS has_begun
      FROM payouts p WHERE p.children = 0
    UNION ALL
    SELECT p.company_id, p.id, p.status, 'fee', p.fee_minor, p.fee_hold_id,
           CASE WHEN p.status IN ('PAID', 'PARTIAL_REFUNDED', 'REFUNDED', 'PARTIALLY_PAID') THEN 'posted'
                WHEN p.status IN ('ERROR', 'EXPIRED', 'CANCELED') THEN 'voided' END,
           p.message_id IS NOT NULL OR p.status = 'ANALYSIS' OR (p.status = 'PENDING' AND p.start_at IS NULL)
      FROM payouts p WHERE p.batch_id IS NULL AND p.fee_minor > 0)
  SELECT d.company_id, d.id AS payout_id, d.status, d.what, d.minor, h.amount_minor AS held_minor, d.ends, e.kind AS ended
    FROM due d
    LEFT JOIN transfers h ON h.company_id = d.company_id AND h.id = d.hold_id
    LEFT JOIN transfers e ON e.company_id = d.company_id AND e.pending_id = d.hold_id
   WHERE CASE WHEN d.hold_id IS NULL -- a scheduled one that has not begun, or never could
              THEN d.has_begun OR (d.status NOT IN ('PENDING', 'ERROR', 'CANCELED', 'EXPIRED') AND NOT EXISTS ( -- or left in a time that is lost
                     SELECT 1 FROM history p WHERE p.company_id = d.company_id AND p.trigger = 'prove'
                        AND p.reference_id IN (SELECT d.id UNION ALL SELECT c.id FROM payouts c WHERE c.company_id = d.company_id AND c.batch_id = d.id)))
              ELSE (h.kind, h.amount_minor, h.reference_id) IS DISTINCT FROM ('held', d.minor, d.id)
                OR (e.kind IS DISTINCT FROM d.ends
                    AND NOT (d.what = 'fee' AND d.status = 'PENDING' AND e.kind = 'posted') -- a batch's, with its first child paid
                    AND NOT (d.status IN ('PAID', 'PARTIAL_REFUNDED', 'REFUNDED') AND e.kind = 'voided' AND EXISTS (
                         SELECT 1 FROM history p WHERE p.company_id = d.company_id AND p.reference_id = d.id
                            AND p.trigger = 'prove'))) END;
COMMENT ON VIEW law_a_payout_is_held_until_it_ends IS
  'A payout holds its amount and its fee once each: open while it is under way, posted when it is paid, voided when it is not.';

CREATE VIEW law_a_payout_is_sent_as_decided WITH (security_invoker = true) AS
  SELECT coalesce(p.company_id, o.company_id) AS company_id, p.id AS payout_id, o.id AS message_id, p.end_to_end_id,
         p.control_number, o.network_id, p.amount_minor
    FROM (SELECT company_id, id, status, rail, amount_minor, message_id, end_to_end_id, control_number FROM payouts
           WHERE message_id IS NOT NULL) p
    FULL JOIN (SELECT company_id, id, rail, reference_id, network_id, as_json(body) AS body FROM outbox
                WHERE kind IN ('payment.send', 'ted.send')
                  AND NOT (outcome = 'withdrawn' AND sends = 0 -- never sent, and another one with a newer id is in its place
                           AND EXISTS (SELECT 1 FROM payouts n WHERE n.company_id = outbox.company_id
                                          AND n.id = outbox.reference_id AND n.message_id <> outbox.id))) o
      ON o.company_id = p.company_id AND o.reference_id = p.id
   WHERE (p.message_id, p.rail, coalesce(p.control_number, p.end_to_end_id), p.amount_minor::text) IS DISTINCT FROM
         (o.id, o.rail, o.network_id, o.body #>> '{amount,minor}')
      OR p.status = 'ANALYSIS';
COMMENT ON VIEW law_a_payout_is_sent_as_decided IS
  'Every payout that was begun, and none that is in review, has its one order to its network, of its id and amount; no order is stray.';

CREATE VIEW law_a_payout_ends_by_the_networks_word WITH (security_invoker = true) AS
  WITH said AS MATERIALIZED (
    SELECT i.company_id, i.subject, bool_or(b.body ->> 'settled' = 'true') AS is_settled,
           bool_or(b.body ->> 'settled' = 'false') AS is_refused, bool_or(i.kind = 'payment.doubted') AS is_doubted
      FROM inbox i CROSS JOIN LATERAL (SELECT as_json(i.body) AS body OFFSET 0) b
     WHERE i.kind IN ('payment.final', 'payment.doubted') AND i.outcome IN ('handled', 'known')
     GROUP BY i.company_id, i.subject)
  SELECT p.company_id, p.id AS payout_id, p.status, s.is_settled, s.is_refused FROM payouts p
    LEFT JOIN said s ON s.company_id = p.company_id AND s.subject = coalesce(p.control_number, p.end_to_end_id)
   WHERE p.children = 0
     AND CASE WHEN p.status IN ('PAID', 'PARTIAL_REFUNDED', 'REFUNDED') THEN s.is_settled IS NOT TRUE
              WHEN p.status = 'ERROR' AND p.message_id IS NOT NULL THEN (s.is_refused OR s.is_doubted) IS NOT TRUE OR s.is_settled
              ELSE s.is_settled OR s.is_refused END;
COMMENT ON VIEW law_a_payout_ends_by_the_networks_word IS
  'A payout is PAID, or ERROR once sent, because its network said so, and in no other state after its word.';

CREATE VIEW law_returns_of_payouts_add_up WITH (security_invoker = true) AS
  SELECT p.company_id, p.id AS payout_id, p.status, p.amount_minor, p.returned_minor, r.minor AS came_back_minor,
         r.booked_minor
    FROM payouts p CROSS JOIN LATERAL (
      SELECT coalesce(sum(x.amount_minor) FILTER (WHERE NOT x.is_unfit), 0) AS minor,
             (SELECT coalesce(sum(t.amount_minor), 0) FROM transfers t WHERE t.company_id = p.company_id
                 AND t.reference_id = p.id AND t.type IN ('PIX_RETURNED', 'TED_RETURNED', 'BOOK_RETURNED')) AS booked_minor
        FROM payout_returns x WHERE x.company_id = p.company_id AND x.payout_id = p.id) r
   WHERE p.children = 0
     AND (p.returned_minor <> r.minor OR r.booked_minor <> r.minor
          OR (p.status = 'REFUNDED') <> (p.returned_minor = p.amount_minor)
          OR (p.status = 'PARTIAL_REFUNDED') <> (p.returned_minor > 0 AND p.returned_minor < p.amount_minor));
COMMENT ON VIEW law_returns_of_payouts_add_up IS
  'What came back of a payout is the sum of its returns and of their bookings, and its status says how much that is.';

CREATE VIEW law_what_came_back_is_booked_as_decided WITH (security_invoker = true) AS
  SELECT coalesce(r.company_id, t.company_id) AS company_id, r.id AS return_id, coalesce(r.payout_id, t.reference_id) AS payout_id,
         r.amount_minor, r.is_paid_out, t.id AS transfer_id, t.type, t.amount_minor AS booked_minor
    FROM (SELECT r.*, p.rail FROM payout_returns r JOIN payouts p ON p.company_id = r.company_id AND p.id = r.payout_id
           WHERE r.decision_id IS NOT NULL OR r.is_paid_out) r
    FULL JOIN (SELECT * FROM transfers WHERE type IN (SELECT type FROM entry_types WHERE part = 'decided')) t
      ON t.company_id = r.company_id AND t.id = r.decision_id
   WHERE (r.is_unfit, t.reference_id, t.amount_minor, t.type) IS DISTINCT FROM
         (true, r.payout_id, r.amount_minor,
          CASE WHEN r.is_paid_out THEN upper(r.rail) || '_RETURN_PAID_OUT' ELSE 'RETURN_CREDITED' END)
      OR NOT EXISTS (SELECT 1 FROM history h WHERE h.company_id = r.company_id AND h.reference_id = r.payout_id
                        AND h.trigger = 'decide' AND h.created_at = t.created_at);
COMMENT ON VIEW law_what_came_back_is_booked_as_decided IS
  'What people decide about money that came back of a payout and fits nothing is one transfer of all of it, and the history says so.';

CREATE VIEW law_a_batch_is_its_children WITH (security_invoker = true) AS
  SELECT p.company_id, p.id AS payout_id, p.status, p.amount_minor, p.children, c.count, c.sum_minor, c.lasting
    FROM payouts p CROSS JOIN LATERAL (
      SELECT count(*) AS count, coalesce(sum(k.amount_minor), 0) AS sum_minor, coalesce(max(k.sequence), 0) AS lasting,
             count(*) FILTER (WHERE k.status IN ('INITIAL', 'PENDING', 'ANALYSIS')) AS open,
             count(*) FILTER (WHERE k.status = 'ANALYSIS') AS in_review,
             count(*) FILTER (WHERE k.status = 'PAID') AS paid,
             count(*) FILTER (WHERE k.status = 'REFUNDED') AS refunded,
             count(*) FILTER (WHERE k.status = 'PARTIAL_REFUNDED') AS partly,
             count(*) FILTER (WHERE k.status = 'CANCELED') AS canceled,
             count(*) FILTER (WHERE k.status = 'EXPIRED') AS expired
        FROM payouts k WHERE k.company_id = p.company_id AND k.batch_id = p.id) c
   WHERE p.batch_id IS NULL
     AND (c.count <> p.children OR (p.children > 0 AND (c.sum_minor <> p.amount_minor OR c.lasting <> p.children
          OR p.status <> CASE WHEN c.in_review = c.count THEN 'ANALYSIS'
                              WHEN c.open > 0 THEN 'PENDING'
                              WHEN c.refunded = c.count THEN 'REFUNDED'
                              WHEN c.refunded + c.partly > 0 THEN 'PARTIAL_REFUNDED'
                              WHEN c.paid = c.count THEN 'PAID'
                              WHEN c.paid > 0 THEN 'PARTIALLY_PAID'
                              WHEN c.canceled = c.count THEN 'CANCELED'
                              WHEN c.expired = c.count THEN 'EXPIRED' ELSE 'ERROR' END)));
COMMENT ON VIEW law_a_batch_is_its_children IS
  'A batch has as many children as it was split into, which add up to it, and its status follows from theirs, at rest.';

CREATE VIEW law_quotas_count_what_was_sent WITH (security_invoker = true) AS
  WITH counted AS (
    SELECT p.company_id, p.account_id AS owner_id, p.payment_method || k.kind AS kind, p.quota_period AS period,
           sum(p.amount_minor) AS minor
      FROM payouts p CROSS JOIN (VALUES ('.day'), ('.night')) k(kind)
     WHERE p.children = 0 AND p.quota_period IS NOT NULL AND p.status NOT IN ('ERROR', 'EXPIRED', 'CANCELED')
       AND (k.kind = '.day' OR p.is_at_night)
     GROUP BY p.company_id, p.account_id, p.payment_method, k.kind, p.quota_period)
  SELECT coalesce(c.company_id, q.company_id) AS company_id, coalesce(c.owner_id, q.owner_id) AS account_id,
         coalesce(c.kind, q.kind) AS kind, coalesce(c.period, q.period) AS period, c.minor AS sent_minor, q.used_minor
    FROM counted c
    FULL JOIN (SELECT * FROM quotas WHERE kind IN ('PIX.day', 'PIX.night', 'TED.day', 'TED.night')) q
      ON (q.company_id, q.owner_id, q.kind, q.period) = (c.company_id, c.owner_id, c.kind, c.period)
   WHERE coalesce(c.minor, 0) <> coalesce(q.used_minor, 0);
COMMENT ON VIEW law_quotas_count_what_was_sent IS
  'What is used of an account''s limits of a day and a night is the sum of its payouts then that have not failed.';

-- states

CREATE VIEW law_every_move_allowed WITH (security_invoker = true) AS
  SELECT h.company_id, h.reference_id, h.version, h.machine, h.from_state, h.trigger, h.to_state FROM history h
   WHERE NOT EXISTS (SELECT 1 FROM allowed_moves a WHERE a.machine = h.machine AND a.from_state = h.from_state
                        AND a.trigger = h.trigger AND a.to_state = h.to_state);
COMMENT ON VIEW law_every_move_allowed IS
  'Every move in the history is in the transition table.';

CREATE VIEW law_history_is_dense WITH (security_invoker = true) AS
  SELECT * FROM (
    SELECT company_id, reference_id, machine, version, from_state,
           lag(to_state, 1, '') OVER w AS state_before, row_number() OVER w AS expected_version
      FROM history WINDOW w AS (PARTITION BY company_id, reference_id ORDER BY version)) steps
   WHERE version <> expected_version OR from_state <> state_before;
COMMENT ON VIEW law_history_is_dense IS
  'An object''s versions are 1, 2, 3 and so on, and each move begins where the one before ended.';

CREATE VIEW law_state_is_the_last_of_history WITH (security_invoker = true) AS
  SELECT o.company_id, o.id, o.machine, o.state, o.version, h.to_state, h.version AS moved_to FROM objects o
    LEFT JOIN history h ON h.company_id = o.company_id AND h.reference_id = o.id AND h.version = o.version
   WHERE (h.machine, h.to_state) IS DISTINCT FROM (o.machine, o.state)
  UNION ALL
  SELECT o.company_id, o.id, o.machine, o.state, o.version, h.to_state, h.version FROM objects o
    JOIN history h ON h.company_id = o.company_id AND h.reference_id = o.id AND h.version > o.version;
COMMENT ON VIEW law_state_is_the_last_of_history IS
  'An object''s state and version are those of its last history row.';

CREATE VIEW law_history_has_its_object WITH (security_invoker = true) AS
  SELECT h.company_id, h.reference_id, h.machine, h.version FROM history h
    LEFT JOIN objects o ON o.company_id = h.company_id AND o.id = h.reference_id AND o.machine = h.machine
   WHERE o.id IS NULL;
COMMENT ON VIEW law_history_has_its_object IS
  'Every history row is of an object that is there.';

CREATE VIEW law_times_are_those_of_history WITH (security_invoker = true) AS
  SELECT o.company_id, o.id, o.machine, o.created_at, f.created_at AS born_at, o.updated_at, l.created_at AS moved_at
    FROM objects o
    JOIN history f ON f.company_id = o.company_id AND f.reference_id = o.id AND f.version = 1
    JOIN history l ON l.company_id = o.company_id AND l.reference_id = o.id AND l.version = o.version
   WHERE o.created_at <> f.created_at OR o.updated_at <> l.created_at;
COMMENT ON VIEW law_times_are_those_of_history IS
  'An object was created when its history begins and updated when it moved last.';

CREATE VIEW law_what_waits_has_its_time WITH (security_invoker = true) AS
  SELECT company_id, id, 'orders' AS machine, status AS state, expires_at AS time FROM orders
   WHERE status = 'INITIAL' AND (expires_at IS NULL) <> (scheduled_payment_id IS NOT NULL)
  UNION ALL
  SELECT company_id, id, 'orders', status, ends_at FROM orders
   WHERE (ends_at IS NOT NULL) <> (payment_method <> 'PIX' AND (status IN ('INITIAL', 'AUTHENTICATING')
           OR (status = 'PENDING' AND EXISTS (SELECT 1 FROM pix_payments p WHERE p.company_id = orders.company_id
                                                 AND p.order_id = orders.id AND p.state = 'HELD'))))
  UNION ALL
  SELECT company_id, id, 'pix_payments', state, ask_at FROM pix_payments
   WHERE (state = 'ACCEPTED' AND rail = 'pix') <> (ask_at IS NOT NULL)
  UNION ALL
  SELECT company_id, id, 'card_payments', state, ask_at FROM card_payments WHERE (state = 'AUTHENTICATED') <> (ask_at IS NOT NULL)
  UNION ALL
  SELECT r.company_id, r.id, 'refunds', r.state, r.ask_at FROM refunds r
   WHERE (r.state = 'PENDING' AND r.rail <> 'book') <> (r.ask_at IS NOT NULL)
  UNION ALL
  SELECT company_id, id, 'payouts', status, ask_at FROM payouts
   WHERE (status = 'PENDING' AND message_id IS NOT NULL AND (rail <> 'book' OR send_until IS NOT NULL)) <> (ask_at IS NOT NULL)
      OR (status = 'PENDING' AND children = 0 AND message_id IS NULL AND start_at IS NULL)
      OR (start_at IS NOT NULL AND (status <> 'PENDING' OR message_id IS NOT NULL))
  UNION ALL
  SELECT company_id, id, 'payout_plans', status, due_at FROM payout_plans
   WHERE (status IN ('VALIDATING', 'READY', 'APPROVED', 'APPLYING')) <> (due_at IS NOT NULL)
  UNION ALL
  SELECT company_id, id, 'account_requests', status, coalesce(expires_at, ask_at, key_due_at) FROM account_requests
   WHERE (expires_at IS NOT NULL) <> (status = 'PENDING_DOCUMENTS' OR (status = 'REPROVED' AND cardinality(reproved_fields) > 0))
      OR (ask_at IS NOT NULL) <> (status = 'ANALYSIS' AND analysis_reference IS NOT NULL)
      OR (key_due_at IS NOT NULL AND status <> 'APPROVED')
  UNION ALL
  SELECT company_id, id, 'med_objects', status, due_at FROM med_objects
   WHERE (due_at IS NOT NULL) <> (role = 'RECEIVER' AND (status = 'RECEIVED' OR (status = 'OPEN' AND refund_id IS NULL)
           OR (object_type = 'INFRINGEMENT_NOTIFICATION' AND status = 'ANALYSED' AND blocked_minor > 0)
           OR (watched_since IS NOT NULL AND later_refund_id IS NULL AND lacking_minor + blocked_minor > 0)))
     -- whether its account is to be watched is seen a moment after it was answered: due just now, and nothing else
     AND NOT (object_type = 'REFUND_REQUEST' AND status = 'ANALYSED' AND watched_since IS NULL
              AND due_at IS NOT NULL AND due_at <= updated_at + interval '1 minute')
  UNION ALL -- our default of a claim, until the directory is told by us how it ends
  SELECT c.company_id, c.id, 'key_claims', c.status, c.due_at FROM key_claims c
   WHERE (c.due_at IS NOT NULL) <> ((c.role, c.status) = ('DONOR', 'WAITING_RESOLUTION')
           OR (c.role, c.status, c.claim_type) = ('CLAIMER', 'CONFIRMED', 'CLAIM_OWNERSHIP'))
     AND (c.due_at IS NOT NULL OR NOT EXISTS (SELECT 1 FROM outbox m WHERE m.company_id = c.company_id AND m.reference_id = c.id
                                                 AND m.kind IN ('claim.confirm', 'claim.cancel') OFFSET 0))
  UNION ALL
  SELECT company_id, id, 'subscription_cancellations', status, ask_at FROM subscription_cancellations
   WHERE (status = 'PENDING') <> (ask_at IS NOT NULL)
  UNION ALL
  SELECT company_id, id, 'payment_attempts', status, ask_at FROM payment_attempts
   WHERE (status IN ('REQUESTED', 'SCHEDULED')) <> (ask_at IS NOT NULL)
  UNION ALL
  SELECT p.company_id, p.id, 'subscription_payments', p.status, p.due_at FROM subscription_payments p
    LEFT JOIN payment_attempts a ON a.company_id = p.company_id AND a.payment_id = p.id AND a.status IN ('REQUESTED', 'SCHEDULED')
   WHERE (p.ask_at IS NOT NULL) <> (p.cancel_message_id IS NOT NULL) OR (p.ask_at IS NOT NULL AND p.status <> 'SCHEDULED')
      OR (p.due_at IS NOT NULL) <> (p.cancel_message_id IS NULL
            AND CASE p.status WHEN 'SCHEDULED' THEN a.status IS DISTINCT FROM 'REQUESTED' WHEN 'PENDING' THEN a.id IS NULL ELSE false END);
COMMENT ON VIEW law_what_waits_has_its_time IS
  'What is open, and nothing else, has its next time: orders, plans, and payments, refunds, payouts, charges, cancellations at a network.';

CREATE VIEW law_nothing_is_overdue_at_rest WITH (security_invoker = true) AS
  WITH late AS MATERIALIZED (SELECT business_now() - interval '1 minute' AS at)
  SELECT company_id, 'outbox' AS place, id, due_at AS since FROM outbox WHERE due_at < (SELECT at FROM late)
  UNION ALL
  SELECT company_id, 'inbox', id, due_at FROM inbox WHERE due_at < (SELECT at FROM late)
  UNION ALL
  SELECT company_id, 'deliveries', id, due_at FROM deliveries d WHERE due_at < (SELECT at FROM late)
     AND NOT EXISTS (SELECT 1 FROM held_deliveries h WHERE h.company_id = d.company_id AND h.id = d.id)
     AND NOT EXISTS (SELECT 1 FROM deliveries e WHERE e.company_id = d.company_id AND e.reference_id = d.reference_id
                        AND e.url = d.url AND e.sequence < d.sequence AND e.status IN ('PENDING', 'RETRYING') OFFSET 0)
  UNION ALL
  SELECT company_id, 'pix_payments', id, ask_at FROM pix_payments
   WHERE state = 'ACCEPTED' AND ask_at < (SELECT at FROM late)
  UNION ALL
  SELECT company_id, 'card_payments', id, ask_at FROM card_payments WHERE state = 'AUTHENTICATED' AND ask_at < (SELECT at FROM late)
  UNION ALL
  SELECT company_id, 'refunds', id, ask_at FROM refunds WHERE state = 'PENDING' AND ask_at < (SELECT at FROM late)
  UNION ALL
  SELECT company_id, 'payouts', id, least(ask_at, start_at) FROM payouts
   WHERE status = 'PENDING' AND least(ask_at, start_at) < (SELECT at FROM late)
  UNION ALL
  SELECT company_id, 'payout_plans', id, due_at FROM payout_plans WHERE due_at < (SELECT at FROM late)
  UNION ALL
  SELECT company_id, 'account_requests', id, coalesce(ask_at, key_due_at, expires_at) FROM account_requests
   WHERE coalesce(ask_at, key_due_at) < (SELECT at FROM late)
      OR (status = 'PENDING_DOCUMENTS' AND expires_at < (SELECT at FROM late))
  UNION ALL
  SELECT r.company_id, 'account_close_requests', r.id, r.updated_at FROM account_close_requests r
   WHERE r.status = 'REQUESTED' AND r.updated_at < (SELECT at FROM late)
     AND NOT EXISTS (SELECT 1 FROM key_claims c WHERE c.company_id = r.company_id AND c.account_id = r.account_id
                        AND c.status IN ('OPEN', 'WAITING_RESOLUTION', 'CONFIRMED'))
  UNION ALL
  SELECT company_id, 'med_objects', id, due_at FROM med_objects WHERE due_at < (SELECT at FROM late)
  UNION ALL
  SELECT company_id, 'key_claims', id, due_at FROM key_claims WHERE due_at < (SELECT at FROM late)
  UNION ALL
  SELECT company_id, 'key_claims', id, ask_at FROM key_claims
   WHERE status IN ('OPEN', 'WAITING_RESOLUTION', 'CONFIRMED') AND ask_at < (SELECT at FROM late)
  UNION ALL
  SELECT e.company_id, 'events', e.id, e.created_at FROM event_cursors c
    JOIN events e ON e.company_id = c.company_id AND e.xid >= c.numbered_below_xid
   WHERE e.created_at < (SELECT at FROM late)
     AND NOT EXISTS (SELECT 1 FROM event_numbers n WHERE n.company_id = e.company_id AND n.event_id = e.id)
  UNION ALL
  SELECT o.company_id, 'orders', o.id, o.expires_at FROM orders o -- a late message of the network is given another minute
   WHERE o.status = 'INITIAL' AND o.payment_method = 'PIX' AND o.expires_at < (SELECT at FROM late) - interval '1 minute'
     AND NOT EXISTS (SELECT 1 FROM pix_payments p WHERE p.company_id = o.company_id AND p.order_id = o.id
                        AND p.state = 'ACCEPTED')
     AND NOT EXISTS (SELECT 1 FROM inbox i WHERE i.company_id = o.company_id AND i.txid IN (o.txid, o.location_token)
                        AND i.due_at IS NOT NULL)
  UNION ALL
  SELECT o.company_id, 'orders', o.id, o.ends_at FROM orders o WHERE o.ends_at < (SELECT at FROM late)
     AND NOT EXISTS (SELECT 1 FROM pix_payments p WHERE p.company_id = o.company_id AND p.order_id = o.id
                        AND p.state = 'ACCEPTED')
  UNION ALL
  SELECT s.company_id, 'subscriptions', s.id, s.lapses_at FROM subscriptions s -- with an order: as that is
   WHERE s.status = 'PENDING_AUTHORIZATION' AND s.order_id IS NULL AND s.lapses_at < (SELECT at FROM late) - interval '1 minute'
  UNION ALL
  SELECT s.company_id, 'subscriptions', s.id, s.ends_at FROM subscriptions s
   WHERE s.status = 'ACCEPTED' AND s.ends_at < (SELECT at FROM late)
     AND NOT EXISTS (SELECT 1 FROM subscription_payments p WHERE p.company_id = s.company_id AND p.subscription_id = s.id
                        AND p.status IN ('SCHEDULED', 'PENDING'))
  UNION ALL
  SELECT company_id, 'subscription_cancellations', id, ask_at FROM subscription_cancellations
   WHERE status = 'PENDING' AND ask_at < (SELECT at FROM late)
  UNION ALL
  SELECT company_id, 'subscriptions', id, charge_at FROM subscriptions WHERE status = 'ACCEPTED' AND charge_at < (SELECT at FROM late)
  UNION ALL
  SELECT company_id, 'pix_key_validations', id, expires_at FROM pix_key_validations -- one that came back in time is given another minute
   WHERE status = 'PENDING' AND expires_at < (SELECT at FROM late) - interval '1 minute'
  UNION ALL
  SELECT company_id, 'subscription_payments', id, least(due_at, ask_at) FROM subscription_payments
   WHERE least(due_at, ask_at) < (SELECT at FROM late)
  UNION ALL
  SELECT company_id, 'payment_attempts', id, ask_at FROM payment_attempts
   WHERE status IN ('REQUESTED', 'SCHEDULED') AND ask_at < (SELECT at FROM late);
COMMENT ON VIEW law_nothing_is_overdue_at_rest IS
  'What was due more than a minute ago is done, when nothing is on its way.';

-- events and their delivery

CREATE VIEW law_each_fact_is_told_once WITH (security_invoker = true) AS
  WITH ends AS (
    SELECT h.company_id, h.reference_id, 'ORDER-PAYIN.' || h.to_state AS type, 1 AS facts FROM history h -- of a scheduled payment's: PAID alone
     WHERE h.machine = 'orders' AND h.to_state IN ('PAID', 'EXPIRED', 'CANCELED', 'ERROR')
       AND (h.to_state = 'PAID' OR NOT EXISTS (SELECT 1 FROM orders o WHERE o.company_id = h.company_id AND o.id = h.reference_id
                                                  AND o.scheduled_payment_id IS NOT NULL))
    UNION ALL
    SELECT company_id, reference_id, 'ORDER-PAYIN.REFUNDED', count(*) FROM history
     WHERE machine = 'orders' AND trigger IN ('refund part', 'refund rest') GROUP BY company_id, reference_id
    UNION ALL
    SELECT company_id, order_id, 'ORDER-PAYIN.REFUND_ERROR', count(*) FROM refunds r
     WHERE origin = 'CLIENT' AND (state = 'ERROR' OR (state = 'PAID' AND EXISTS ( -- proved to have left after that
           SELECT 1 FROM history p WHERE p.company_id = r.company_id AND p.reference_id = r.id AND p.trigger = 'prove')))
     GROUP BY company_id, order_id
    UNION ALL
    SELECT company_id, reference_id, 'PAYOUT-PLAN.' || to_state, 1 FROM history
     WHERE machine = 'payout_plans' AND trigger NOT IN ('create', 'approve', 'apply')
    UNION ALL
    SELECT company_id, reference_id, 'ACCOUNT.' || CASE to_state WHEN 'APPROVED' THEN 'CREATED' WHEN 'REPROVED' THEN 'REJECTED'
           ELSE to_state END, count(*) FROM history
     WHERE machine = 'account_requests' AND trigger IN ('ask', 'approve', 'reprove', 'expire') GROUP BY company_id, reference_id, to_state
    UNION ALL
    SELECT company_id, reference_id, 'ACCOUNT.STATUS_CHANGED', count(*) FROM history
     WHERE machine = 'accounts' AND trigger NOT IN ('open', 'limit') GROUP BY company_id, reference_id
    UNION ALL
    SELECT company_id, reference_id, CASE WHEN version = 1 THEN 'MED.CREATED' WHEN trigger = 'notice remind' THEN 'MED.DEFENSE_DUE'
           ELSE 'MED.STATUS_CHANGED' END, count(*) FROM history
     WHERE machine = 'med_objects' AND (from_state <> to_state OR trigger = 'notice remind') GROUP BY company_id, reference_id, 3
    UNION ALL
    SELECT company_id, reference_id, 'KEY-CLAIM.STATUS_CHANGED', count(*) FROM history
     WHERE machine = 'key_claims' GROUP BY company_id, reference_id
    UNION ALL
    SELECT company_id, reference_id, 'SUBSCRIPTION.' || to_state, 1 FROM history
     WHERE machine = 'subscriptions' AND from_state <> to_state AND to_state IN ('ACCEPTED', 'REJECTED', 'CANCELED', 'ERROR')
    UNION ALL
    SELECT company_id, reference_id, 'SUBSCRIPTION-PAYMENT.' || to_state, 1 FROM history
     WHERE machine = 'subscription_payments' AND from_state <> to_state AND to_state IN ('SCHEDULED', 'CANCELED', 'EXPIRED', 'ERROR')
    UNION ALL
    SELECT a.company_id, a.payment_id, 'SUBSCRIPTION-PAYMENT.ATTEMPT_FAILED', count(*) FROM history h -- a try each, that its bank ended
      JOIN payment_attempts a ON a.company_id = h.company_id AND a.id = h.reference_id
     WHERE h.machine = 'payment_attempts' AND NOT EXISTS ( -- of a payment that was tried before these were told
           SELECT 1 FROM payment_attempts b WHERE b.company_id = a.company_id AND b.payment_id = a.payment_id AND b.closes_at IS NULL)
       AND (h.to_state IN ('REJECTED', 'EXPIRED') OR (h.to_state = 'CANCELED' AND (h.reason NOT IN ('CCLD', 'SLBD', 'SLCR') OR NOT EXISTS (
           SELECT 1 FROM history p WHERE p.company_id = a.company_id AND p.reference_id = a.payment_id AND p.machine = 'subscription_payments'
              AND p.to_state = 'CANCELED' AND p.created_at = h.created_at)))) -- what ended the payment is told by its own event
     GROUP BY a.company_id, a.payment_id
    UNION ALL
    SELECT h.company_id, h.reference_id, 'ORDER-PAYOUT.' || h.to_state, count(*) FROM history h -- a return each, where parts come back
      JOIN payouts p ON p.company_id = h.company_id AND p.id = h.reference_id AND p.batch_id IS NULL
     WHERE h.machine = 'payouts' AND h.to_state NOT IN ('INITIAL', 'PENDING', 'ANALYSIS')
       AND h.trigger NOT IN ('return too much', 'decide', 'charge', 'drop charge')
     GROUP BY h.company_id, h.reference_id, h.to_state
    UNION ALL
    SELECT h.company_id, h.reference_id, 'ORDER-PAYOUT.RETRY_SCHEDULED', count(*) FROM history h -- once, however often it is tried
     WHERE h.machine = 'payouts' AND h.trigger = 'fall short' GROUP BY h.company_id, h.reference_id)
  SELECT n.company_id, n.reference_id, n.type, n.facts, count(e.id) AS events FROM ends n
    LEFT JOIN events e ON e.company_id = n.company_id AND e.reference_id = n.reference_id AND e.type = n.type
   GROUP BY n.company_id, n.reference_id, n.type, n.facts HAVING count(e.id) <> n.facts;
COMMENT ON VIEW law_each_fact_is_told_once IS
  'Each end of an order or payout, turn of a subscription, its payments, a plan and an account request, return and refund has one event.';

CREATE VIEW law_an_event_tells_what_happened WITH (security_invoker = true) AS
  SELECT e.company_id, e.id AS event_id, e.type, e.reference_id, o.id IS NOT NULL AS has_object,
         h.version IS NOT NULL AS has_happened
    FROM events e
    LEFT JOIN orders o ON o.company_id = e.company_id AND o.id = e.reference_id
    LEFT JOIN history h ON h.company_id = e.company_id AND h.reference_id = e.reference_id AND h.machine = 'orders'
                       AND h.to_state <> 'INITIAL' AND 'ORDER-PAYIN.' || h.to_state = e.type
   CROSS JOIN LATERAL (SELECT as_json(e.body) AS body OFFSET 0) says
   WHERE e.type LIKE 'ORDER-PAYIN.%' AND e.type NOT LIKE 'ORDER-PAYIN.REFUND%'
     AND (h.version IS NULL
          OR e.body IS NOT NULL AND (says.body ->> 'event', 'ORDER-PAYIN.' || (says.body ->> 'status'), says.body ->> 'id', says.body ->> 'code',
              says.body #>> '{amount,currency}', says.body #>> '{amount,value}', says.body ->> 'endToEndId',
              says.body #>> '{subscription,id}', says.body #>> '{subscription,code}', says.body #>> '{subscription,scheduledPayment,id}')
             IS DISTINCT FROM (e.type, e.type, o.id::text, o.external_id, o.currency,
                               printed(coalesce(o.amount_minor, o.paid_minor, 0)), o.end_to_end_id,
                               o.subscription_id::text, o.subscription_code, o.scheduled_payment_id::text))
  UNION ALL
  SELECT e.company_id, e.id, e.type, e.reference_id, o.id IS NOT NULL, r.id IS NOT NULL
    FROM events e
   CROSS JOIN LATERAL (SELECT as_json(e.body) AS body OFFSET 0) says
    LEFT JOIN orders o ON o.company_id = e.company_id AND o.id = e.reference_id
    LEFT JOIN (SELECT company_id, coalesce(med_id, id) AS id, order_id, external_id, amount_minor - beside_minor AS amount_minor, state,
                      med_id IS NOT NULL AND EXISTS (SELECT 1 FROM med_objects w WHERE w.company_id = refunds.company_id
                         AND w.id = refunds.med_id AND w.watched_since IS NOT NULL) AS is_one_of_several FROM refunds
               UNION ALL SELECT company_id, id, order_id, NULL, amount_minor, 'PAID', false FROM chargebacks) r
                        ON r.company_id = o.company_id AND r.order_id = o.id AND r.id::text = says.body ->> 'refundId'
                       AND (NOT r.is_one_of_several OR printed(r.amount_minor) = says.body #>> '{refundAmount,value}')
                       AND (r.state = CASE e.type WHEN 'ORDER-PAYIN.REFUNDED' THEN 'PAID' ELSE 'ERROR' END
                            OR (e.type = 'ORDER-PAYIN.REFUND_ERROR' AND EXISTS ( -- and proved to have left after that
                                SELECT 1 FROM history p WHERE p.company_id = r.company_id AND p.reference_id = r.id
                                   AND p.trigger = 'prove')))
   WHERE e.type LIKE 'ORDER-PAYIN.REFUND%' AND e.body IS NOT NULL
     AND (r.id IS NULL
          OR (says.body ->> 'event', says.body ->> 'id', says.body ->> 'code', says.body ->> 'refundExternalId',
              says.body #>> '{refundAmount,value}', says.body #>> '{amount,value}', says.body ->> 'endToEndId')
             IS DISTINCT FROM (e.type, o.id::text, o.external_id, r.external_id, printed(r.amount_minor),
                               printed(coalesce(o.amount_minor, o.paid_minor)), o.end_to_end_id)
          OR says.body ->> 'status' <> CASE
                WHEN (says.body #>> '{refundedAmount,value}')::numeric >= printed(coalesce(o.amount_minor, o.paid_minor))::numeric
                THEN 'REFUNDED' WHEN says.body #>> '{refundedAmount,value}' = printed(0) THEN 'PAID'
                ELSE 'PARTIAL_REFUNDED' END)
  UNION ALL
  SELECT e.company_id, e.id, e.type, e.reference_id, s.id IS NOT NULL, h.version IS NOT NULL
    FROM events e
    LEFT JOIN subscriptions s ON s.company_id = e.company_id AND s.id = e.reference_id
    LEFT JOIN history h ON h.company_id = e.company_id AND h.reference_id = e.reference_id AND h.machine = 'subscriptions'
                       AND 'SUBSCRIPTION.' || h.to_state = e.type
   CROSS JOIN LATERAL (SELECT as_json(e.body) AS body OFFSET 0) says
   WHERE e.type LIKE 'SUBSCRIPTION.%'
     AND (h.version IS NULL
          OR e.body IS NOT NULL AND (says.body ->> 'event', 'SUBSCRIPTION.' || (says.body #>> '{data,status}'),
              says.body #>> '{data,id}', says.body #>> '{data,externalId}', says.body #>> '{data,initialCharge,id}')
             IS DISTINCT FROM (e.type, e.type, s.id::text, s.external_id, s.order_id::text))
  UNION ALL
  SELECT e.company_id, e.id, e.type, e.reference_id, p.id IS NOT NULL, h.version IS NOT NULL
    FROM events e
    LEFT JOIN subscription_payments p ON p.company_id = e.company_id AND p.id = e.reference_id
    LEFT JOIN history h ON h.company_id = e.company_id AND h.reference_id = e.reference_id AND h.machine = 'subscription_payments'
                       AND h.from_state <> h.to_state AND 'SUBSCRIPTION-PAYMENT.' || h.to_state = e.type
   CROSS JOIN LATERAL (SELECT as_json(e.body) AS body OFFSET 0) says
   WHERE e.type LIKE 'SUBSCRIPTION-PAYMENT.%' AND e.type <> 'SUBSCRIPTION-PAYMENT.ATTEMPT_FAILED'
     AND (h.version IS NULL
          OR e.body IS NOT NULL AND (says.body ->> 'event', 'SUBSCRIPTION-PAYMENT.' || (says.body #>> '{data,status}'),
              says.body #>> '{data,id}', says.body #>> '{data,externalId}', says.body #>> '{data,orderId}',
              says.body #>> '{data,subscription,id}', says.body #>> '{data,amount,value}')
             IS DISTINCT FROM (e.type, e.type, p.id::text, p.external_id, p.order_id::text, p.subscription_id::text,
                               printed(p.amount_minor)))
  UNION ALL
  SELECT e.company_id, e.id, e.type, e.reference_id, p.id IS NOT NULL, a.id IS NOT NULL
    FROM events e
   CROSS JOIN LATERAL (SELECT as_json(e.body) AS body OFFSET 0) says
    LEFT JOIN subscription_payments p ON p.company_id = e.company_id AND p.id = e.reference_id
    LEFT JOIN payment_attempts a ON a.company_id = p.company_id AND a.payment_id = p.id AND a.updated_at = e.created_at
                                AND a.status IN ('REJECTED', 'EXPIRED', 'CANCELED')
   WHERE e.type = 'SUBSCRIPTION-PAYMENT.ATTEMPT_FAILED'
     AND (a.id IS NULL
          OR e.body IS NOT NULL AND (says.body ->> 'event', says.body #>> '{data,id}', says.body #>> '{data,externalId}',
              says.body #>> '{data,subscription,id}', says.body #>> '{data,amount,value}', says.body #>> '{data,attempt,kind}',
              says.body #>> '{data,attempt,date}', says.body #>> '{data,attempt,status}', says.body #>> '{data,attempt,errorCode}',
              says.body #>> '{data,attempt,endToEndId}')
             IS DISTINCT FROM (e.type, p.id::text, p.external_id, p.subscription_id::text, printed(p.amount_minor), a.kind,
                               a.collects_on::text, a.status, a.code, a.end_to_end_id))
  UNION ALL
  SELECT e.company_id, e.id, e.type, e.reference_id, r.id IS NOT NULL, h.version IS NOT NULL
    FROM events e
    LEFT JOIN account_requests r ON r.company_id = e.company_id AND r.id = e.reference_id
    LEFT JOIN history h ON h.company_id = e.company_id AND h.reference_id = e.reference_id AND h.machine = 'account_requests'
                       AND h.created_at = e.created_at AND e.type = 'ACCOUNT.' || CASE h.trigger
                         WHEN 'approve' THEN 'CREATED' WHEN 'ask' THEN 'PENDING_DOCUMENTS' ELSE 'REJECTED' END
   CROSS JOIN LATERAL (SELECT as_json(e.body) AS body OFFSET 0) says
   WHERE e.type IN ('ACCOUNT.CREATED', 'ACCOUNT.PENDING_DOCUMENTS', 'ACCOUNT.REJECTED')
     AND (h.version IS NULL
          OR e.body IS NOT NULL AND (says.body ->> 'event', says.body ->> 'requestId', says.body ->> 'accountId')
             IS DISTINCT FROM (e.type, r.id::text, CASE e.type WHEN 'ACCOUNT.CREATED' THEN r.account_id::text END))
  UNION ALL
  SELECT e.company_id, e.id, e.type, e.reference_id, true, h.version IS NOT NULL
    FROM events e
   CROSS JOIN LATERAL (SELECT as_json(e.body) AS body OFFSET 0) says
    LEFT JOIN history h ON h.company_id = e.company_id AND h.reference_id = e.reference_id AND h.machine = 'accounts'
                       AND h.from_state <> '' AND h.created_at = e.created_at
   WHERE e.type = 'ACCOUNT.STATUS_CHANGED'
     AND (h.version IS NULL
          OR e.body IS NOT NULL AND (says.body ->> 'event', says.body ->> 'accountId', says.body ->> 'previousStatus', says.body ->> 'status')
             IS DISTINCT FROM (e.type, e.reference_id::text, h.from_state, h.to_state))
  UNION ALL
  SELECT e.company_id, e.id, e.type, e.reference_id, m.id IS NOT NULL, h.version IS NOT NULL
    FROM events e
   CROSS JOIN LATERAL (SELECT as_json(e.body) AS body OFFSET 0) says
    LEFT JOIN med_objects m ON m.company_id = e.company_id AND m.id = e.reference_id
    LEFT JOIN history h ON h.company_id = e.company_id AND h.reference_id = e.reference_id AND h.machine = 'med_objects'
                       AND h.created_at = e.created_at AND h.to_state = says.body ->> 'status'
                       AND CASE e.type WHEN 'MED.DEFENSE_DUE' THEN h.trigger = 'notice remind' AND NOT says.body ? 'previousStatus'
                           ELSE h.from_state = coalesce(says.body ->> 'previousStatus', '') AND (h.version = 1) = (e.type = 'MED.CREATED') END
   WHERE e.type LIKE 'MED.%' AND e.body IS NOT NULL
     AND (h.version IS NULL
          OR ('MED.' || (says.body ->> 'eventType'), says.body ->> 'referenceId', says.body ->> 'accountId',
              says.body ->> 'objectType', says.body ->> 'endToEndId', says.body ->> 'amount', says.body ->> 'role')
             IS DISTINCT FROM (e.type, m.id::text, m.account_id::text, m.object_type, m.end_to_end_id, printed(m.amount_minor), m.role))
  UNION ALL
  SELECT e.company_id, e.id, e.type, e.reference_id, c.id IS NOT NULL, h.version IS NOT NULL
    FROM events e
   CROSS JOIN LATERAL (SELECT as_json(e.body) AS body OFFSET 0) says
    LEFT JOIN key_claims c ON c.company_id = e.company_id AND c.id = e.reference_id
    LEFT JOIN history h ON h.company_id = e.company_id AND h.reference_id = e.reference_id AND h.machine = 'key_claims'
                       AND h.created_at = e.created_at AND h.to_state = says.body ->> 'status'
                       AND h.from_state = coalesce(says.body ->> 'previousStatus', '')
   WHERE e.type = 'KEY-CLAIM.STATUS_CHANGED' AND e.body IS NOT NULL
     AND (h.version IS NULL
          OR (says.body ->> 'event', says.body ->> 'claimId', says.body ->> 'accountId', says.body ->> 'claimType', says.body ->> 'key',
              says.body ->> 'role')
             IS DISTINCT FROM (e.type, c.id::text, c.account_id::text, c.claim_type, c.key, c.role));
COMMENT ON VIEW law_an_event_tells_what_happened IS
  'An event of an order, its refund, a subscription or a payment of one tells a move that was made, and its body names it and its amount.';

CREATE VIEW law_feed_is_dense WITH (security_invoker = true) AS
  SELECT c.company_id, c.last_sequence, n.numbers, n.highest, c.last_created_at, n.latest FROM event_cursors c
   CROSS JOIN LATERAL (SELECT count(*) AS numbers, coalesce(max(sequence), 0) AS highest,
                              coalesce(max(created_at), '-infinity') AS latest FROM event_numbers n
                        WHERE n.company_id = c.company_id) n
   CROSS JOIN LATERAL (SELECT coalesce(sum(first_sequence - 1 - last_before), 0) AS left_out, coalesce(max(first_sequence) - 1, 0) AS last FROM event_eras a
                        WHERE a.company_id = c.company_id) e
   WHERE (c.last_sequence - e.left_out, c.last_sequence, c.last_created_at) IS DISTINCT FROM (n.numbers, greatest(n.highest, e.last), n.latest)
      OR EXISTS (SELECT 1 FROM event_eras a JOIN event_numbers n ON n.company_id = a.company_id AND n.sequence > a.last_before AND n.sequence < a.first_sequence
                  WHERE a.company_id = c.company_id);
COMMENT ON VIEW law_feed_is_dense IS
  'A company''s event numbers are 1, 2, 3 and so on, up to its cursor, but for those that an era left out as it began.';

CREATE VIEW law_feed_is_in_order WITH (security_invoker = true) AS
  SELECT * FROM (
    SELECT n.company_id, n.sequence, n.event_id, e.xid, lag(e.xid) OVER w AS xid_before, n.created_at,
           lag(n.created_at) OVER w AS created_before, e.created_at AS told_at
      FROM event_numbers n JOIN events e ON e.company_id = n.company_id AND e.id = n.event_id
    WINDOW w AS (PARTITION BY n.company_id ORDER BY n.sequence)) feed
   WHERE xid < xid_before OR created_at <= created_before OR created_at < told_at;
COMMENT ON VIEW law_feed_is_in_order IS
  'Event numbers follow the order of commits, and their times rise with them.';

CREATE VIEW law_no_event_is_passed_over WITH (security_invoker = true) AS
  SELECT e.company_id, e.id AS event_id, e.xid, c.numbered_below_xid FROM event_cursors c
    JOIN events e ON e.company_id = c.company_id AND e.xid < c.numbered_below_xid
   WHERE NOT EXISTS (SELECT 1 FROM event_numbers n WHERE n.company_id = e.company_id AND n.event_id = e.id);
COMMENT ON VIEW law_no_event_is_passed_over IS
  'Every event of a transaction below the cursor has its number.';

CREATE VIEW law_each_numbered_event_is_delivered_or_due WITH (security_invoker = true) AS
  SELECT n.company_id, n.event_id, d.status, d.due_at FROM event_numbers n
    JOIN events e ON e.company_id = n.company_id AND e.id = n.event_id
    LEFT JOIN deliveries d ON d.company_id = n.company_id AND d.id = n.event_id
   WHERE (d.status IN ('PENDING', 'RETRYING')) <> (d.due_at IS NOT NULL)
      OR (e.url IS NOT NULL AND d.id IS NULL -- an event of a type that may be turned off went nowhere while it was
          AND NOT EXISTS (SELECT 1 FROM webhook_settings s WHERE s.company_id = e.company_id AND s.event = e.type AND s.is_extra));
COMMENT ON VIEW law_each_numbered_event_is_delivered_or_due IS
  'A numbered event with a URL of its own has its delivery; one that is PENDING or RETRYING, and no other, has a time.';

CREATE VIEW law_a_delivery_is_of_its_event WITH (security_invoker = true) AS
  SELECT d.company_id, d.id AS event_id, d.sequence, n.sequence AS number, d.type, e.type AS told FROM deliveries d
    JOIN events e ON e.company_id = d.company_id AND e.id = d.id
    LEFT JOIN event_numbers n ON n.company_id = d.company_id AND n.event_id = d.id
   WHERE (d.url, d.type, d.reference_id, d.sequence, d.created_at)
         IS DISTINCT FROM (coalesce(e.url, d.url), e.type, e.reference_id, n.sequence, n.created_at);
COMMENT ON VIEW law_a_delivery_is_of_its_event IS
  'A delivery has the type, object, number and time of its event, and its URL where it has one of its own.';

CREATE VIEW law_a_forgotten_body_leaves_its_hash WITH (security_invoker = true) AS
  SELECT e.company_id, e.id AS event_id, n.sequence, c.forgotten_below, e.body IS NULL AS is_forgotten,
         f.event_id IS NOT NULL AS has_hash
    FROM events e
    LEFT JOIN event_cursors c ON c.company_id = e.company_id
    LEFT JOIN event_numbers n ON n.company_id = e.company_id AND n.event_id = e.id
    LEFT JOIN forgotten_bodies f ON f.company_id = e.company_id AND f.event_id = e.id
   WHERE (e.body IS NULL, f.event_id IS NOT NULL) IS DISTINCT FROM
         (coalesce(n.sequence < c.forgotten_below, false), coalesce(n.sequence < c.forgotten_below, false));
COMMENT ON VIEW law_a_forgotten_body_leaves_its_hash IS
  'An event has its body until the feed begins behind it; from then on its hash stays.';

CREATE VIEW law_an_erased_body_is_as_it_was_left WITH (security_invoker = true) AS
  SELECT company_id, event_id, number, erasure_id FROM (
    SELECT b.*, sha256(e.body) AS now_sha256, lead(b.sha256) OVER (PARTITION BY b.company_id, b.event_id ORDER BY b.number) AS next_sha256
      FROM erased_bodies b JOIN events e ON e.company_id = b.company_id AND e.id = b.event_id) erased
   WHERE coalesce(next_sha256, now_sha256) <> left_sha256;
COMMENT ON VIEW law_an_erased_body_is_as_it_was_left IS
  'An event from whose body a person was erased has the body that was left, until it is forgotten.';

CREATE VIEW law_attempts_are_counted WITH (security_invoker = true) AS
  SELECT d.company_id, d.id AS event_id, d.attempts, coalesce(a.counted, 0) AS counted, a.first, a.last FROM deliveries d
    LEFT JOIN (SELECT company_id, event_id, count(*) AS counted, min(number) AS first, max(number) AS last
                 FROM delivery_attempts GROUP BY company_id, event_id) a
      ON a.company_id = d.company_id AND a.event_id = d.id
   WHERE d.attempts <> coalesce(a.counted, 0) OR d.attempts <> coalesce(a.last, 0) OR a.first <> 1;
COMMENT ON VIEW law_attempts_are_counted IS
  'A delivery''s attempts are numbered 1, 2, 3 and so on, up to its count.';

CREATE VIEW law_a_delivery_stands_where_its_plan_does WITH (security_invoker = true) AS
  SELECT d.company_id, d.id AS event_id, d.status, d.attempts, d.plan_attempts, l.status_code AS last_status_code
    FROM deliveries d
    LEFT JOIN delivery_attempts l ON l.company_id = d.company_id AND l.event_id = d.id AND l.number = d.attempts
   WHERE NOT CASE d.status WHEN 'PENDING' THEN d.plan_attempts = 0
                           WHEN 'RETRYING' THEN d.plan_attempts BETWEEN 1 AND 4
                           WHEN 'FAILED' THEN d.plan_attempts = 5
                           ELSE d.plan_attempts BETWEEN 1 AND 5 END
      OR d.plan_attempts > d.attempts
      OR (d.status = 'DELIVERED' AND (l.status_code IS DISTINCT FROM 200 OR l.failure IS NOT NULL));
COMMENT ON VIEW law_a_delivery_stands_where_its_plan_does IS
  'A delivery''s status fits the attempts of its plan, of which there are at most five; a delivered one was answered 200.';

CREATE VIEW law_events_arrive_in_order WITH (security_invoker = true) AS
  SELECT * FROM (
    SELECT d.company_id, d.reference_id, lag(d.id) OVER w AS earlier_id, d.id AS later_id, a.requested_at AS later_sent_at
      FROM deliveries d
      LEFT JOIN delivery_attempts a ON a.company_id = d.company_id AND a.event_id = d.id AND a.number = 1
    WINDOW w AS (PARTITION BY d.company_id, d.reference_id, d.url ORDER BY d.sequence)) pairs
   WHERE earlier_id IS NOT NULL AND later_sent_at IS NOT NULL -- the earlier one was acknowledged, or its plan was used up
     AND NOT EXISTS (SELECT 1 FROM delivery_attempts b WHERE b.company_id = pairs.company_id AND b.event_id = earlier_id
                        AND b.requested_at < later_sent_at AND (b.status_code = 200 OR b.number >= 5));
COMMENT ON VIEW law_events_arrive_in_order IS
  'No event of an object is sent to a URL before the one before it was acknowledged or given up.';

-- messages of the networks

CREATE VIEW law_a_message_is_open_or_done WITH (security_invoker = true) AS
  SELECT company_id, 'outbox' AS place, id, due_at, done_at, outcome, lease_token IS NOT NULL AS is_leased FROM outbox
   WHERE (due_at IS NULL) <> (done_at IS NOT NULL) OR (done_at IS NULL) <> (outcome IS NULL)
      OR (due_at IS NULL AND lease_token IS NOT NULL)
  UNION ALL
  SELECT company_id, 'inbox', id, due_at, done_at, outcome, lease_token IS NOT NULL FROM inbox
   WHERE (due_at IS NULL) <> (done_at IS NOT NULL) OR (done_at IS NULL) <> (outcome IS NULL)
      OR (due_at IS NULL AND lease_token IS NOT NULL);
COMMENT ON VIEW law_a_message_is_open_or_done IS
  'A message is either due, or done with an outcome and in nobody''s hands.';

CREATE VIEW law_the_network_hears_what_was_decided WITH (security_invoker = true) AS
  WITH decided AS (
    SELECT p.company_id, p.id, p.end_to_end_id, h.trigger FROM pix_payments p
      JOIN history h ON h.company_id = p.company_id AND h.reference_id = p.id AND h.version = 1
     WHERE p.rail IN ('pix', 'book')),
  answered AS (
    SELECT o.company_id, o.reference_id, count(*) AS answers, bool_or(says.body ->> 'accept' = 'true') AS yes,
           min(says.body ->> 'end_to_end_id') AS about, count(DISTINCT says.body ->> 'end_to_end_id') AS abouts
      FROM outbox o CROSS JOIN LATERAL (SELECT as_json(o.body) AS body OFFSET 0) says
     WHERE o.rail IN ('pix', 'book') AND o.kind = 'pix.answer' GROUP BY o.company_id, o.reference_id),
  asked AS (
    SELECT company_id, subject, count(*) AS questions FROM inbox
     WHERE rail IN ('pix', 'book') AND kind = 'pix.ask' AND outcome = 'answered' GROUP BY company_id, subject)
  SELECT coalesce(d.company_id, a.company_id) AS company_id, coalesce(d.id, a.reference_id) AS payment_id, d.trigger,
         q.questions, a.answers, a.yes
    FROM decided d
    FULL JOIN answered a ON a.company_id = d.company_id AND a.reference_id = d.id
    LEFT JOIN asked q ON q.company_id = d.company_id AND q.subject = d.end_to_end_id
   WHERE d.id IS NULL OR coalesce(a.answers, 0) <> coalesce(q.questions, 0)
      OR (d.trigger IN ('accept', 'refuse') AND a.answers IS NULL)
      OR (a.yes AND d.trigger NOT IN ('accept', 'settle')) OR (d.trigger = 'accept' AND a.yes IS NOT TRUE)
      OR (a.answers IS NOT NULL AND (a.about, a.abouts) IS DISTINCT FROM (d.end_to_end_id, 1));
COMMENT ON VIEW law_the_network_hears_what_was_decided IS
  'Every question of the network has one answer, about its payment, and yes is said only to a payment that was let in.';

CREATE VIEW law_a_return_is_sent_as_decided WITH (security_invoker = true) AS
  SELECT coalesce(r.company_id, o.company_id) AS company_id, r.id AS refund_id, o.id AS message_id, r.return_id,
         o.network_id, r.amount_minor
    FROM (SELECT r.*, p.end_to_end_id FROM refunds r
            JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id) r
    FULL JOIN (SELECT company_id, id, rail, reference_id, network_id, as_json(body) AS body FROM outbox
                WHERE kind = 'return.send') o
      ON o.company_id = r.company_id AND o.reference_id = r.id
   WHERE (r.rail, r.return_id, r.return_id, r.end_to_end_id, r.amount_minor::text, r.reason_code) IS DISTINCT FROM
         (o.rail, o.network_id, o.body ->> 'return_id', o.body ->> 'end_to_end_id', o.body #>> '{amount,minor}',
          o.body ->> 'reason')
      OR (r.receiver_id IS NULL) <> ((o.body #> '{anew,receiver}') IS NULL)
      OR (substr(r.return_id, 1, 1) = 'E') <> (r.receiver_id IS NOT NULL);
COMMENT ON VIEW law_a_return_is_sent_as_decided IS
  'Every refund has its one order to the network, of its id, payment, amount and reason, and no such order is without its refund.';

CREATE VIEW law_the_books_say_what_the_network_said WITH (security_invoker = true) AS
  WITH said AS MATERIALIZED (
    SELECT i.company_id, i.id, i.kind, i.subject, as_json(i.body) AS body FROM inbox i
     WHERE (i.kind IN ('pix.final', 'pix.settled', 'ted.arrived', 'return.final') AND i.outcome IN ('handled', 'known'))
        OR (i.kind = 'return.never' AND i.outcome = 'handled'))
  SELECT s.company_id, s.id AS message_id, s.kind, s.subject, p.state FROM said s
    LEFT JOIN pix_payments p ON p.company_id = s.company_id AND p.end_to_end_id = s.subject
     AND (p.rail = 'ted') = (s.kind = 'ted.arrived') AND p.rail IN ('pix', 'book', 'ted')
   WHERE s.kind IN ('pix.final', 'pix.settled', 'ted.arrived')
     AND CASE WHEN p.id IS NULL THEN true
              WHEN s.kind = 'pix.final' AND s.body ->> 'settled' = 'false' THEN p.state IN ('ACCEPTED', 'SETTLED')
              ELSE p.state IN ('ACCEPTED', 'REFUSED', 'FAILED')
                OR (s.kind IN ('pix.settled', 'ted.arrived') AND s.body #>> '{amount,minor}' IS DISTINCT FROM p.amount_minor::text) END
  UNION ALL
  SELECT s.company_id, s.id, s.kind, s.subject, r.state FROM said s
    LEFT JOIN refunds r ON r.company_id = s.company_id AND r.return_id = s.subject
   WHERE s.kind IN ('return.final', 'return.never')
     AND CASE WHEN r.state IN ('CREDITED', 'PAID_OUT') THEN 'ERROR' ELSE r.state END -- people decide after a refusal alone
         IS DISTINCT FROM CASE WHEN s.kind = 'return.never' OR s.body ->> 'settled' = 'false' THEN 'ERROR'
                               WHEN s.body ->> 'settled' = 'true' THEN 'PAID' END
     AND NOT (r.state = 'PAID' AND (s.kind = 'return.never' OR s.body ->> 'settled' = 'false') AND EXISTS ( -- a statement knew better
              SELECT 1 FROM history p WHERE p.company_id = r.company_id AND p.reference_id = r.id AND p.trigger = 'prove'))
  UNION ALL
  SELECT p.company_id, p.id, 'nothing', p.end_to_end_id, p.state FROM pix_payments p
   WHERE p.rail IN ('pix', 'book', 'ted') AND p.state NOT IN ('ACCEPTED', 'REFUSED')
     AND NOT EXISTS (SELECT 1 FROM said s WHERE s.company_id = p.company_id AND s.subject = p.end_to_end_id)
  UNION ALL
  SELECT r.company_id, r.id, 'nothing', r.return_id, r.state FROM refunds r
   WHERE r.state <> 'PENDING'
     AND NOT EXISTS (SELECT 1 FROM said s WHERE s.company_id = r.company_id AND s.subject = r.return_id
                        AND (r.state <> 'PAID' OR s.body ->> 'settled' = 'true'))
     AND NOT ((r.state, r.error_code) = ('ERROR', 'CALLED_OFF') AND EXISTS ( -- nothing of it was sent when nobody wanted it any more
              SELECT 1 FROM outbox o WHERE o.company_id = r.company_id AND o.reference_id = r.id AND o.kind = 'return.send'
                 AND (o.outcome, o.sends) = ('withdrawn', 0)));
COMMENT ON VIEW law_the_books_say_what_the_network_said IS
  'Payments and refunds ended as the network said that they did, and none ended without its word.';

CREATE VIEW law_the_books_say_what_the_partner_said WITH (security_invoker = true) AS
  WITH said AS MATERIALIZED (
    SELECT i.company_id, i.id, i.rail, i.kind, as_json(i.body) AS body FROM inbox i
     WHERE i.kind IN ('collection.announced', 'collection.settled', 'collection.void') AND i.outcome IN ('handled', 'known'))
  SELECT s.company_id, s.id AS message_id, s.kind, s.body ->> 'payment_id' AS payment, p.state FROM said s
    LEFT JOIN pix_payments p ON p.company_id = s.company_id AND p.rail = s.rail AND p.end_to_end_id = s.body ->> 'payment_id'
   WHERE p.id IS NULL
      OR ((s.kind = 'collection.settled' OR (s.kind = 'collection.announced' AND p.state = 'ACCEPTED'))
          AND s.body #>> '{amount,minor}' IS DISTINCT FROM p.amount_minor::text)
      OR (s.kind = 'collection.settled' AND p.state IN ('ACCEPTED', 'REFUSED', 'FAILED'))
      OR (s.kind = 'collection.void' AND p.state = 'ACCEPTED')
  UNION ALL
  SELECT p.company_id, p.id, 'nothing', p.end_to_end_id, p.state FROM pix_payments p
   WHERE p.rail NOT IN ('pix', 'book', 'ted')
     AND NOT EXISTS (SELECT 1 FROM said s WHERE s.company_id = p.company_id AND s.rail = p.rail
                        AND s.body ->> 'payment_id' = p.end_to_end_id
                        AND s.kind = CASE p.state WHEN 'ACCEPTED' THEN 'collection.announced' WHEN 'FAILED' THEN 'collection.void'
                                                  ELSE 'collection.settled' END)
     AND NOT EXISTS (SELECT 1 FROM foreign_payments f WHERE f.company_id = p.company_id AND f.rail = p.rail -- a person said so
                        AND f.payment_id = p.end_to_end_id AND f.state = 'CLAIMED');
COMMENT ON VIEW law_the_books_say_what_the_partner_said IS
  'Payments at a partner that collects are announced, settled and void as it said, of the amount that it said.';

CREATE VIEW law_an_order_has_its_instrument WITH (security_invoker = true) AS
  SELECT o.company_id, o.id, o.payment_method, i.rail, i.reference, sent.reference AS registered FROM orders o
    FULL JOIN instruments i ON i.company_id = o.company_id AND i.order_id = o.id
    LEFT JOIN LATERAL (
      SELECT m.network_id AS reference, as_json(m.body) AS body FROM outbox m
       WHERE m.company_id = i.company_id AND m.reference_id = i.order_id AND m.rail = i.rail AND m.kind = 'collection.send') sent ON true
   WHERE (o.payment_method = 'TED' AND (i.order_id IS NOT NULL OR o.origin <> 'UNASKED'))
      OR (o.payment_method = 'PIX' AND i.order_id IS NOT NULL
          AND (o.location_token IS NOT NULL OR sent.reference IS NOT NULL OR i.reference IS DISTINCT FROM o.txid
               OR NOT EXISTS (SELECT FROM connections n WHERE n.company_id = i.company_id AND n.rail = i.rail)))
      OR (coalesce(o.payment_method, '') NOT IN ('PIX', 'TED')
          AND (CASE WHEN o.payment_method LIKE '%\_PAY' THEN 'crypto' WHEN o.payment_method = 'CREDIT_CARD' THEN 'card'
                ELSE lower(o.payment_method) END, i.reference, o.final_amount_minor::text, i.code) IS DISTINCT FROM
              (rtrim(i.rail, '0123456789'), sent.reference, sent.body #>> '{amount,minor}',
               sent.body ->> 'code'));
COMMENT ON VIEW law_an_order_has_its_instrument IS
  'An order of a method that a partner collects has its one instrument, made there once for the final amount; a Pix only by a connection.';

CREATE VIEW law_a_card_is_charged_as_decided WITH (security_invoker = true) AS
  SELECT coalesce(o.company_id, k.company_id) AS company_id, coalesce(o.id, k.order_id) AS order_id, o.status, k.state,
         k.trans_status, s.orders AS charges_ordered
    FROM (SELECT * FROM orders WHERE payment_method = 'CREDIT_CARD') o
    FULL JOIN card_payments k ON k.company_id = o.company_id AND k.order_id = o.id
   CROSS JOIN LATERAL (SELECT count(*) AS orders FROM outbox m WHERE m.company_id = k.company_id AND m.reference_id = k.order_id
                          AND m.rail = 'card' AND m.kind = 'card.authorize') s
   WHERE (o.id IS NULL) OR (k.id IS NULL)
      OR s.orders <> CASE WHEN k.state IN ('AUTHENTICATED', 'CAPTURED', 'DECLINED')
                          THEN 1 ELSE 0 END
      OR (s.orders > 0 AND k.trans_status NOT IN ('Y', 'A', 'U', 'I', 'S'))
      OR (k.state = 'CAPTURED') <> (o.status IN ('PAID', 'REFUNDED', 'PARTIAL_REFUNDED'))
      OR (k.state IN ('DECLINED', 'FAILED', 'TIMEOUT')) <> (o.status = 'ERROR')
      OR (k.state = 'CHALLENGE_REQUIRED' AND o.status <> 'AUTHENTICATING');
COMMENT ON VIEW law_a_card_is_charged_as_decided IS
  'An order by card has its one payment, which stands where the order does and is charged once, never after N or R.';

CREATE VIEW law_a_chargeback_is_booked_once WITH (security_invoker = true) AS
  SELECT coalesce(b.company_id, t.company_id) AS company_id, coalesce(b.order_id, t.reference_id) AS order_id, b.taken_minor,
         t.booked_minor
    FROM (SELECT company_id, order_id, sum(amount_minor) AS taken_minor FROM chargebacks GROUP BY company_id, order_id) b
    FULL JOIN (SELECT company_id, reference_id, sum(amount_minor) AS booked_minor FROM transfers
                WHERE type IN ('CARD_CHARGEBACK', 'CARD_LACK', 'PIX_TAKEN', 'PIX_TAKEN_LACK') GROUP BY company_id, reference_id) t
      ON t.company_id = b.company_id AND t.reference_id = b.order_id
   WHERE b.taken_minor IS DISTINCT FROM t.booked_minor;
COMMENT ON VIEW law_a_chargeback_is_booked_once IS
  'What issuers and banks took back of an order left its account, or is owed, to the cent.';

-- plans

CREATE VIEW law_a_plan_is_its_lines WITH (security_invoker = true) AS
  SELECT p.company_id, p.id AS plan_id, p.status, p.lines, l.*
    FROM payout_plans p CROSS JOIN LATERAL (
      SELECT count(*) AS checked, count(issues) AS refused, count(payout_id) AS made,
             count(*) FILTER (WHERE payout_id IS NULL AND issues IS NULL) AS open, coalesce(max(number), 0) AS last,
             encode(sha256(string_agg(digest, ''::bytea ORDER BY number)), 'hex') AS hash_of_lines
        FROM payout_plan_lines l WHERE l.company_id = p.company_id AND l.plan_id = p.id) l
   WHERE l.checked <> l.last OR l.checked > p.lines
      OR (p.hash IS NOT NULL AND (l.checked <> p.lines OR p.hash IS DISTINCT FROM l.hash_of_lines))
      OR (p.hash IS NOT NULL AND EXISTS (SELECT 1 FROM payout_plan_bodies b
                                          WHERE b.company_id = p.company_id AND b.id = p.id AND b.body IS NOT NULL))
      OR CASE p.status WHEN 'INVALID' THEN l.refused = 0 OR l.made > 0
                       WHEN 'READY' THEN l.refused + l.made > 0 WHEN 'APPROVED' THEN l.refused + l.made > 0
                       WHEN 'EXPIRED' THEN l.refused + l.made > 0
                       WHEN 'APPLIED' THEN l.made <> p.lines
                       WHEN 'PARTIALLY_APPLIED' THEN l.open > 0 OR l.made = 0 OR l.refused = 0
                       WHEN 'FAILED' THEN l.refused <> p.lines
                       WHEN 'VALIDATING' THEN l.made > 0 ELSE false END;
COMMENT ON VIEW law_a_plan_is_its_lines IS
  'A plan that is checked has all its lines and the hash of them; its status is what became of them.';

CREATE VIEW law_a_plan_is_applied_as_approved WITH (security_invoker = true) AS
  SELECT p.company_id, p.id AS plan_id, p.status, a.signed, p.approvals_needed FROM payout_plans p CROSS JOIN LATERAL (
      SELECT count(*) AS signed, count(*) FILTER (WHERE a.hash <> p.hash OR a.approver = p.created_by) AS unfit
        FROM payout_plan_approvals a WHERE a.company_id = p.company_id AND a.plan_id = p.id) a
   WHERE a.unfit > 0
      OR (a.signed < p.approvals_needed AND (p.status IN ('APPROVED', 'APPLYING', 'APPLIED', 'PARTIALLY_APPLIED', 'FAILED')
          OR EXISTS (SELECT 1 FROM payout_plan_lines l
                      WHERE l.company_id = p.company_id AND l.plan_id = p.id AND l.payout_id IS NOT NULL)))
  UNION ALL
  SELECT l.company_id, l.plan_id, o.status, l.number, 0 FROM payout_plan_lines l
    JOIN payouts o ON o.company_id = l.company_id AND o.id = l.payout_id
   WHERE (o.external_id, o.account_id, o.payment_method, o.currency, o.amount_minor, o.fee_minor, greatest(o.children, 1))
         IS DISTINCT FROM
         (l.external_id, l.account_id, l.payment_method, l.currency, l.amount_minor, l.fee_minor, l.transfers);
COMMENT ON VIEW law_a_plan_is_applied_as_approved IS
  'A plan makes no payout before as many clients as it needs have signed its hash, and each payout is as its line was checked.';

-- subscriptions

CREATE VIEW law_a_subscription_goes_with_its_order WITH (security_invoker = true) AS
  SELECT s.company_id, s.id, s.status, o.id AS order_id, o.status AS order_status FROM subscriptions s
    LEFT JOIN orders o ON o.company_id = s.company_id AND o.id = s.order_id
   WHERE CASE WHEN s.type = 'AUTHORIZATION_QRCODE' OR (s.order_id IS NULL AND s.status = 'ERROR') THEN s.order_id IS NOT NULL
              ELSE o.id IS NULL
                OR (o.subscription_id, o.account_id, o.external_id, o.notification_url, o.customer_id, o.expires_at,
                    o.subscription_code)
                   IS DISTINCT FROM (s.id, s.account_id, s.external_id, s.webhook_url, s.debtor_id, s.lapses_at, s.external_id)
                -- A connection's bank may tell of the authorization before it tells of the money.
                OR CASE WHEN s.accepted_at IS NOT NULL AND (s.rail = 'pix' OR s.status <> 'PENDING_AUTHORIZATION') THEN o.status NOT IN ('PAID', 'REFUNDED', 'PARTIAL_REFUNDED')
                        WHEN s.status = 'REJECTED' THEN o.status <> 'CANCELED'
                        WHEN s.status = 'CANCELED' THEN o.status NOT IN ('CANCELED', 'EXPIRED')
                        WHEN s.status = 'ERROR' THEN o.status <> 'ERROR' ELSE o.status <> 'INITIAL' END END
  UNION ALL
  SELECT o.company_id, o.subscription_id, s.status, o.id, o.status FROM orders o
    LEFT JOIN subscriptions s ON s.company_id = o.company_id AND s.id = o.subscription_id
   WHERE o.subscription_id IS NOT NULL AND o.scheduled_payment_id IS NULL AND s.order_id IS DISTINCT FROM o.id;
COMMENT ON VIEW law_a_subscription_goes_with_its_order IS
  'A subscription with a first charge has its order, of the same terms: open until it is authorized, then paid, else ended with it.';

CREATE VIEW law_a_subscription_is_canceled_by_a_cancellation WITH (security_invoker = true) AS
  SELECT s.company_id, s.id, s.status, c.accepted, c.waiting FROM subscriptions s CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE c.status = 'ACCEPTED') AS accepted, count(*) FILTER (WHERE c.status = 'PENDING') AS waiting
        FROM subscription_cancellations c WHERE c.company_id = s.company_id AND c.subscription_id = s.id) c
   WHERE (s.status = 'CANCELED') <> (c.accepted > 0) OR (c.waiting > 0 AND s.status <> 'ACCEPTED');
COMMENT ON VIEW law_a_subscription_is_canceled_by_a_cancellation IS
  'A subscription is CANCELED just where a cancellation of it was accepted, and only an ACCEPTED one waits for an answer to one.';

CREATE VIEW law_an_authorization_was_given WITH (security_invoker = true) AS
  WITH asked AS (
    SELECT company_id, subject, count(*) AS questions FROM inbox
     WHERE kind = 'authorization.ask' AND outcome = 'answered' GROUP BY company_id, subject),
  answered AS (
    SELECT o.company_id, says.body ->> 'recurrence_id' AS subject, count(*) AS answers,
           bool_or(says.body ->> 'accept' = 'true') AS yes
      FROM outbox o CROSS JOIN LATERAL (SELECT as_json(o.body) AS body OFFSET 0) says
     WHERE o.kind = 'authorization.answer' GROUP BY o.company_id, says.body ->> 'recurrence_id')
  SELECT coalesce(q.company_id, a.company_id) AS company_id, s.id, coalesce(q.subject, a.subject) AS provider_id,
         q.questions, a.answers, a.yes, NULL::uuid AS payment_id
    FROM asked q FULL JOIN answered a ON a.company_id = q.company_id AND a.subject = q.subject
    LEFT JOIN subscriptions s ON s.company_id = coalesce(q.company_id, a.company_id)
                             AND s.provider_id = coalesce(q.subject, a.subject)
   WHERE q.questions IS DISTINCT FROM a.answers OR (a.yes AND (s.accepted_at IS NULL OR s.order_id IS NOT NULL))
  UNION ALL
  SELECT s.company_id, s.id, s.provider_id, NULL, a.answers, a.yes, NULL FROM subscriptions s
    LEFT JOIN answered a ON a.company_id = s.company_id AND a.subject = s.provider_id
   WHERE s.rail = 'pix' AND s.accepted_at IS NOT NULL AND s.order_id IS NULL AND a.yes IS NOT TRUE
  UNION ALL
  -- A connection's bank asks nobody: it has told.
  SELECT s.company_id, s.id, s.provider_id, NULL, NULL, NULL, NULL FROM subscriptions s
   WHERE s.rail <> 'pix' AND s.accepted_at IS NOT NULL
     AND NOT EXISTS (SELECT FROM inbox i WHERE i.company_id = s.company_id AND i.subject = s.provider_id
                        AND i.rail = s.rail AND i.kind = 'authorization.made' AND i.outcome = 'handled')
  UNION ALL
  SELECT coalesce(s.company_id, p.company_id), s.id, coalesce(s.provider_id, p.authorizes), NULL, NULL, NULL, p.id
    FROM (SELECT company_id, id, provider_id, order_id, payer_id, maximum_minor, payer_ibge_code FROM subscriptions
           WHERE accepted_at IS NOT NULL AND order_id IS NOT NULL AND rail = 'pix') s
    FULL JOIN (SELECT company_id, id, authorizes, order_id, payer_id, maximum_minor, payer_ibge_code FROM pix_payments
                WHERE state = 'SETTLED' AND authorizes IS NOT NULL) p
      ON p.company_id = s.company_id AND p.order_id = s.order_id
   WHERE (s.provider_id, s.payer_id, s.maximum_minor, s.payer_ibge_code)
         IS DISTINCT FROM (p.authorizes, p.payer_id, p.maximum_minor, p.payer_ibge_code);
COMMENT ON VIEW law_an_authorization_was_given IS
  'Every question about an authorization has one answer, and what is authorized was said yes to, or paid by whom it says, just so.';

CREATE VIEW law_a_cancellation_is_asked_as_decided WITH (security_invoker = true) AS
  SELECT coalesce(c.company_id, o.company_id) AS company_id, c.id, c.status, o.id AS message_id, o.network_id
    FROM (SELECT c.company_id, c.id, c.status, c.message_id, s.provider_id FROM subscription_cancellations c
            JOIN subscriptions s ON s.company_id = c.company_id AND s.id = c.subscription_id
           WHERE c.message_id IS NOT NULL OR c.status = 'PENDING') c
    FULL JOIN (SELECT company_id, id, reference_id, network_id, as_json(body) AS body FROM outbox
                WHERE kind = 'cancellation.send') o
      ON o.company_id = c.company_id AND o.reference_id = c.id
   WHERE (c.message_id, c.message_id, c.provider_id)
         IS DISTINCT FROM (o.network_id, o.body ->> 'message_id', o.body ->> 'recurrence_id');
COMMENT ON VIEW law_a_cancellation_is_asked_as_decided IS
  'What waits for the payer''s bank was asked of it, once, by its own name; and nothing is asked that was not decided.';

CREATE VIEW law_a_scheduled_payment_goes_with_its_order WITH (security_invoker = true) AS
  SELECT p.company_id, p.id, p.status, o.id AS order_id, o.status AS order_status FROM subscription_payments p
    JOIN subscriptions s ON s.company_id = p.company_id AND s.id = p.subscription_id
    LEFT JOIN orders o ON o.company_id = p.company_id AND o.id = p.order_id
   WHERE (o.scheduled_payment_id, o.subscription_id, o.subscription_code, o.account_id, o.external_id, o.notification_url,
          o.customer_id, o.amount_minor, o.final_amount_minor)
         IS DISTINCT FROM (p.id, p.subscription_id, s.external_id, s.account_id, p.external_id, s.webhook_url, s.debtor_id,
                           p.amount_minor, p.amount_minor)
      OR CASE p.status WHEN 'SCHEDULED' THEN o.status <> 'INITIAL'
                       WHEN 'PAID' THEN o.status NOT IN ('PAID', 'REFUNDED', 'PARTIAL_REFUNDED') ELSE o.status <> p.status END
  UNION ALL
  SELECT o.company_id, o.scheduled_payment_id, p.status, o.id, o.status FROM orders o
    LEFT JOIN subscription_payments p ON p.company_id = o.company_id AND p.id = o.scheduled_payment_id
   WHERE o.scheduled_payment_id IS NOT NULL AND p.order_id IS DISTINCT FROM o.id;
COMMENT ON VIEW law_a_scheduled_payment_goes_with_its_order IS
  'A scheduled payment and its order stand alike, and have one code and amount and the terms of their subscription.';

CREATE VIEW law_a_cycle_is_charged_once WITH (security_invoker = true) AS
  SELECT p.company_id, p.id, p.subscription_id, p.cycle, p.due_on, p.settles_on FROM subscription_payments p
    JOIN subscriptions s ON s.company_id = p.company_id AND s.id = p.subscription_id
   WHERE p.due_on < p.cycle_starts_on OR p.due_on >= p.next_cycle_starts_on OR p.due_on < s.starts_on OR p.due_on > s.ends_on
      -- What was made before holidays moved a day was moved by weekends alone.
      OR CASE WHEN p.settles_on = p.due_on + CASE WHEN s.adjusts AND extract(isodow FROM p.due_on) > 5
                                                  THEN 8 - extract(isodow FROM p.due_on)::integer ELSE 0 END THEN false
              ELSE NOT s.adjusts OR p.settles_on <> next_business_day(p.due_on) END
      OR p.amount_minor <> s.fixed_minor
      OR (p.status NOT IN ('CANCELED', 'ERROR')
          AND EXISTS (SELECT 1 FROM subscription_payments q WHERE q.company_id = p.company_id AND q.subscription_id = p.subscription_id
                         AND q.id <> p.id AND q.status NOT IN ('CANCELED', 'ERROR')
                         AND q.due_on >= p.cycle_starts_on AND q.due_on < p.next_cycle_starts_on));
COMMENT ON VIEW law_a_cycle_is_charged_once IS
  'A payment lies in its cycle, is settled on its day or the business day after, and shares its cycle with ended ones alone.';

CREATE VIEW law_a_payment_is_its_attempts WITH (security_invoker = true) AS
  SELECT p.company_id, p.id, p.status, s.status AS subscription_status, a.* FROM subscription_payments p
    JOIN subscriptions s ON s.company_id = p.company_id AND s.id = p.subscription_id
    JOIN orders o ON o.company_id = p.company_id AND o.id = p.order_id
   CROSS JOIN LATERAL (
      SELECT count(*) AS attempts, coalesce(max(a.number), 0) AS last, count(*) FILTER (WHERE a.status IN ('REQUESTED', 'SCHEDULED')) AS open,
             count(*) FILTER (WHERE a.status = 'PAID') AS paid, max(a.end_to_end_id) FILTER (WHERE a.status = 'PAID') AS paid_by,
             count(*) FILTER (WHERE a.kind = 'NTAG') AS retries
        FROM payment_attempts a WHERE a.company_id = p.company_id AND a.payment_id = p.id) a
   WHERE a.last <> a.attempts OR a.open > 1 OR (a.paid = 1) <> (p.status = 'PAID') OR a.paid > 1
      OR (a.open > 0 AND p.status NOT IN ('SCHEDULED', 'PENDING'))
      OR (p.status = 'PAID' AND a.paid_by IS DISTINCT FROM o.end_to_end_id)
      OR (s.status <> 'ACCEPTED' AND (p.status = 'SCHEDULED' OR (p.status = 'PENDING' AND a.open = 0)))
      OR (a.retries > 0 AND NOT s.charges_after_due);
COMMENT ON VIEW law_a_payment_is_its_attempts IS
  'A payment is PAID by one attempt, that of its order; an open one has one open attempt at most, and a subscription that is ACCEPTED.';

CREATE VIEW law_a_charge_is_sent_as_decided WITH (security_invoker = true) AS
  SELECT coalesce(a.company_id, m.company_id) AS company_id, a.id AS attempt_id, m.id AS outbox_id, a.message_id, m.network_id
    FROM (SELECT a.*, p.amount_minor, p.due_on, o.txid, s.provider_id FROM payment_attempts a
            JOIN subscription_payments p ON p.company_id = a.company_id AND p.id = a.payment_id
            JOIN orders o ON o.company_id = p.company_id AND o.id = p.order_id
            JOIN subscriptions s ON s.company_id = p.company_id AND s.id = p.subscription_id
           -- A connection's bank sends again by itself.
           WHERE a.rail = 'pix' OR a.kind <> 'RIFL' OR a.status <> 'PAID') a
    FULL JOIN (SELECT company_id, id, reference_id, rail, network_id, as_json(body) AS body FROM outbox
                WHERE kind = 'charge.send') m
      ON m.company_id = a.company_id AND m.reference_id = a.id
   WHERE (a.rail, a.message_id, a.message_id, a.provider_id, a.txid, a.kind, a.amount_minor::text, a.due_on::text,
          a.collects_on::text)
         IS DISTINCT FROM (m.rail, m.network_id, m.body ->> 'message_id', m.body ->> 'recurrence_id', m.body ->> 'txid', m.body ->> 'kind',
                           m.body #>> '{amount,minor}', m.body ->> 'due_on', m.body ->> 'collect_on');
COMMENT ON VIEW law_a_charge_is_sent_as_decided IS
  'Every attempt has its one instruction to the payer''s bank, of its charge, days and amount, and no instruction is stray.';

CREATE VIEW law_an_attempt_ends_by_the_networks_word WITH (security_invoker = true) AS
  WITH said AS MATERIALIZED (
    SELECT i.company_id, coalesce(b.body ->> 'original_message_id', b.body ->> 'message_id') AS message_id
      FROM inbox i CROSS JOIN LATERAL (SELECT as_json(i.body) AS body OFFSET 0) b
     WHERE i.kind IN ('charge.refused', 'charge.canceled') AND i.outcome = 'handled')
  SELECT a.company_id, a.id, a.payment_id, a.status, a.code FROM payment_attempts a
   WHERE a.status IN ('REJECTED', 'EXPIRED')
     AND NOT EXISTS (SELECT 1 FROM said s WHERE s.company_id = a.company_id AND s.message_id = a.message_id);
COMMENT ON VIEW law_an_attempt_ends_by_the_networks_word IS
  'No attempt is REJECTED or EXPIRED but because its network said so.';

CREATE VIEW law_no_failure_ends_a_charge_before_its_last_window WITH (security_invoker = true) AS
  SELECT a.company_id, a.id, a.payment_id, a.code, a.updated_at, a.closes_at, p.status FROM payment_attempts a
    JOIN subscription_payments p ON p.company_id = a.company_id AND p.id = a.payment_id
   WHERE a.status IN ('REJECTED', 'CANCELED') AND a.code IN ('AB03', 'AB09', 'AB10', 'AB11', 'ED05', 'FAIL') AND p.status <> 'CANCELED'
     AND a.updated_at >= a.collects_on::timestamp AT TIME ZONE 'America/Sao_Paulo' AND a.updated_at < a.closes_at
     AND NOT EXISTS (SELECT 1 FROM payment_attempts n WHERE n.company_id = a.company_id AND n.payment_id = a.payment_id
                        AND n.number = a.number + 1 AND n.kind = 'RIFL' AND n.collects_on = a.collects_on);
COMMENT ON VIEW law_no_failure_ends_a_charge_before_its_last_window IS
  'What failed at a bank on its day, before the last window is over, is sent again for the same day, and is no retry.';

-- disputes

CREATE VIEW law_what_is_blocked_is_disputed WITH (security_invoker = true) AS
  SELECT l.company_id, l.account_id, b.booked_minor, d.disputed_minor FROM ledger_accounts l
   CROSS JOIN LATERAL (SELECT coalesce(sum(change_minor), 0) AS booked_minor FROM ledger_sides x
                        WHERE x.company_id = l.company_id AND x.ledger_account_id = l.id) b
   CROSS JOIN LATERAL (SELECT coalesce(sum(blocked_minor), 0) AS disputed_minor FROM med_objects m
                        WHERE m.company_id = l.company_id AND m.account_id = l.account_id AND l.currency = 'BRL') d
   WHERE l.code = 'BLOCK' AND b.booked_minor <> d.disputed_minor;
COMMENT ON VIEW law_what_is_blocked_is_disputed IS
  'What is blocked of an account is what the disputes about it block, together.';

CREATE VIEW law_a_dispute_is_answered_as_decided WITH (security_invoker = true) AS
  SELECT coalesce(m.company_id, r.company_id) AS company_id, m.id, m.status, m.result, m.returned_minor, r.id AS refund_id,
         r.state, r.amount_minor
    FROM (SELECT * FROM med_objects WHERE object_type = 'REFUND_REQUEST' AND role = 'RECEIVER') m
    FULL JOIN (SELECT r.*, p.end_to_end_id FROM refunds r JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id
                WHERE r.origin = 'MED' AND NOT EXISTS ( -- what is given back of later credits answers nothing
                  SELECT 1 FROM med_objects w WHERE w.company_id = r.company_id AND w.id = r.med_id AND r.created_at >= w.watched_since)
                  AND NOT (r.state = 'ERROR' AND r.receiver_id IS NOT NULL AND EXISTS ( -- it was tried again, or asked anew
                      SELECT 1 FROM med_objects t WHERE t.company_id = r.company_id AND t.id = r.med_id
                         AND t.refund_id IS DISTINCT FROM r.id))) r
      ON r.company_id = m.company_id AND r.med_id = m.id
   WHERE m.id IS NULL OR m.refund_id IS DISTINCT FROM r.id
      OR (r.id IS NOT NULL AND r.end_to_end_id <> m.end_to_end_id)
      OR CASE WHEN m.status = 'OPEN' AND r.id IS NULL THEN m.returned_minor <> 0
              WHEN m.status = 'OPEN' THEN (r.state, m.blocked_minor) IS DISTINCT FROM ('PENDING', r.amount_minor)
              WHEN m.result IN ('TOTALLY_ACCEPTED', 'PARTIALLY_ACCEPTED') THEN (r.state, m.returned_minor,
                   CASE WHEN m.watched_since IS NULL THEN m.blocked_minor ELSE 0 END,
                   m.result = 'TOTALLY_ACCEPTED') IS DISTINCT FROM ('PAID', r.amount_minor, 0::bigint, r.amount_minor >= m.amount_minor)
              ELSE coalesce(r.state, 'ERROR') <> 'ERROR' OR m.returned_minor <> 0 OR m.blocked_minor <> 0 AND m.watched_since IS NULL END;
COMMENT ON VIEW law_a_dispute_is_answered_as_decided IS
  'A refund request is accepted with the return that was made for it, of that amount, and rejected or canceled without any.';

CREATE VIEW law_a_watched_account_keeps_what_is_lacking WITH (security_invoker = true) AS
  SELECT l.company_id, l.account_id, NULL::uuid AS request_id, b.watched AS kept_minor, d.lacking_minor AS wanted_minor
    FROM ledger_accounts l JOIN balances b ON b.company_id = l.company_id AND b.ledger_account_id = l.id
   CROSS JOIN LATERAL (SELECT coalesce(sum(m.lacking_minor), 0) AS lacking_minor FROM med_objects m
                        WHERE m.company_id = l.company_id AND m.account_id = l.account_id AND (l.code, l.currency) = ('CUST', 'BRL')) d
   WHERE b.watched <> d.lacking_minor
  UNION ALL
  SELECT m.company_id, m.account_id, m.id, m.later_minor, r.paid_minor FROM med_objects m
   CROSS JOIN LATERAL (
     SELECT coalesce(sum(r.amount_minor) FILTER (WHERE r.state = 'PAID'), 0) AS paid_minor,
            coalesce(sum(r.amount_minor) FILTER (WHERE r.state = 'PENDING'), 0) AS sent_minor
       FROM refunds r WHERE r.company_id = m.company_id AND r.med_id = m.id AND r.created_at >= m.watched_since) r
   WHERE m.watched_since IS NOT NULL
     AND (m.later_minor <> r.paid_minor OR r.sent_minor > m.blocked_minor OR (m.later_refund_id IS NULL) <> (r.sent_minor = 0));
COMMENT ON VIEW law_a_watched_account_keeps_what_is_lacking IS
  'Of later credits as much is kept as refund requests that watch the account lack, and given back as often as it was blocked, no more.';

CREATE VIEW law_the_directory_hears_what_was_decided WITH (security_invoker = true) AS
  WITH said AS (SELECT company_id, reference_id, kind, as_json(body) AS body FROM outbox WHERE rail = 'med')
  SELECT m.company_id, m.id, m.object_type, m.status, m.result, a.body AS said FROM med_objects m
    LEFT JOIN said a ON a.company_id = m.company_id AND a.reference_id = m.id AND a.kind = 'med.answer'
   WHERE m.object_type = 'REFUND_REQUEST' AND m.role = 'RECEIVER'
     AND (a.body ->> 'result', coalesce((a.body #>> '{returned,minor}')::bigint, 0)) IS DISTINCT FROM
         (CASE m.status WHEN 'ANALYSED' THEN m.result END, m.returned_minor)
  UNION ALL
  SELECT m.company_id, m.id, m.object_type, m.status, m.result, v.body FROM med_objects m
    JOIN said v ON v.company_id = m.company_id AND v.reference_id = m.id AND v.kind = 'med.verdict'
   WHERE (m.object_type, m.role, m.result) IS DISTINCT FROM ('INFRINGEMENT_NOTIFICATION', 'RECEIVER', v.body ->> 'result')
      OR m.status NOT IN ('ANALYSED', 'CANCELLED') -- its recovery was given up afterwards
  UNION ALL
  SELECT s.company_id, s.reference_id, NULL, NULL, NULL, s.body FROM said s
   WHERE NOT EXISTS (SELECT 1 FROM med_objects m WHERE m.company_id = s.company_id AND m.id = s.reference_id)
  UNION ALL
  SELECT m.company_id, m.id, m.object_type, m.status, m.result, NULL FROM med_objects m
   WHERE (m.object_type, m.role) = ('INFRINGEMENT_NOTIFICATION', 'RECEIVER')
     AND NOT EXISTS (SELECT 1 FROM said s WHERE s.company_id = m.company_id AND s.reference_id = m.id AND s.kind = 'med.acknowledge');
COMMENT ON VIEW law_the_directory_hears_what_was_decided IS
  'The directory is told that a notice came, what was decided of it, and how each refund request was answered, and nothing else.';

-- idempotency

CREATE VIEW law_an_answer_has_its_object WITH (security_invoker = true) AS
  SELECT a.company_id, a.operation, a.object_id, a.created_at FROM answers a
   WHERE a.status < 400 AND CASE a.operation
         WHEN 'create_order' THEN NOT EXISTS (
           SELECT 1 FROM orders o WHERE o.company_id = a.company_id AND o.id = a.object_id)
         WHEN 'cancel_order' THEN NOT EXISTS (
           SELECT 1 FROM orders o WHERE o.company_id = a.company_id AND o.id = a.object_id AND o.status = 'CANCELED')
         WHEN 'create_order_payin' THEN NOT EXISTS (
           SELECT 1 FROM orders o WHERE o.company_id = a.company_id AND o.id = a.object_id)
         WHEN 'create_static_qrcode' THEN NOT EXISTS (
           SELECT 1 FROM pix_static_qrcodes q WHERE q.company_id = a.company_id AND q.id = a.object_id)
         WHEN 'create_refund' THEN NOT EXISTS (
           SELECT 1 FROM refunds r WHERE r.company_id = a.company_id AND r.id = a.object_id AND r.origin = 'CLIENT')
         WHEN 'resend_webhook_event' THEN NOT EXISTS (
           SELECT 1 FROM deliveries d WHERE d.company_id = a.company_id AND d.id = a.object_id)
         WHEN 'test_webhook' THEN NOT EXISTS (
           SELECT 1 FROM events e WHERE e.company_id = a.company_id AND e.id = a.object_id)
         WHEN 'resend_webhook_events' THEN a.object_id <> a.company_id
         WHEN 'set_webhook' THEN a.object_id <> a.company_id
         WHEN 'create_card_token' THEN a.object_id <> a.company_id
         WHEN 'list_account_closes' THEN true -- it writes nothing, so that no answer of it is kept
         WHEN 'rotate_webhook_secret' THEN a.object_id <> a.company_id
         WHEN 'create_payout' THEN NOT EXISTS (
           SELECT 1 FROM payouts p WHERE p.company_id = a.company_id AND p.id = a.object_id AND p.idempotency_key = a.key)
         WHEN 'cancel_payout' THEN NOT EXISTS (
           SELECT 1 FROM payouts p WHERE p.company_id = a.company_id AND p.id = a.object_id
              AND (p.status = 'CANCELED' OR p.children > 0))
         WHEN 'create_payout_plan' THEN NOT EXISTS (
           SELECT 1 FROM payout_plans p WHERE p.company_id = a.company_id AND p.id = a.object_id)
         WHEN 'approve_payout_plan' THEN NOT EXISTS (
           SELECT 1 FROM payout_plan_approvals p WHERE p.company_id = a.company_id AND p.plan_id = a.object_id)
         WHEN 'apply_payout_plan' THEN NOT EXISTS (
           SELECT 1 FROM history h WHERE h.company_id = a.company_id AND h.reference_id = a.object_id AND h.trigger = 'apply')
         WHEN 'cancel_payout_plan' THEN NOT EXISTS (
           SELECT 1 FROM payout_plans p WHERE p.company_id = a.company_id AND p.id = a.object_id AND p.status = 'CANCELED')
         WHEN 'open_account' THEN NOT EXISTS (
           SELECT 1 FROM account_requests r WHERE r.company_id = a.company_id AND r.id = a.object_id)
         WHEN 'upload_account_document' THEN NOT EXISTS (
           SELECT 1 FROM account_documents d WHERE d.company_id = a.company_id AND d.id = a.object_id)
         WHEN 'request_account_close' THEN NOT EXISTS (
           SELECT 1 FROM account_close_requests r WHERE r.company_id = a.company_id AND r.id = a.object_id)
         WHEN 'create_key' THEN NOT EXISTS (
           SELECT 1 FROM pix_keys k WHERE k.company_id = a.company_id AND k.id = a.object_id
           UNION ALL SELECT 1 FROM pix_key_validations v WHERE v.company_id = a.company_id AND v.id = a.object_id)
         WHEN 'confirm_key' THEN NOT EXISTS (
           SELECT 1 FROM pix_key_validations v WHERE v.company_id = a.company_id AND v.key_id = a.object_id)
         WHEN 'resend_key_code' THEN NOT EXISTS (
           SELECT 1 FROM pix_key_validations v WHERE v.company_id = a.company_id AND v.id = a.object_id AND v.number > 1)
         WHEN 'create_key_claim' THEN NOT EXISTS (
           SELECT 1 FROM key_claims c WHERE c.company_id = a.company_id AND c.id = a.object_id
           UNION ALL SELECT 1 FROM pix_key_validations v WHERE v.company_id = a.company_id AND v.id = a.object_id AND v.purpose = 'CLAIM')
         WHEN 'confirm_key_claim' THEN NOT EXISTS (
           SELECT 1 FROM pix_key_validations v
            WHERE v.company_id = a.company_id AND v.claim_id = a.object_id AND v.purpose = 'CLAIM' AND v.status = 'CONFIRMED')
         WHEN 'resend_key_claim_code' THEN NOT EXISTS (
           SELECT 1 FROM pix_key_validations v
            WHERE v.company_id = a.company_id AND v.id = a.object_id AND v.purpose = 'CLAIM' AND v.number > 1)
         WHEN 'cancel_key_claim' THEN NOT EXISTS (
           SELECT 1 FROM key_claims c WHERE c.company_id = a.company_id AND c.id = a.object_id AND c.status = 'CANCELLED')
         WHEN 'request_key_claim_code' THEN NOT EXISTS (
           SELECT 1 FROM pix_key_validations v WHERE v.company_id = a.company_id AND v.id = a.object_id AND v.purpose = 'ANSWER')
         WHEN 'resend_key_claim_answer_code' THEN NOT EXISTS (
           SELECT 1 FROM pix_key_validations v
            WHERE v.company_id = a.company_id AND v.id = a.object_id AND v.purpose = 'ANSWER' AND v.number > 1)
         WHEN 'answer_key_claim' THEN NOT EXISTS (
           SELECT 1 FROM pix_key_validations v
            WHERE v.company_id = a.company_id AND v.claim_id = a.object_id AND v.purpose = 'ANSWER' AND v.status = 'CONFIRMED')
         WHEN 'contest_med' THEN NOT EXISTS (
           SELECT 1 FROM med_objects m WHERE m.company_id = a.company_id AND m.id = a.object_id)
         WHEN 'cancel_med' THEN NOT EXISTS (
           SELECT 1 FROM med_objects m WHERE m.company_id = a.company_id AND m.id = a.object_id AND m.status = 'CANCELLED')
         WHEN 'defend_med' THEN NOT EXISTS (
           SELECT 1 FROM med_objects m WHERE m.company_id = a.company_id AND m.id = a.object_id AND m.defended_at IS NOT NULL)
         WHEN 'attach_med_document' THEN NOT EXISTS (
           SELECT 1 FROM med_documents d WHERE d.company_id = a.company_id AND d.id = a.object_id)
         WHEN 'create_subscription' THEN NOT EXISTS (
           SELECT 1 FROM subscriptions s WHERE s.company_id = a.company_id AND s.id = a.object_id)
         WHEN 'cancel_subscription' THEN NOT EXISTS (
           SELECT 1 FROM subscription_cancellations c
            WHERE c.company_id = a.company_id AND c.id = a.object_id AND c.idempotency_key = a.key)
         WHEN 'create_subscription_payment' THEN NOT EXISTS (
           SELECT 1 FROM subscription_payments p WHERE p.company_id = a.company_id AND p.id = a.object_id)
         WHEN 'cancel_subscription_payment' THEN NOT EXISTS (
           SELECT 1 FROM history h WHERE h.company_id = a.company_id AND h.reference_id = a.object_id
              AND h.machine = 'subscription_payments' AND h.trigger IN ('cancel', 'ask to cancel'))
         WHEN 'retry_subscription_payment' THEN NOT EXISTS (
           SELECT 1 FROM history h WHERE h.company_id = a.company_id AND h.reference_id = a.object_id
              AND h.machine = 'subscription_payments' AND h.trigger = 'retry')
         ELSE false END;
COMMENT ON VIEW law_an_answer_has_its_object IS
  'What a stored yes speaks of is there; the order of a cancellation is CANCELED.';

CREATE VIEW law_an_answer_is_kept_its_time WITH (security_invoker = true) AS
  SELECT company_id, operation, object_id, keep, created_at FROM answers
   WHERE body IS NULL AND (keep <> 'month' OR created_at > (SELECT business_now()) - interval '30 days');
COMMENT ON VIEW law_an_answer_is_kept_its_time IS
  'A stored answer has its body until its month is over, and for ever where its key is.';

-- statements of networks and partners

-- Statements that are taken, of days without an open difference. In a shard every statement: the institution may be in another.
CREATE VIEW explained_statements WITH (security_invoker = true) AS
  SELECT s.id FROM statements s
   WHERE s.state = 'TAKEN' AND NOT EXISTS (SELECT 1 FROM statement_items i WHERE i.state = 'OPEN' AND i.rail = s.rail AND i.day = s.day);

CREATE VIEW law_a_reconciled_day_is_in_the_ledger WITH (security_invoker = true) AS
  WITH told AS MATERIALIZED (
    SELECT l.company_id, l.id, l.rail, l.day, l.kind, l.network_id,
           CASE WHEN l.kind IN ('IN', 'RETURN_IN') THEN 1 ELSE -1 END AS sign, l.amount_minor
      FROM explained_statements s
      JOIN statement_lines l ON l.statement_id = s.id AND l.is_current AND l.kind NOT IN ('FEE', 'CHARGEBACK')
     WHERE NOT EXISTS (SELECT 1 FROM statement_items i WHERE i.company_id = l.company_id AND i.statement_id = l.statement_id
                          AND i.line_id = l.line_id AND i.state = 'ACCEPTED')),
  ours AS ( -- what of ours a line is: by which object, and at what time where that has more than one, it was booked
    SELECT t.*, p.id AS reference_id, NULL::timestamptz AS booked_at
      FROM told t JOIN pix_payments p ON p.company_id = t.company_id AND p.end_to_end_id = t.network_id AND p.rail = t.rail
     WHERE t.kind = 'IN'
    UNION ALL -- what waited in suspense came in by itself; what paid the order at once came in with it, but for what was too much
    SELECT t.*, p.order_id, NULL
      FROM told t JOIN pix_payments p ON p.company_id = t.company_id AND p.end_to_end_id = t.network_id AND p.rail = t.rail
     WHERE t.kind = 'IN' AND p.state = 'SETTLED'
       AND NOT EXISTS (SELECT 1 FROM history h WHERE h.company_id = p.company_id AND h.reference_id = p.id AND h.version = 1
                          AND h.to_state = 'HELD')
    UNION ALL
    SELECT t.*, r.id, NULL FROM told t
      JOIN refunds r ON r.company_id = t.company_id AND r.return_id = t.network_id AND r.rail = t.rail
     WHERE t.kind = 'RETURN_OUT' OR t.kind = 'OUT' AND r.receiver_id IS NOT NULL -- what is paid anew is a payment
    UNION ALL
    SELECT t.*, o.id, NULL FROM told t
      JOIN payouts o ON o.company_id = t.company_id AND o.end_to_end_id = t.network_id AND o.rail = t.rail
     WHERE t.kind = 'OUT'
    UNION ALL
    SELECT t.*, o.id, NULL FROM told t
      JOIN payouts o ON o.company_id = t.company_id AND o.control_number = t.network_id AND o.rail = t.rail
     WHERE t.kind = 'OUT'
    UNION ALL
    SELECT t.*, r.payout_id, r.created_at FROM told t
      JOIN payout_returns r ON r.company_id = t.company_id AND r.return_id = t.network_id
     WHERE t.kind = 'RETURN_IN'),
  booked AS (
    SELECT o.company_id, o.rail, o.day, -sum(x.change_minor) AS booked_minor FROM ours o
      JOIN ledger_sides x ON x.company_id = o.company_id AND x.reference_id = o.reference_id
       AND (o.booked_at IS NULL OR x.created_at = o.booked_at) AND sign(-x.change_minor) = o.sign
       AND x.type NOT IN ('PIX_RETURN_PAID_OUT', 'TED_RETURN_PAID_OUT') -- which went by another way than the payout
      JOIN ledger_accounts a ON a.company_id = x.company_id AND a.id = x.ledger_account_id AND a.code = 'NET' AND a.rail = o.rail
     GROUP BY o.company_id, o.rail, o.day),
  days AS (SELECT company_id, rail, day, sum(sign * amount_minor) AS told_minor FROM told GROUP BY company_id, rail, day)
  SELECT d.company_id, d.rail, d.day, d.told_minor, coalesce(b.booked_minor, 0) AS booked_minor FROM days d
    LEFT JOIN booked b ON b.company_id = d.company_id AND b.rail = d.rail AND b.day = d.day
   WHERE d.told_minor <> coalesce(b.booked_minor, 0);
COMMENT ON VIEW law_a_reconciled_day_is_in_the_ledger IS
  'On a day whose statement is taken and explained, what it says came and went is what the NET accounts were moved by for it.';

-- companies

CREATE VIEW law_numbers_lead_to_their_owner WITH (security_invoker = true) AS
  SELECT coalesce(c.company_id, n.company_id) AS company_id, n.number::text, 'company_numbers' AS place,
         n.company_id AS leads_to
    FROM (SELECT * FROM company_numbers WHERE lies_here(company_id)) n FULL JOIN companies c ON c.number = n.number
   WHERE c.company_id IS DISTINCT FROM n.company_id
  UNION ALL
  SELECT coalesce(a.company_id, n.company_id), n.number, 'account_numbers', n.account_id
    FROM (SELECT * FROM account_numbers WHERE lies_here(company_id)) n FULL JOIN accounts a ON a.number = n.number
   WHERE (a.company_id, a.id) IS DISTINCT FROM (n.company_id, n.account_id)
  UNION ALL
  SELECT coalesce(k.company_id, o.company_id), coalesce(k.key, o.key), 'own_keys', o.account_id
    FROM (SELECT * FROM own_keys WHERE lies_here(company_id)) o
    FULL JOIN (SELECT * FROM pix_keys WHERE status = 'ACTIVE') k ON k.key = o.key
   WHERE (k.company_id, k.account_id) IS DISTINCT FROM (o.company_id, o.account_id);
COMMENT ON VIEW law_numbers_lead_to_their_owner IS
  'A company''s number, an account''s number and an active key lead to their owner, and none leads nowhere.';

CREATE VIEW law_ids_name_their_company WITH (security_invoker = true) AS
  WITH named AS MATERIALIZED (SELECT company_id, base62(number, 5) AS digits FROM companies)
  SELECT n.company_id, 'clients' AS place, c.client_id AS name FROM named n
    JOIN clients c ON c.company_id = n.company_id AND c.client_id NOT LIKE 'outside:%' AND substr(c.client_id, 4, 5) <> n.digits
  UNION ALL
  SELECT n.company_id, 'orders', o.id::text FROM named n
    JOIN orders o ON o.company_id = n.company_id
     AND (substr(o.txid, 1, 5) <> n.digits OR substr(o.location_token, 1, 5) <> n.digits
          OR substr(o.order_token, 1, 5) <> n.digits)
  UNION ALL
  SELECT n.company_id, 'pix_static_qrcodes', q.id::text FROM named n
    JOIN pix_static_qrcodes q ON q.company_id = n.company_id AND substr(q.txid, 1, 5) <> n.digits
  UNION ALL
  SELECT n.company_id, 'refunds', r.id::text FROM named n
    JOIN refunds r ON r.company_id = n.company_id
     AND CASE r.rail WHEN 'ted' THEN substr(r.return_id, 2, 5) ELSE substr(r.return_id, 22, 5) END <> n.digits
  UNION ALL
  SELECT n.company_id, 'payouts', p.id::text FROM named n
    JOIN payouts p ON p.company_id = n.company_id
     AND (substr(p.end_to_end_id, 22, 5) <> n.digits OR substr(p.control_number, 2, 5) <> n.digits)
  UNION ALL
  SELECT n.company_id, 'subscriptions', s.id::text FROM named n
    JOIN subscriptions s ON s.company_id = n.company_id
     -- A connection's bank makes the idRec.
     AND ((s.rail = 'pix' AND substr(s.provider_id, 19, 5) <> n.digits) OR substr(s.location_token, 1, 5) <> n.digits)
  UNION ALL
  SELECT n.company_id, 'account_requests', r.id::text FROM named n
    JOIN account_requests r ON r.company_id = n.company_id AND substr(r.analysis_reference, 1, 5) <> n.digits;
COMMENT ON VIEW law_ids_name_their_company IS
  'Our client ids, txids, locations, order tokens, endToEndIds, idRecs, TED control numbers and return ids carry the number of their company.';

CREATE VIEW law_an_account_is_the_companys_own WITH (security_invoker = true) AS
  SELECT p.company_id, 'pix_payments' AS place, p.id, p.account_id FROM pix_payments p
   WHERE p.account_id IS NOT NULL
     AND NOT EXISTS (SELECT 1 FROM accounts a WHERE a.company_id = p.company_id AND a.id = p.account_id)
  UNION ALL
  SELECT c.company_id, 'companies', c.company_id, c.default_account_id FROM companies c
   WHERE c.default_account_id IS NOT NULL
     AND NOT EXISTS (SELECT 1 FROM accounts a WHERE a.company_id = c.company_id AND a.id = c.default_account_id);
COMMENT ON VIEW law_an_account_is_the_companys_own IS
  'The accounts that a payment or a company names are the company''s own.';

CREATE VIEW law_an_approved_request_has_its_account WITH (security_invoker = true) AS
  SELECT r.company_id, r.id, r.status, r.account_id FROM account_requests r
    JOIN parties p ON p.company_id = r.company_id AND p.id = r.party_id
    LEFT JOIN accounts a ON a.company_id = r.company_id AND a.id = r.account_id
   WHERE (r.status = 'APPROVED') <> (a.id IS NOT NULL)
      OR (a.id IS NOT NULL AND p.document_number IS NOT NULL
          AND (a.holder_type, a.document_number) IS DISTINCT FROM (r.holder_type, p.document_number));
COMMENT ON VIEW law_an_approved_request_has_its_account IS
  'A request for an account has one exactly when it is approved, and that is of the holder it was made for.';

CREATE VIEW law_a_closed_account_was_asked_to_close WITH (security_invoker = true) AS
  SELECT coalesce(a.company_id, r.company_id) AS company_id, coalesce(a.id, r.account_id) AS account_id, a.status, r.status AS request
    FROM (SELECT * FROM accounts WHERE status = 'CLOSED') a
    FULL JOIN (SELECT * FROM account_close_requests WHERE status <> 'REFUSED') r ON r.company_id = a.company_id AND r.account_id = a.id
   WHERE a.id IS NULL OR r.id IS NULL;
COMMENT ON VIEW law_a_closed_account_was_asked_to_close IS
  'An account is CLOSED exactly when one request to close it was granted.';

CREATE VIEW law_a_closed_account_has_nothing_at_rest WITH (security_invoker = true) AS
  WITH closed AS (SELECT company_id, id FROM accounts WHERE status = 'CLOSED')
  SELECT c.company_id, c.id AS account_id, o.kind, o.currency, o.minor, o.items FROM closed c
   CROSS JOIN LATERAL account_obstacles(c.company_id, c.id) o
   WHERE o.kind NOT IN ('OWED', 'DISPUTES') -- a chargeback, a TED that has left after all, a dispute may come later
  UNION ALL
  SELECT c.company_id, c.id, 'ORDER ' || o.id, NULL, NULL, NULL FROM closed c
    JOIN orders o ON o.company_id = c.company_id AND o.account_id = c.id AND o.status = 'INITIAL'
  UNION ALL
  SELECT c.company_id, c.id, 'SUBSCRIPTION ' || s.id, NULL, NULL, NULL FROM closed c
    JOIN subscriptions s ON s.company_id = c.company_id AND s.account_id = c.id
     AND s.status IN ('INITIAL', 'PENDING_AUTHORIZATION', 'ACCEPTED')
  UNION ALL
  SELECT c.company_id, c.id, 'KEY ' || k.id, NULL, NULL, NULL FROM closed c
    JOIN pix_keys k ON k.company_id = c.company_id AND k.account_id = c.id AND k.status = 'ACTIVE' AND k.claim_id IS NULL;
COMMENT ON VIEW law_a_closed_account_has_nothing_at_rest IS
  'A CLOSED account has no money, nothing unfinished, no open order or subscription and no key, when nothing is on its way.';

-- keys

CREATE VIEW law_a_code_is_sent_and_counted WITH (security_invoker = true) AS
  SELECT v.company_id, v.id, v.number, m.sent, v.tries, h.mistakes FROM pix_key_validations v
   CROSS JOIN LATERAL (
     SELECT count(*) AS sent FROM outbox m WHERE m.company_id = v.company_id AND m.reference_id = v.id AND m.kind = 'code.send') m
   CROSS JOIN LATERAL (
     SELECT count(*) AS mistakes FROM history h WHERE h.company_id = v.company_id AND h.reference_id = v.id
        AND h.trigger IN ('mistake', 'mistake last')) h
   WHERE (m.sent, h.mistakes) IS DISTINCT FROM (v.number::bigint, v.tries::bigint) OR (v.tries = 5 AND v.status <> 'EXPIRED');
COMMENT ON VIEW law_a_code_is_sent_and_counted IS
  'Each code of a validation is ordered once, each wrong one that came back is counted, and the fifth has ended it.';

CREATE VIEW law_a_proof_makes_its_key WITH (security_invoker = true) AS
  SELECT v.company_id, v.id AS validation_id, k.id AS key_id, v.status, k.type FROM pix_key_validations v
    FULL JOIN (SELECT company_id, id, account_id, type, key FROM pix_keys WHERE type IN ('EMAIL', 'PHONE')) k ON k.company_id = v.company_id AND k.id = v.key_id
   WHERE v.status = 'CONFIRMED' AND v.purpose = 'KEY' AND (k.account_id, k.type, k.key) IS DISTINCT FROM (v.account_id, v.type, v.key)
      OR v.id IS NULL AND NOT EXISTS (
         SELECT 1 FROM key_claims c WHERE c.company_id = k.company_id AND c.key_id = k.id AND c.role = 'CLAIMER');
COMMENT ON VIEW law_a_proof_makes_its_key IS
  'A key that is an e-mail address or a phone was made by one validation, of the same account, or won by a claim.';

CREATE VIEW law_a_claim_moves_its_key WITH (security_invoker = true) AS
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

CREATE VIEW law_the_directory_hears_of_claims WITH (security_invoker = true) AS
  SELECT c.company_id, c.id, c.role, c.status, m.acknowledged, m.completed, m.canceled FROM key_claims c
   CROSS JOIN LATERAL (
     SELECT count(*) FILTER (WHERE o.kind = 'claim.acknowledge') AS acknowledged, count(*) FILTER (WHERE o.kind = 'claim.complete') AS completed,
            count(*) FILTER (WHERE o.kind = 'claim.cancel') AS canceled
       FROM outbox o WHERE o.company_id = c.company_id AND o.reference_id = c.id AND o.rail = 'claims') m
   CROSS JOIN LATERAL ( -- what it went through at one instant, since a word of it was missed, it never stood in: nothing was to be said then
     SELECT count(*) FILTER (WHERE s.stood AND s.to_state = 'OPEN') AS open,
            count(*) FILTER (WHERE s.stood AND s.to_state = 'CONFIRMED') AS stood, count(*) FILTER (WHERE s.to_state = 'CONFIRMED') AS confirmed
       FROM (SELECT h.to_state, lead(h.created_at) OVER (ORDER BY h.version) IS DISTINCT FROM h.created_at AS stood
               FROM history h WHERE h.company_id = c.company_id AND h.reference_id = c.id) s) h
   WHERE CASE WHEN c.role = 'DONOR' THEN m.acknowledged NOT BETWEEN least(h.open, 1) AND 1 OR m.completed > 0
              WHEN c.claim_type <> 'PORTABILITY' THEN m.acknowledged + m.completed > 0
              WHEN m.canceled > 0 THEN m.acknowledged > 0
              ELSE m.acknowledged > 0 OR m.completed NOT BETWEEN least(h.stood, 1) AND least(h.confirmed, 1) END;
COMMENT ON VIEW law_the_directory_hears_of_claims IS
  'Each claim of a key here is acknowledged once, unless heard of later, and each portability confirmed to us is completed once, unless over.';

-- people

CREATE VIEW law_every_change_of_a_person_is_told WITH (security_invoker = true) AS
  SELECT p.only_company AS company_id, p.id AS person_id, p.version, t.told, t.last
    FROM people p CROSS JOIN LATERAL (
      SELECT count(a.version) AS told, max(a.version) AS last FROM people_acts a WHERE a.person_id = p.id) t
   WHERE t.told <> p.version OR t.last IS DISTINCT FROM p.version;
COMMENT ON VIEW law_every_change_of_a_person_is_told IS
  'A person of the console has one row among the acts for each of its versions, and none for a version that it does not have.';

CREATE VIEW law_who_has_ended_is_known_everywhere WITH (security_invoker = true) AS
  SELECT p.only_company AS company_id, coalesce(p.id, e.person_id) AS person_id, p.ended_at, e.ended_at AS told_at
    FROM people p FULL JOIN (SELECT o.person_id, max(o.ended_at) AS ended_at FROM people_ended o GROUP BY o.person_id) e ON e.person_id = p.id
   WHERE CASE WHEN p.ended_at IS NULL THEN e.ended_at < machine_now() - interval '1 day' ELSE e.ended_at IS NULL END;
COMMENT ON VIEW law_who_has_ended_is_known_everywhere IS
  'Every server knows of a person of the console who has ended, and of nobody else for longer than a day.';

-- ───────────────────────────────────────────── rights ─────────────────────────────────────────────
-- lastro_app    what API and worker do for one company at a time, behind row-level security
-- lastro_work   finds work across companies: ids and due times, nothing else
-- lastro_audit  reads everything, for verify

REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO lastro_app, lastro_work, lastro_audit;
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO lastro_app, lastro_work, lastro_audit;

DO $$
DECLARE
  t text;
BEGIN
  FOR t IN SELECT c.table_name FROM information_schema.columns c JOIN information_schema.tables i USING (table_schema, table_name)
            WHERE c.table_schema = 'public' AND c.column_name = 'company_id' AND i.table_type = 'BASE TABLE'
              AND c.table_name NOT IN ('company_numbers', 'account_numbers', 'own_keys', 'rails') LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY tenant ON %I TO lastro_app USING (company_id = tenant()) WITH CHECK (company_id = tenant())', t);
    EXECUTE format('CREATE POLICY audit ON %I FOR SELECT TO lastro_audit USING (true)', t);
  END LOOP;
END $$;

GRANT SELECT ON ALL TABLES IN SCHEMA public TO lastro_app, lastro_audit;
REVOKE SELECT ON signing_keys, people, people_links, people_sessions, sign_in_tries FROM lastro_audit;
GRANT SELECT (id, email, name, only_company, roles, ended_at, created_at, version) ON people TO lastro_audit;
GRANT INSERT ON ALL TABLES IN SCHEMA public TO lastro_app;
REVOKE INSERT ON clock, allowed_moves, eras, beats FROM lastro_app;
DO $$
BEGIN
  IF to_regclass('public.migrations') IS NOT NULL THEN REVOKE INSERT ON migrations FROM lastro_app; END IF;
END $$;
GRANT UPDATE ON companies, clients, parties, accounts, pix_keys, pix_key_validations, key_claims, balances, orders, pix_payments, foreign_payments, refunds, card_payments,
                payouts, payout_plans, payout_plan_bodies, payout_plan_lines, med_objects, subscriptions, subscription_cancellations,
                subscription_payments,
                payment_attempts, account_limits, quotas, directory_buckets, directory_look_ups, directory_unknown, partner_states, rail_cursors, law_checks,
                event_cursors, event_eras, entry_cursors, deliveries, webhook_settings, webhook_circuits, outbox, inbox, signing_keys,
                statements, statement_items, account_requests, account_documents, account_close_requests,
                connections, connection_keys TO lastro_app;
GRANT UPDATE (sealed, version) ON med_documents TO lastro_app; -- erased, or sealed by another key
GRANT UPDATE (is_current) ON statement_lines TO lastro_app;
GRANT UPDATE (decision_id, is_paid_out, version) ON payout_returns TO lastro_app; -- what came back is never changed
GRANT DELETE ON entries_behind, own_keys, directory_buckets, directory_look_ups, directory_unknown TO lastro_app;
GRANT UPDATE ON people, people_links, people_sessions, sign_in_tries TO lastro_app;
GRANT DELETE ON people_links, people_sessions, sign_in_tries TO lastro_app; -- what is over; what was done stays
GRANT DELETE ON people_ended TO lastro_app; -- of somebody who was not ended after all
GRANT UPDATE (beat, at, server, timeline) ON beats TO lastro_app;
GRANT UPDATE (offset_us, target_at, version) ON clock TO lastro_app; -- the table's CHECK keeps production at zero
GRANT UPDATE (body), DELETE ON answers TO lastro_app;
GRANT UPDATE (removed_at, version) ON company_fees TO lastro_app; -- what a plan costs is never changed
GRANT UPDATE (body) ON events TO lastro_app;
CREATE POLICY forget ON events AS RESTRICTIVE FOR UPDATE TO lastro_app USING (true)
  WITH CHECK (body IS NULL OR is_left_by_erasure(company_id, id, body));
GRANT UPDATE (message) ON delivery_attempts TO lastro_app;
CREATE POLICY forget ON delivery_attempts AS RESTRICTIVE FOR UPDATE TO lastro_app USING (true) WITH CHECK (message = '');
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO lastro_app;

GRANT SELECT ON clock, eras, beats, company_numbers, account_numbers, event_cursors, event_eras, event_numbers, entry_cursors, entries_behind, partner_states, rail_cursors, law_checks TO lastro_work;
GRANT SELECT (company_id, created_at) ON transfers TO lastro_work;
GRANT SELECT (company_id, id, due_at, leased_until, rail, sends) ON outbox, inbox TO lastro_work;
GRANT SELECT (created_at) ON outbox TO lastro_work;
GRANT SELECT (subject, kind, received_at) ON inbox TO lastro_work;
GRANT SELECT (company_id, id, reference_id, sequence, endpoint, status, due_at, leased_until) ON deliveries TO lastro_work;
GRANT SELECT (company_id, endpoint, state, probe_at) ON webhook_circuits TO lastro_work;
GRANT SELECT ON held_deliveries TO lastro_work;
GRANT SELECT (company_id, id, expires_at, ends_at, payment_method, status, subscription_id) ON orders TO lastro_work;
GRANT SELECT (company_id, id, lapses_at, ends_at, charge_at, ask_at, status, rail) ON subscriptions TO lastro_work;
GRANT SELECT (company_id, id, subscription_id, due_at, ask_at, cancel_message_id, status, rail) ON subscription_payments TO lastro_work;
GRANT SELECT (company_id, id, ask_at, status, rail) ON payment_attempts TO lastro_work;
GRANT SELECT (company_id, id, ask_at, status, created_at, rail) ON subscription_cancellations TO lastro_work;
GRANT SELECT (company_id, id, ask_at, state, rail) ON pix_payments, refunds TO lastro_work;
GRANT SELECT (company_id, id, ask_at, state) ON card_payments TO lastro_work;
GRANT SELECT (company_id, id, batch_id, ask_at, start_at, status, rail, updated_at) ON payouts TO lastro_work;
GRANT SELECT (company_id, id, due_at, leased_until) ON payout_plans TO lastro_work;
GRANT SELECT (company_id, id, due_at, object_type, role, status, created_at, reason, deadline) ON med_objects TO lastro_work;
GRANT SELECT (company_id, order_id, rail, reference) ON instruments TO lastro_work;
GRANT SELECT (company_id, rail, created_at) ON connections TO lastro_work;
GRANT SELECT (company_id, rail, state, reason, created_at) ON foreign_payments TO lastro_work;
GRANT SELECT (company_id, id, account_id, status, created_at) ON account_close_requests TO lastro_work;
GRANT SELECT (company_id, id, status, expires_at, ask_at, key_due_at) ON account_requests TO lastro_work;
GRANT SELECT ON own_keys, rails TO lastro_work;
-- What the rows of every server lead to.
GRANT SELECT (company_id, number) ON companies TO lastro_work;
GRANT SELECT (company_id, id, number) ON accounts TO lastro_work;
GRANT SELECT (company_id, key, account_id, status) ON pix_keys TO lastro_work;
GRANT SELECT (company_id, id, expires_at, status) ON pix_key_validations TO lastro_work;
GRANT SELECT (company_id, id, account_id, due_at, ask_at, status) ON key_claims TO lastro_work;
GRANT SELECT (company_id, id, xid, created_at) ON events TO lastro_work;
GRANT SELECT (company_id, keep, created_at) ON answers TO lastro_work;
GRANT SELECT (company_id, id, rail, day, state, due_at, leased_until) ON statements TO lastro_work;
GRANT SELECT (company_id, rail, kind, network_id, is_current, statement_id) ON statement_lines TO lastro_work;
GRANT SELECT (company_id, rail, kind, network_id, day, difference, state, created_at) ON statement_items TO lastro_work;
-- What was settled on a day, by its id in the network.
GRANT SELECT (end_to_end_id, settled_at) ON pix_payments TO lastro_work;
GRANT SELECT (return_id, updated_at, origin, receiver_id, payment_id, amount_minor) ON refunds TO lastro_work;
GRANT SELECT (created_at) ON pix_payments TO lastro_work;
GRANT SELECT (company_id, chargeback_id, taken_at, rail) ON chargebacks TO lastro_work;
GRANT SELECT (end_to_end_id, control_number, paid_at, children) ON payouts TO lastro_work;
GRANT SELECT (company_id, payout_id, return_id, settled_at, created_at, is_unfit, decision_id) ON payout_returns TO lastro_work;
DO $$
DECLARE
  t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['companies', 'accounts', 'pix_keys', 'outbox', 'inbox', 'deliveries', 'webhook_circuits', 'orders', 'instruments', 'connections', 'pix_payments', 'refunds', 'card_payments', 'payouts', 'med_objects',
                           'payout_plans', 'subscriptions', 'subscription_cancellations', 'subscription_payments',
                           'payment_attempts', 'pix_key_validations', 'key_claims', 'account_requests', 'account_close_requests', 'events', 'event_cursors', 'event_eras', 'entry_cursors', 'entries_behind', 'transfers',
                           'event_numbers', 'answers', 'statements', 'statement_lines',
                           'statement_items', 'payout_returns', 'chargebacks', 'foreign_payments'] LOOP
    EXECUTE format('CREATE POLICY work ON %I FOR SELECT TO lastro_work USING (true)', t);
  END LOOP;
END $$;

-- Every payment writes to each of these. New statistics of one make every session plan each of its statements anew that reads it,
-- and what they hold hardly changes as they grow: so they are taken when a table is half as large again. It is changes that are
-- counted: a row of most is written once, of inbox and pix_payments twice, of orders, outbox, deliveries and payouts three times.
ALTER TABLE inbox SET (autovacuum_analyze_scale_factor = 1.0);
ALTER TABLE orders SET (autovacuum_analyze_scale_factor = 1.5);
ALTER TABLE history SET (autovacuum_analyze_scale_factor = 0.5);
ALTER TABLE answers SET (autovacuum_analyze_scale_factor = 0.5);
ALTER TABLE events SET (autovacuum_analyze_scale_factor = 0.5);
ALTER TABLE outbox SET (autovacuum_analyze_scale_factor = 1.5);
ALTER TABLE deliveries SET (autovacuum_analyze_scale_factor = 1.5);
ALTER TABLE pix_payments SET (autovacuum_analyze_scale_factor = 1.0);
ALTER TABLE parties SET (autovacuum_analyze_scale_factor = 0.5);
ALTER TABLE transfers SET (autovacuum_analyze_scale_factor = 0.5);
ALTER TABLE entries SET (autovacuum_analyze_scale_factor = 0.5);
ALTER TABLE event_numbers SET (autovacuum_analyze_scale_factor = 0.5);
ALTER TABLE delivery_attempts SET (autovacuum_analyze_scale_factor = 0.5);
ALTER TABLE payouts SET (autovacuum_analyze_scale_factor = 1.5);
