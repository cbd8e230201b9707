-- For the figures: since when a message is there that was sent or handled in vain.
GRANT SELECT (sends) ON outbox, inbox TO lastro_work;
GRANT SELECT (created_at) ON outbox TO lastro_work;
GRANT SELECT (received_at) ON inbox TO lastro_work;

COMMENT ON VIEW law_the_directory_hears_of_claims IS
  'Each claim of a key here is acknowledged once, and each portability confirmed to us completed once, unless it was over when heard of.';
