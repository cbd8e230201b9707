-- The network's memory. Amounts in cents; times in microseconds since 1970, business time unless the comment says machine.

CREATE TABLE IF NOT EXISTS number (          -- the clock's offset and counters
    name  TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS participant (     -- institutions whose locations are trusted
    ispb TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    jku  TEXT NOT NULL,
    host TEXT NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS message (         -- from the network to a participant; none is ever deleted, nor a payment
    seq           INTEGER PRIMARY KEY,
    msg_id        TEXT NOT NULL UNIQUE,
    ispb          TEXT NOT NULL,
    type          TEXT NOT NULL,
    end_to_end_id TEXT,                      -- or the idRec that it is about
    body          TEXT NOT NULL,
    available_at  INTEGER NOT NULL,
    stream        TEXT,                      -- who has it now
    pull          INTEGER,                   -- with which of the stream's pulls it was given
    lease_until   INTEGER,                   -- machine
    confirmed     INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX IF NOT EXISTS message_open ON message (ispb, seq) WHERE confirmed = 0;

CREATE TABLE IF NOT EXISTS stream (
    id    TEXT PRIMARY KEY,
    ispb  TEXT NOT NULL,
    name  TEXT,
    pulls INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE IF NOT EXISTS received (        -- from a participant to the network
    msg_id      TEXT PRIMARY KEY,
    ispb        TEXT NOT NULL,
    body        TEXT NOT NULL,
    resource_id TEXT NOT NULL,
    received_at INTEGER NOT NULL             -- machine
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS payment (
    seq           INTEGER PRIMARY KEY,
    end_to_end_id TEXT NOT NULL UNIQUE,
    sender        TEXT NOT NULL,             -- ISPB of the payer's bank
    receiver      TEXT NOT NULL,
    tx_id         TEXT,
    amount        INTEGER NOT NULL,
    body          TEXT NOT NULL,             -- the fields of its pacs.008
    accepted_at   INTEGER NOT NULL,
    status        TEXT NOT NULL CHECK (status IN ('PENDING', 'ACCC', 'RJCT')),
    step          TEXT NOT NULL CHECK (step IN ('ASKED', 'FINISHING', 'DONE')),
    asked         INTEGER NOT NULL,          -- the receiver's bank was asked, so it hears the end
    code          TEXT,
    due_at        INTEGER,                   -- machine: when the step ends by itself
    settled_at    INTEGER,
    behaviour     TEXT,                      -- the fault that strikes it
    fault_code    TEXT,
    fault_delay   INTEGER NOT NULL DEFAULT 0,-- microseconds
    withheld      INTEGER NOT NULL DEFAULT 0 -- the end is told only to who asks
) STRICT;
CREATE INDEX IF NOT EXISTS payment_due ON payment (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS payment_unasked ON payment (tx_id) WHERE asked = 0;

CREATE TABLE IF NOT EXISTS recurrence (      -- of Pix Automático, as the payer's bank last read it
    id_rec      TEXT PRIMARY KEY,
    qrcode_data TEXT NOT NULL,
    body        TEXT NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS authorization (   -- a payer's word on a recurrence; one that was refused may be given anew
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    id_rec        TEXT NOT NULL,
    receiver      TEXT NOT NULL,             -- ISPB of the receiver's bank
    payer         TEXT NOT NULL,             -- the payer's side of its messages
    maximum       INTEGER,                   -- that he lets one charge be
    end_to_end_id TEXT,                      -- of the payment that it stands and falls with
    status        TEXT NOT NULL CHECK (status IN ('PENDING', 'AUTHORIZED', 'REJECTED', 'DECLINED', 'CANCELED')),
    code          TEXT,                      -- of a refusal or cancellation
    accepted_at   INTEGER NOT NULL,
    decided_at    INTEGER,                   -- when it took the status that it has
    behaviour     TEXT                       -- the fault that strikes it
) STRICT;
CREATE INDEX IF NOT EXISTS authorization_of ON authorization (id_rec);
CREATE INDEX IF NOT EXISTS authorization_paid ON authorization (end_to_end_id) WHERE end_to_end_id IS NOT NULL;

CREATE TABLE IF NOT EXISTS cancellation (    -- of an authorization, asked for by the receiver's bank: pain.011
    msg_id     TEXT PRIMARY KEY,
    id_rec     TEXT NOT NULL,
    sender     TEXT NOT NULL,
    reason     TEXT NOT NULL,
    status     TEXT NOT NULL CHECK (status IN ('ACCP', 'RJCT')),
    code       TEXT,
    decided_at INTEGER NOT NULL,
    told_at    INTEGER NOT NULL,             -- before it the bank says nothing of its decision
    withheld   INTEGER NOT NULL DEFAULT 0    -- the decision is told only to who asks
) STRICT;

CREATE TABLE IF NOT EXISTS instruction (     -- to collect a charge of a recurrence: pain.013
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    msg_id        TEXT NOT NULL UNIQUE,
    id_rec        TEXT NOT NULL,
    tx_id         TEXT NOT NULL,
    sender        TEXT NOT NULL,             -- ISPB of the receiver's bank
    kind          TEXT NOT NULL CHECK (kind IN ('AGND', 'NTAG', 'RIFL')),
    amount        INTEGER NOT NULL,
    due_on        TEXT NOT NULL,
    settles_on    TEXT NOT NULL,
    receiver      TEXT NOT NULL,             -- the receiver's side of its payment
    remittance    TEXT,
    payer         TEXT,                      -- the payer's side; NULL where it was refused at once
    end_to_end_id TEXT UNIQUE,               -- of the payment with which it is collected, once
    status        TEXT NOT NULL CHECK (status IN ('SCHEDULED', 'SETTLED', 'RJCT', 'CANCELED')),
    code          TEXT,
    step          TEXT NOT NULL CHECK (step IN ('FIRST', 'SECOND', 'CLOSING', 'PAYING', 'DONE')),
    unpaid        TEXT,                      -- why the last window did not collect it
    due_at        INTEGER,                   -- business: when the step is taken
    taken_at      INTEGER NOT NULL,
    decided_at    INTEGER NOT NULL,          -- when it took the status that it has
    told_at       INTEGER NOT NULL,          -- before it the bank says nothing
    behaviour     TEXT,                      -- the fault that strikes it
    fault_delay   INTEGER NOT NULL DEFAULT 0,-- microseconds
    withheld      INTEGER NOT NULL DEFAULT 0 -- told only to who asks
) STRICT;
CREATE INDEX IF NOT EXISTS instruction_of ON instruction (id_rec);
CREATE INDEX IF NOT EXISTS instruction_charge ON instruction (tx_id);
CREATE INDEX IF NOT EXISTS instruction_paying ON instruction (seq) WHERE step = 'PAYING';
CREATE INDEX IF NOT EXISTS instruction_due ON instruction (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE IF NOT EXISTS charge_cancellation ( -- of an instruction, asked for by the receiver's bank: camt.055
    msg_id      TEXT PRIMARY KEY,
    instruction TEXT NOT NULL,               -- the msg_id that it names
    id_rec      TEXT NOT NULL,
    sender      TEXT NOT NULL,
    status      TEXT NOT NULL CHECK (status IN ('ACCP', 'RJCT')),
    code        TEXT,
    decided_at  INTEGER NOT NULL,
    told_at     INTEGER NOT NULL,            -- before it the bank says nothing of its decision
    behaviour   TEXT,
    withheld    INTEGER NOT NULL DEFAULT 0   -- the decision is told only to who asks
) STRICT;

CREATE TABLE IF NOT EXISTS giveback (        -- a return, pacs.004
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    return_id     TEXT NOT NULL UNIQUE,
    end_to_end_id TEXT NOT NULL,
    sender        TEXT NOT NULL,
    amount        INTEGER NOT NULL,
    reason        TEXT NOT NULL,
    details       TEXT,
    status        TEXT NOT NULL CHECK (status IN ('PENDING', 'ACCC', 'RJCT')),
    code          TEXT,
    due_at        INTEGER,                   -- machine
    settled_at    INTEGER,
    behaviour     TEXT,
    withheld      INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX IF NOT EXISTS giveback_of ON giveback (end_to_end_id);
CREATE INDEX IF NOT EXISTS giveback_due ON giveback (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE IF NOT EXISTS entry (           -- the directory
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    key          TEXT NOT NULL UNIQUE,
    type         TEXT NOT NULL,
    owner_name   TEXT NOT NULL,
    owner_type   TEXT NOT NULL,
    owner_number TEXT NOT NULL,
    ispb         TEXT NOT NULL,
    branch       TEXT NOT NULL,
    account      TEXT NOT NULL,
    account_type TEXT NOT NULL,
    opened_at    TEXT,
    status       TEXT NOT NULL CHECK (status IN ('ACTIVE', 'BLOCKED', 'ACCOUNT_BLOCKED', 'ACCOUNT_CLOSED')),
    created_at   INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS entry_at ON entry (ispb, account);

CREATE TABLE IF NOT EXISTS entry_request (
    request_id TEXT PRIMARY KEY,
    body       TEXT NOT NULL,
    key        TEXT NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS possession (      -- since when its owner has had a key without a break, at whichever bank
    key          TEXT PRIMARY KEY,
    owner_number TEXT NOT NULL,
    since        INTEGER NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS bucket (          -- what a payer or a participant may still ask the directory
    policy TEXT NOT NULL,
    whose  TEXT NOT NULL,
    tokens INTEGER NOT NULL,                 -- millionths of a token
    at     INTEGER NOT NULL,                 -- machine: when there were so many
    PRIMARY KEY (policy, whose)
) STRICT;

CREATE TABLE IF NOT EXISTS look_up (         -- answered, and not yet followed by its payment
    end_to_end_id TEXT PRIMARY KEY,
    policy        TEXT NOT NULL,
    whose         TEXT NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS location_key (    -- what the outside bank signs its charges with
    kid         TEXT PRIMARY KEY,
    private_pem TEXT NOT NULL,
    certificate BLOB NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS charge_signature ( -- charges whose owner has said how they are signed; others by turns
    charge INTEGER PRIMARY KEY,
    habit  TEXT NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS charge (          -- of the outside bank's customers
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    token         TEXT NOT NULL UNIQUE,      -- the part of its location that nobody can guess
    tx_id         TEXT NOT NULL UNIQUE,
    key           TEXT NOT NULL,
    amount        INTEGER NOT NULL,          -- zero: the payer decides
    open_amount   INTEGER NOT NULL,
    description   TEXT,
    created_at    INTEGER NOT NULL,
    expiration    INTEGER NOT NULL,          -- seconds from created_at
    status        TEXT NOT NULL,
    revision      INTEGER NOT NULL DEFAULT 0,
    qrcode_data   TEXT NOT NULL,             -- the code as it was printed: a later change does not reach it
    end_to_end_id TEXT                       -- the payment that settled it
) STRICT;

CREATE TABLE IF NOT EXISTS ted (             -- transfers through the STR
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    num_ctrl_if  TEXT NOT NULL UNIQUE,
    num_ctrl_str TEXT NOT NULL UNIQUE,
    ispb         TEXT NOT NULL,              -- who sent it
    amount       INTEGER NOT NULL,
    body         TEXT NOT NULL,              -- the fields of its STR0008
    resource_id  TEXT NOT NULL,
    status       TEXT NOT NULL,              -- the STR's own number
    taken_at     INTEGER NOT NULL,
    due_at       INTEGER,                    -- machine: when a slow one ends
    settled_at   INTEGER,
    behaviour    TEXT,                       -- the fault that strikes it
    fault_code   TEXT,
    fault_delay  INTEGER NOT NULL DEFAULT 0, -- microseconds
    withheld     INTEGER NOT NULL DEFAULT 0  -- the end is told only to who asks
) STRICT;
CREATE INDEX IF NOT EXISTS ted_due ON ted (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE IF NOT EXISTS ted_return (      -- one transfer is given back whole, and once
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    num_ctrl_str TEXT NOT NULL UNIQUE,
    num_ctrl_if  TEXT NOT NULL UNIQUE,       -- of the transfer that comes back
    code         TEXT NOT NULL,
    settled_at   INTEGER NOT NULL            -- may be still to come
) STRICT;

CREATE TABLE IF NOT EXISTS ted_in (          -- transfers of other banks to a participant
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    num_ctrl_str TEXT NOT NULL UNIQUE,
    ispb         TEXT NOT NULL,              -- who receives it
    amount       INTEGER NOT NULL,
    body         TEXT NOT NULL,              -- both sides, purpose and history
    settled_at   INTEGER NOT NULL            -- when the STR opens, where it is shut
) STRICT;

CREATE TABLE IF NOT EXISTS ted_in_return (   -- what a participant gives back of them, whole and once
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    num_ctrl_if  TEXT NOT NULL UNIQUE,
    num_ctrl_str TEXT NOT NULL UNIQUE,
    ispb         TEXT NOT NULL,              -- who gives it back
    original     TEXT NOT NULL,              -- the STR's number of the transfer
    amount       INTEGER NOT NULL,
    code         TEXT NOT NULL,              -- CodDevTransf
    resource_id  TEXT NOT NULL,
    status       TEXT NOT NULL,              -- the STR's own number
    settled_at   INTEGER,
    withheld     INTEGER NOT NULL DEFAULT 0  -- the end is told only to who asks
) STRICT;

CREATE TABLE IF NOT EXISTS item (            -- what somebody may pay at a partner that collects
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    partner       TEXT NOT NULL,
    reference     TEXT NOT NULL,
    amount        INTEGER NOT NULL,
    expires_at    INTEGER NOT NULL,          -- business: the last instant at which it is taken
    body          TEXT NOT NULL,             -- what else the partner keeps of it
    registered_at INTEGER NOT NULL,
    UNIQUE (partner, reference)
) STRICT;

CREATE TABLE IF NOT EXISTS item_close (      -- not to be paid any more; a close may come before its item
    partner   TEXT NOT NULL,
    reference TEXT NOT NULL,
    closed_at INTEGER NOT NULL,
    PRIMARY KEY (partner, reference)
) STRICT;

CREATE TABLE IF NOT EXISTS item_payment (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    partner      TEXT NOT NULL,
    payment_id   TEXT NOT NULL UNIQUE,
    reference    TEXT NOT NULL,
    amount       INTEGER NOT NULL,
    body         TEXT NOT NULL,              -- who paid, and what else the partner knows of it
    status       TEXT NOT NULL CHECK (status IN ('ANNOUNCED', 'SETTLED', 'VOID')),
    code         TEXT,
    taken_at     INTEGER NOT NULL,
    due_at       INTEGER,                    -- business: when it settles, or becomes void
    settled_at   INTEGER,
    becomes_void INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX IF NOT EXISTS item_payment_of ON item_payment (partner, reference);
CREATE INDEX IF NOT EXISTS item_payment_due ON item_payment (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE IF NOT EXISTS item_return (     -- money given back to who paid an item
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    partner    TEXT NOT NULL,
    return_id  TEXT NOT NULL,
    payment_id TEXT NOT NULL,
    reference  TEXT NOT NULL,
    amount     INTEGER NOT NULL,
    reason     TEXT NOT NULL,
    status     TEXT NOT NULL CHECK (status IN ('PENDING', 'SETTLED', 'REJECTED')),
    code       TEXT,                         -- decided when it was asked for, told at its end
    due_at     INTEGER,                      -- business: when a slow one ends
    settled_at INTEGER,
    copies     INTEGER NOT NULL,             -- so often its end is told; 0: to who asks alone
    UNIQUE (partner, return_id)
) STRICT;
CREATE INDEX IF NOT EXISTS item_return_of ON item_return (partner, payment_id);
CREATE INDEX IF NOT EXISTS item_return_due ON item_return (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE IF NOT EXISTS item_movement (   -- told to the participant, each partner's in this order
    sequence    INTEGER PRIMARY KEY AUTOINCREMENT,
    partner     TEXT NOT NULL,
    movement_id TEXT NOT NULL UNIQUE,
    body        TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS item_movement_of ON item_movement (partner, sequence);

CREATE TABLE IF NOT EXISTS crypto_quote (    -- rates that crypto partners have given
    partner   TEXT NOT NULL,
    reference TEXT NOT NULL,
    asked     TEXT NOT NULL,
    answer    TEXT NOT NULL,
    PRIMARY KEY (partner, reference)
) STRICT;

CREATE TABLE IF NOT EXISTS card_token (      -- what stands for a card; its number is kept nowhere
    token     TEXT PRIMARY KEY,
    plays     TEXT NOT NULL,                 -- how its issuer behaves: a name of card/numbers.py
    brand     TEXT NOT NULL,
    last_four TEXT NOT NULL,
    expiry    TEXT NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS card_charge (     -- payments by card at the acquirer, by the merchant's reference
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    reference    TEXT NOT NULL UNIQUE,
    token        TEXT NOT NULL,
    amount       INTEGER NOT NULL,
    installments INTEGER NOT NULL,
    body         TEXT NOT NULL,              -- number and description
    return_url   TEXT NOT NULL,
    challenge    TEXT NOT NULL UNIQUE,       -- the name of its challenge's page
    status       TEXT NOT NULL,
    result       TEXT NOT NULL,              -- transStatus, S where nobody was to be authenticated
    ds_id        TEXT,
    code         TEXT,                       -- why the issuer declined it
    payment_id   TEXT,                       -- once it is charged
    due_at       INTEGER                     -- business: when a payer who is asked elsewhere answers
) STRICT;
CREATE INDEX IF NOT EXISTS card_charge_due ON card_charge (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE IF NOT EXISTS card_chargeback ( -- money that the payer's bank took back
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    chargeback_id TEXT NOT NULL UNIQUE,
    payment_id    TEXT NOT NULL,
    reference     TEXT NOT NULL,
    amount        INTEGER NOT NULL,
    code          TEXT NOT NULL,
    taken_at      INTEGER NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS statement_issued ( -- days whose statement was asked for, so that faults strike it no more
    rail TEXT NOT NULL,
    day  TEXT NOT NULL,
    PRIMARY KEY (rail, day)
) STRICT;

CREATE TABLE IF NOT EXISTS statement_fault ( -- what a statement has wrong, until it is issued anew
    rail       TEXT NOT NULL,
    day        TEXT NOT NULL,
    kind       TEXT NOT NULL,
    network_id TEXT NOT NULL,
    behaviour  TEXT NOT NULL,
    PRIMARY KEY (rail, day, kind, network_id)
) STRICT;

CREATE TABLE IF NOT EXISTS analysis (        -- requests for accounts that are looked at
    seq         INTEGER PRIMARY KEY AUTOINCREMENT,
    reference   TEXT NOT NULL UNIQUE,
    holder_type TEXT NOT NULL,
    document    TEXT NOT NULL,               -- of the holder
    body        TEXT NOT NULL,
    status      TEXT NOT NULL,
    copies      INTEGER NOT NULL DEFAULT 1,  -- how often the verdict is told
    verdict     TEXT,
    taken_at    INTEGER NOT NULL,            -- business
    due_at      INTEGER                      -- business: when it is judged
) STRICT;
CREATE INDEX IF NOT EXISTS analysis_due ON analysis (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE IF NOT EXISTS analysis_document ( -- files that came for them; what is in them, nobody looks at
    reference   TEXT NOT NULL,
    document_id TEXT NOT NULL,
    size        INTEGER NOT NULL,
    PRIMARY KEY (reference, document_id)
) STRICT;

CREATE TABLE IF NOT EXISTS letter (          -- e-mails and text messages, in whosever box
    seq             INTEGER PRIMARY KEY AUTOINCREMENT,
    id              TEXT NOT NULL,
    channel         TEXT NOT NULL,
    address         TEXT NOT NULL,
    text            TEXT NOT NULL,
    code            TEXT,                    -- the six digits in it
    sent_at         INTEGER NOT NULL,        -- business
    UNIQUE (id, address)
) STRICT;

CREATE TABLE IF NOT EXISTS fault (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    operation  TEXT NOT NULL,
    behaviour  TEXT NOT NULL,
    code       TEXT,
    delay      INTEGER,                      -- microseconds
    times_left INTEGER NOT NULL,
    match      TEXT NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS reading (         -- the last good reading of a QR code
    qrcode_data TEXT PRIMARY KEY,
    body        TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS webhook (         -- what the merchant's receiver was sent
    seq             INTEGER PRIMARY KEY AUTOINCREMENT,
    path            TEXT NOT NULL,
    headers         TEXT NOT NULL,
    body            TEXT NOT NULL,
    event_id        TEXT,
    event_type      TEXT,
    sequence        INTEGER,
    attempt         INTEGER,
    signature_valid INTEGER,
    answered        INTEGER NOT NULL,
    received_at     INTEGER NOT NULL         -- machine
) STRICT;

CREATE TABLE IF NOT EXISTS merchant_behaviour (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    status     INTEGER NOT NULL,
    body       TEXT NOT NULL,
    delay      INTEGER NOT NULL,             -- microseconds
    times_left INTEGER NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS med_object (      -- of a dispute: a recovery, an infraction report or a refund
    seq            INTEGER PRIMARY KEY AUTOINCREMENT,
    id             TEXT NOT NULL UNIQUE,
    kind           TEXT NOT NULL CHECK (kind IN ('FUNDS_RECOVERY', 'INFRACTION_REPORT', 'REFUND')),
    transaction_id TEXT NOT NULL,            -- the contested one
    root_id        TEXT NOT NULL,            -- with which the case began
    recovery_id    TEXT,
    status         TEXT NOT NULL,
    opener         TEXT NOT NULL,            -- ISPB of the payer's bank
    counterpart    TEXT NOT NULL,            -- and of the receiver's
    body           TEXT NOT NULL,
    changed_at     INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS med_object_of ON med_object (recovery_id) WHERE recovery_id IS NOT NULL;
CREATE UNIQUE INDEX IF NOT EXISTS med_object_root ON med_object (transaction_id) WHERE kind = 'FUNDS_RECOVERY';

CREATE TABLE IF NOT EXISTS fraud_marker (    -- a mark of fraud on a user and a key
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    id         TEXT NOT NULL UNIQUE,
    request_id TEXT UNIQUE,                  -- of the participant that made it; NULL: it came of a report
    registrant TEXT NOT NULL,                -- ISPB of who may cancel it
    status     TEXT NOT NULL CHECK (status IN ('REGISTERED', 'CANCELLED')),
    body       TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS med_late (        -- words about disputes that are told later
    seq    INTEGER PRIMARY KEY AUTOINCREMENT,
    due_at INTEGER NOT NULL,
    kind   TEXT NOT NULL,
    fields TEXT NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS claim (           -- of a key that one bank has and another one wants
    seq            INTEGER PRIMARY KEY AUTOINCREMENT,
    id             TEXT NOT NULL UNIQUE,
    request_id     TEXT UNIQUE,              -- by which a participant has completed it
    type           TEXT NOT NULL CHECK (type IN ('PORTABILITY', 'OWNERSHIP')),
    key            TEXT NOT NULL,
    key_type       TEXT NOT NULL,
    owner_name     TEXT NOT NULL,            -- the claimer's
    owner_type     TEXT NOT NULL,
    owner_number   TEXT NOT NULL,
    claimer        TEXT NOT NULL,            -- ISPB
    branch         TEXT NOT NULL,
    account        TEXT NOT NULL,
    account_type   TEXT NOT NULL,
    opened_at      TEXT,
    donor          TEXT NOT NULL,            -- ISPB
    status         TEXT NOT NULL CHECK (status IN ('OPEN', 'WAITING_RESOLUTION', 'CONFIRMED', 'CANCELLED', 'COMPLETED')),
    confirm_reason TEXT,
    cancel_reason  TEXT,
    cancelled_by   TEXT,
    resolution_at  INTEGER NOT NULL,         -- until when the donor may answer
    completion_at  INTEGER,                  -- from when on the claimer may complete an ownership
    due_at         INTEGER,                  -- when a bank played here does by itself what is its to do
    changed_at     INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS claim_open ON claim (key) WHERE status IN ('OPEN', 'WAITING_RESOLUTION', 'CONFIRMED');
CREATE INDEX IF NOT EXISTS claim_due ON claim (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE IF NOT EXISTS bank_customer (   -- of the bank that speaks API Pix
    seq       INTEGER PRIMARY KEY AUTOINCREMENT,
    client_id TEXT NOT NULL UNIQUE,
    secret    TEXT NOT NULL,
    name      TEXT NOT NULL,
    document  TEXT NOT NULL,                 -- CNPJ or CPF; customers of one document see the same charges
    branch    TEXT NOT NULL,
    account   TEXT NOT NULL UNIQUE,
    dialect   TEXT NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS bank_certificate ( -- by which a customer is known at the socket
    fingerprint TEXT PRIMARY KEY,            -- SHA-256 of it, hexadecimal
    client_id   TEXT NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS bank_token (
    token     TEXT PRIMARY KEY,
    client_id TEXT NOT NULL,
    scopes    TEXT NOT NULL,
    ends_at   INTEGER NOT NULL               -- machine
) STRICT;

CREATE TABLE IF NOT EXISTS bank_location (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    document   TEXT NOT NULL,
    token      TEXT NOT NULL UNIQUE,         -- the part that nobody can guess
    kind       TEXT NOT NULL CHECK (kind IN ('cob', 'cobv')),
    tx_id      TEXT,                         -- of the charge that it shows
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS bank_location_of ON bank_location (document, created_at);
CREATE INDEX IF NOT EXISTS bank_location_shows ON bank_location (document, tx_id);

CREATE TABLE IF NOT EXISTS bank_charge (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    document   TEXT NOT NULL,                -- whose it is; a txid is his once, for ever
    tx_id      TEXT NOT NULL,
    client_id  TEXT NOT NULL,                -- who made it
    terms      TEXT NOT NULL,                -- what was asked for, as on the wire
    revision   INTEGER NOT NULL DEFAULT 0,
    status     TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (document, tx_id)
) STRICT;
CREATE INDEX IF NOT EXISTS bank_charge_at ON bank_charge (document, created_at);
CREATE INDEX IF NOT EXISTS bank_charge_tx_id ON bank_charge (tx_id);

CREATE TABLE IF NOT EXISTS bank_charge_revision ( -- what its charge was before it was changed
    charge   INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    terms    TEXT NOT NULL,
    status   TEXT NOT NULL,
    PRIMARY KEY (charge, revision)
) STRICT;

CREATE TABLE IF NOT EXISTS bank_pix (        -- what its customers received
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    end_to_end_id TEXT NOT NULL UNIQUE,
    document      TEXT NOT NULL,
    key           TEXT,
    tx_id         TEXT,
    amount        INTEGER NOT NULL,
    payer         TEXT NOT NULL,             -- his document
    remark        TEXT,                      -- infoPagador
    settled_at    INTEGER NOT NULL,
    listed_at     INTEGER NOT NULL,          -- before it, it stands in no list
    seen_at       INTEGER NOT NULL           -- before it, nothing shows it
) STRICT;
CREATE INDEX IF NOT EXISTS bank_pix_at ON bank_pix (document, settled_at);
CREATE INDEX IF NOT EXISTS bank_pix_tx_id ON bank_pix (tx_id) WHERE tx_id IS NOT NULL;

CREATE TABLE IF NOT EXISTS bank_return (     -- devoluções
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    end_to_end_id TEXT NOT NULL,
    id            TEXT NOT NULL,             -- the customer's; the bank's own where nobody asked
    return_id     TEXT NOT NULL UNIQUE,      -- rtrId
    amount        INTEGER NOT NULL,
    nature        TEXT NOT NULL,
    description   TEXT,
    status        TEXT NOT NULL CHECK (status IN ('EM_PROCESSAMENTO', 'DEVOLVIDO', 'NAO_REALIZADO')),
    reason        TEXT,                      -- why it was not done
    fails         TEXT,                      -- why it will not be done, while it is being processed
    requested_at  INTEGER NOT NULL,
    due_at        INTEGER,                   -- business: when a slow one ends
    settled_at    INTEGER,
    UNIQUE (end_to_end_id, id)
) STRICT;
CREATE INDEX IF NOT EXISTS bank_return_due ON bank_return (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE IF NOT EXISTS bank_webhook (    -- where a key's customer wants to be told
    key        TEXT PRIMARY KEY,
    client_id  TEXT NOT NULL,
    url        TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS bank_notice (     -- what is still to be told there
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    url        TEXT NOT NULL,
    body       TEXT NOT NULL,
    tries      INTEGER NOT NULL DEFAULT 0,
    again      TEXT NOT NULL,                -- seconds from each try to the next
    held       INTEGER NOT NULL DEFAULT 0,   -- until the next one is told
    due_at     INTEGER,                      -- business; NULL: told, held, or given up
    answered   INTEGER                       -- the last status; NULL: nobody answered
) STRICT;
CREATE INDEX IF NOT EXISTS bank_notice_due ON bank_notice (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE IF NOT EXISTS bank_recurrence ( -- of Pix Automático, at the bank that speaks API Pix
    seq         INTEGER PRIMARY KEY AUTOINCREMENT,
    document    TEXT NOT NULL,               -- whose it is
    id_rec      TEXT NOT NULL UNIQUE,
    client_id   TEXT NOT NULL,               -- who made it
    terms       TEXT NOT NULL,               -- what was asked for, as on the wire
    status      TEXT NOT NULL,
    history     TEXT NOT NULL,               -- [status, at, shown from] of each change
    closing     TEXT,                        -- encerramento
    journey     TEXT NOT NULL,
    first_tx_id TEXT,                        -- of the charge whose payment authorizes it
    payer       TEXT,                        -- who authorized it
    created_at  INTEGER NOT NULL,
    listed_at   INTEGER NOT NULL,            -- before it, it stands in no list
    due_at      INTEGER                      -- business: when it is over
) STRICT;
CREATE INDEX IF NOT EXISTS bank_recurrence_at ON bank_recurrence (document, created_at);
CREATE INDEX IF NOT EXISTS bank_recurrence_due ON bank_recurrence (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE IF NOT EXISTS bank_recurrence_location (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    document   TEXT NOT NULL,
    token      TEXT NOT NULL UNIQUE,         -- the part that nobody can guess
    id_rec     TEXT,                         -- of the recurrence that it shows
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS bank_recurrence_location_of ON bank_recurrence_location (document, created_at);
CREATE INDEX IF NOT EXISTS bank_recurrence_location_shows ON bank_recurrence_location (id_rec);

CREATE TABLE IF NOT EXISTS bank_scheduled_charge ( -- cobr: one of a recurrence's cycle
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    document   TEXT NOT NULL,
    tx_id      TEXT NOT NULL,
    client_id  TEXT NOT NULL,
    id_rec     TEXT NOT NULL,
    terms      TEXT NOT NULL,                -- what was asked for, as on the wire
    amount     INTEGER NOT NULL,
    due_on     TEXT NOT NULL,
    settles_on TEXT NOT NULL,                -- the day of its first attempt
    status     TEXT NOT NULL,
    history    TEXT NOT NULL,
    closing    TEXT,                         -- encerramento
    created_at INTEGER NOT NULL,
    listed_at  INTEGER NOT NULL,
    due_at     INTEGER,                      -- business: its payer's bank is told, or it is over
    UNIQUE (document, tx_id)
) STRICT;
CREATE INDEX IF NOT EXISTS bank_scheduled_charge_at ON bank_scheduled_charge (document, created_at);
CREATE INDEX IF NOT EXISTS bank_scheduled_charge_of ON bank_scheduled_charge (id_rec);
CREATE INDEX IF NOT EXISTS bank_scheduled_charge_tx_id ON bank_scheduled_charge (tx_id);
CREATE INDEX IF NOT EXISTS bank_scheduled_charge_due ON bank_scheduled_charge (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE IF NOT EXISTS bank_attempt (    -- tentativas of a scheduled charge
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    charge        INTEGER NOT NULL,
    msg_id        TEXT NOT NULL UNIQUE,      -- of the instruction to the payer's bank
    kind          TEXT NOT NULL CHECK (kind IN ('AGND', 'NTAG', 'RIFL')),
    settles_on    TEXT NOT NULL,
    end_to_end_id TEXT NOT NULL,
    status        TEXT NOT NULL,
    history       TEXT NOT NULL,
    code          TEXT                       -- why it was rejected
) STRICT;
CREATE INDEX IF NOT EXISTS bank_attempt_of ON bank_attempt (charge);

CREATE TABLE IF NOT EXISTS bank_recurrence_webhook ( -- where a customer wants to be told of either kind
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    kind       TEXT NOT NULL CHECK (kind IN ('rec', 'cobr')),
    client_id  TEXT NOT NULL,
    url        TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (kind, client_id)
) STRICT;

CREATE TABLE IF NOT EXISTS bank_confirmation ( -- solicrec: a payer is asked to confirm a recurrence
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    document     TEXT NOT NULL,              -- of its receiver
    id_solic_rec TEXT NOT NULL UNIQUE,
    id_rec       TEXT NOT NULL,
    terms        TEXT NOT NULL,              -- what was asked for, as on the wire
    status       TEXT NOT NULL,
    history      TEXT NOT NULL,
    ends_at      INTEGER NOT NULL,
    due_at       INTEGER                     -- business: it is sent, or over
) STRICT;
CREATE INDEX IF NOT EXISTS bank_confirmation_of ON bank_confirmation (id_rec);
CREATE INDEX IF NOT EXISTS bank_confirmation_due ON bank_confirmation (due_at) WHERE due_at IS NOT NULL;
