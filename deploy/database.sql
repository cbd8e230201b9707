-- The database of lastro and its logins, each with what it needs and no more. `deploy/make-database` runs this as `postgres`,
-- once, and sets the passwords: app, work, audit, migrate and backup. The roles' rights come with the schema (lastro migrate).

-- The server's own log names nobody: of an error it keeps message and code, and no row, no value.
ALTER SYSTEM SET log_error_verbosity = 'terse';
ALTER SYSTEM SET log_min_error_statement = 'panic';
ALTER SYSTEM SET log_parameter_max_length = 0;
ALTER SYSTEM SET autovacuum_naptime = '15s';
ALTER SYSTEM SET checkpoint_timeout = '15min';
ALTER SYSTEM SET max_wal_size = '4GB';
SELECT pg_reload_conf();

-- It owns the books, and nobody logs in as it: lastro_migrate takes it on.
CREATE ROLE lastro_owner NOLOGIN;
-- One company at a time, behind row-level security.
CREATE ROLE lastro_app LOGIN PASSWORD :'app';
-- Ids, states and due times of all companies: that is how a worker finds work.
CREATE ROLE lastro_work LOGIN PASSWORD :'work';
-- Reads everything but signing keys, writes nothing.
CREATE ROLE lastro_audit LOGIN PASSWORD :'audit';
-- Makes roles? No: they are here. Its password stays with root, and no process that serves has it.
CREATE ROLE lastro_migrate LOGIN PASSWORD :'migrate' IN ROLE lastro_owner, lastro_app, lastro_work, lastro_audit;
-- Copies the server, and reads what a backup says of itself.
CREATE ROLE lastro_backup LOGIN REPLICATION PASSWORD :'backup' IN ROLE lastro_audit;

CREATE DATABASE lastro OWNER lastro_migrate TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8';
REVOKE ALL ON DATABASE lastro FROM PUBLIC;
GRANT CONNECT ON DATABASE lastro TO lastro_app, lastro_work, lastro_audit, lastro_backup;
