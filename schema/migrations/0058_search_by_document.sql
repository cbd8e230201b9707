-- Outside a transaction: every order writes a person, and goes on doing so while this is made.
-- The console's search finds a person by CPF or CNPJ: the parties that have it, and through their ids what names them.

CREATE INDEX CONCURRENTLY IF NOT EXISTS parties_of_document ON parties (company_id, document_number, id) WHERE document_number IS NOT NULL;
