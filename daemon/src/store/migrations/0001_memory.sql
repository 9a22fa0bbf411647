-- Schema 1: the whole memory of one character.
--
-- `seq` is the sequence of writing: one counter for notes, links, messages, summaries, recalls and jobs,
-- taken from the journal. It orders everything, whatever the wall clock did.
-- Ids are the 16 bytes of a UUID. Times are microseconds since 1970-01-01T00:00:00Z. Structured fields are JSON.
-- `seal` is a hash of the row's other columns: it tells a row that was damaged on disk from one that is right.

-- Facts about the database itself: the character's name, its settings, when it was made.
CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    seal  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- How many rows there should be; a damaged index page can make rows vanish without an error.
CREATE TABLE tally (
    id       INTEGER PRIMARY KEY CHECK (id = 1),
    notes    INTEGER NOT NULL,
    links    INTEGER NOT NULL,
    messages INTEGER NOT NULL,
    seal     INTEGER NOT NULL
) STRICT;

-- What changed, in order, append only. A reader that remembers the last `seq` it saw can follow.
-- `detail` never holds text of the memory.
CREATE TABLE journal (
    seq     INTEGER PRIMARY KEY,
    at      INTEGER NOT NULL,
    what    TEXT NOT NULL,
    subject BLOB,
    detail  TEXT,
    seal    INTEGER NOT NULL
) STRICT;

-- What the character takes to be true. A deleted note keeps its row until it is erased.
CREATE TABLE note (
    seq           INTEGER PRIMARY KEY,
    id            BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    kind          TEXT NOT NULL CHECK (kind IN ('semantic', 'specific_situation', 'abstract_situation', 'procedure')),
    revision      INTEGER NOT NULL CHECK (revision > 0),
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    valid_from    INTEGER NOT NULL,
    valid_until   INTEGER,
    superseded_by BLOB CHECK (length(superseded_by) = 16),
    deleted_at    INTEGER,
    body          TEXT NOT NULL,
    tags          TEXT NOT NULL,
    source        TEXT NOT NULL,
    anchors       TEXT NOT NULL,
    seal          INTEGER NOT NULL
) STRICT;

-- What happens to a note without changing what it says: apart, so that a recall rewrites no text.
CREATE TABLE note_state (
    note             INTEGER PRIMARY KEY REFERENCES note (seq) ON DELETE CASCADE,
    retrieval_count  INTEGER NOT NULL CHECK (retrieval_count >= 0),
    last_accessed_at INTEGER NOT NULL,
    activation_count REAL NOT NULL,
    last_active_at   INTEGER NOT NULL,
    affect           TEXT NOT NULL,
    archived_at      INTEGER,
    seal             INTEGER NOT NULL
) STRICT;

-- Which messages a note rests on (from its `source`), so that erasing a message finds its notes.
CREATE TABLE note_evidence (
    message BLOB NOT NULL CHECK (length(message) = 16),
    note    INTEGER NOT NULL REFERENCES note (seq) ON DELETE CASCADE,
    PRIMARY KEY (message, note)
) STRICT, WITHOUT ROWID;
CREATE INDEX note_evidence_note ON note_evidence (note);

-- How a fading text is worded: its word borders, and the character's re-imagined version beside the original.
CREATE TABLE note_wording (
    note       INTEGER NOT NULL REFERENCES note (seq) ON DELETE CASCADE,
    field      TEXT NOT NULL,
    borders    BLOB NOT NULL,
    reimagined TEXT,
    degree     REAL,
    at         INTEGER NOT NULL,
    seal       INTEGER NOT NULL,
    PRIMARY KEY (note, field)
) STRICT, WITHOUT ROWID;

-- A link belongs to the note it starts from. Its target may not be there yet.
CREATE TABLE link (
    seq         INTEGER PRIMARY KEY,
    id          BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    source      INTEGER NOT NULL REFERENCES note (seq) ON DELETE CASCADE,
    target      BLOB NOT NULL CHECK (length(target) = 16),
    intensity   REAL NOT NULL CHECK (intensity >= 0),
    body        TEXT NOT NULL,
    weakened_at INTEGER,
    seal        INTEGER NOT NULL
) STRICT;
CREATE INDEX link_source ON link (source);
CREATE INDEX link_target ON link (target);

-- Every message ever pushed, whole, until it is erased. The last few are the sliding window.
CREATE TABLE message (
    seq       INTEGER PRIMARY KEY,
    id        BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    role      TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'system')),
    name      TEXT,
    text      TEXT NOT NULL,
    at        INTEGER NOT NULL,
    tz        TEXT,
    session   TEXT,
    source    TEXT,
    -- The summary tag: 1 means that sliding out of the window, this message asks for a summary.
    tag       INTEGER NOT NULL CHECK (tag IN (0, 1)),
    seal      INTEGER NOT NULL
) STRICT;
CREATE INDEX message_at ON message (at);
CREATE INDEX message_session ON message (session, seq) WHERE session IS NOT NULL;
CREATE INDEX message_tag ON message (seq) WHERE tag = 1;

-- How often a message was recalled; no row until it first was.
CREATE TABLE message_state (
    message          INTEGER PRIMARY KEY REFERENCES message (seq) ON DELETE CASCADE,
    retrieval_count  INTEGER NOT NULL CHECK (retrieval_count >= 0),
    last_accessed_at INTEGER NOT NULL,
    seal             INTEGER NOT NULL
) STRICT;

