-- Bank lists that were imported, in place of the one that comes with the code.

CREATE TABLE bank_lists (                             -- reference table: who can be paid, as it was imported; the newest holds
  number integer PRIMARY KEY,                         -- 1, 2, 3 …; while there is none, the list that came with the code holds
  imported_at timestamptz NOT NULL,                   -- machine time
  list text NOT NULL                                  -- CSV: ispb, compe, short_name, name, str, pix
);
GRANT SELECT ON bank_lists TO lastro_app, lastro_audit;
GRANT INSERT ON bank_lists TO lastro_app;
