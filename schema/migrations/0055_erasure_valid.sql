-- Read through while others write: the constraint binds new rows since the migration before.
ALTER TABLE parties VALIDATE CONSTRAINT parties_erased;