-- Where the window stands: how many messages were ever pushed, and how far summaries and consolidation have come
-- (sequence of the last message they have seen).
CREATE TABLE window (
    id                   INTEGER PRIMARY KEY CHECK (id = 1),
    capacity             INTEGER NOT NULL CHECK (capacity > 0),
    pushed               INTEGER NOT NULL CHECK (pushed >= 0),
    summarised_through   INTEGER NOT NULL,
    consolidated_through INTEGER NOT NULL,
    seal                 INTEGER NOT NULL
) STRICT;

-- The running summary of what has left the window; at most one.
CREATE TABLE summary (
    seq           INTEGER PRIMARY KEY,
    text          TEXT NOT NULL,
    first_message INTEGER NOT NULL,
    last_message  INTEGER NOT NULL,
    at            INTEGER NOT NULL,
    seal          INTEGER NOT NULL
) STRICT;

-- The models that vectors were made with. Vectors of two models are never compared.
CREATE TABLE vector_model (
    model     INTEGER PRIMARY KEY,
    name      TEXT NOT NULL,
    digest    TEXT NOT NULL,
    pooling   TEXT NOT NULL,
    dimension INTEGER NOT NULL CHECK (dimension > 0),
    seal      INTEGER NOT NULL,
    UNIQUE (name, digest, pooling)
) STRICT;

-- One vector per field of a note (`part` numbers repeated fields), little-endian f32, made from `revision`.
CREATE TABLE note_vector (
    row      INTEGER PRIMARY KEY,
    model    INTEGER NOT NULL REFERENCES vector_model (model) ON DELETE CASCADE,
    note     INTEGER NOT NULL REFERENCES note (seq) ON DELETE CASCADE,
    field    TEXT NOT NULL,
    part     INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    vector   BLOB NOT NULL,
    seal     INTEGER NOT NULL,
    UNIQUE (note, model, field, part)
) STRICT;
CREATE INDEX note_vector_model ON note_vector (model);

CREATE TABLE message_vector (
    row     INTEGER PRIMARY KEY,
    model   INTEGER NOT NULL REFERENCES vector_model (model) ON DELETE CASCADE,
    message INTEGER NOT NULL REFERENCES message (seq) ON DELETE CASCADE,
    vector  BLOB NOT NULL,
    seal    INTEGER NOT NULL,
    UNIQUE (message, model)
) STRICT;
CREATE INDEX message_vector_model ON message_vector (model);

-- Segmented text: derived, kept so that opening a large memory need not segment it again.
CREATE TABLE note_words (
    note      INTEGER NOT NULL REFERENCES note (seq) ON DELETE CASCADE,
    field     TEXT NOT NULL,
    part      INTEGER NOT NULL,
    segmenter TEXT NOT NULL,
    words     TEXT NOT NULL,
    seal      INTEGER NOT NULL,
    PRIMARY KEY (note, field, part)
) STRICT, WITHOUT ROWID;

CREATE TABLE message_words (
    message   INTEGER PRIMARY KEY REFERENCES message (seq) ON DELETE CASCADE,
    segmenter TEXT NOT NULL,
    words     TEXT NOT NULL,
    seal      INTEGER NOT NULL
) STRICT;

-- The character's own words: names and terms that the base dictionary lacks.
CREATE TABLE dictionary (
    word   TEXT PRIMARY KEY,
    weight INTEGER,
    tag    TEXT,
    seal   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- One row for each time something was brought to mind, and what came up together in it: the sequences of the
-- notes, 8 bytes each, little-endian. One that was erased since is no longer found under its sequence.
CREATE TABLE recall (
    seq   INTEGER PRIMARY KEY,
    at    INTEGER NOT NULL,
    mode  TEXT NOT NULL,
    notes BLOB NOT NULL,
    seal  INTEGER NOT NULL
) STRICT;

-- Long work that must survive a crash: what it is, how far it got, what came out.
CREATE TABLE job (
    seq         INTEGER PRIMARY KEY,
    id          BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    kind        TEXT NOT NULL,
    state       TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'failed')),
    attempts    INTEGER NOT NULL CHECK (attempts >= 0),
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    input       TEXT NOT NULL,
    progress    TEXT,
    report      TEXT,
    error       TEXT,
    seal        INTEGER NOT NULL
) STRICT;

-- Replies of a language model, kept with the job that asked, so that a repeat does not ask again.
CREATE TABLE llm_reply (
    seq     INTEGER PRIMARY KEY,
    job     INTEGER NOT NULL REFERENCES job (seq) ON DELETE CASCADE,
    request BLOB NOT NULL,
    at      INTEGER NOT NULL,
    reply   TEXT NOT NULL,
    seal    INTEGER NOT NULL,
    UNIQUE (job, request)
) STRICT;

-- The first answer to a keyed request, written in the same transaction as its effect.
CREATE TABLE idempotency (
    key     TEXT PRIMARY KEY,
    request BLOB NOT NULL,
    at      INTEGER NOT NULL,
    -- NULL: the answer named something that was erased since.
    answer  TEXT,
    seal    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_at ON idempotency (at);

-- Rows that a repair could not read or place: kept here, never dropped silently.
CREATE TABLE aside (
    row     INTEGER PRIMARY KEY,
    at      INTEGER NOT NULL,
    origin  TEXT NOT NULL,
    reason  TEXT NOT NULL,
    content BLOB
) STRICT;
