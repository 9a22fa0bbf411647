-- How far each node's outbox has come: what it sends under that sequence or a lower one is here already, however long
-- ago that was. Kept for good.
CREATE TABLE origin (
    origin TEXT PRIMARY KEY,
    seq    INTEGER NOT NULL CHECK (seq > 0),
    at     INTEGER NOT NULL,
    seal   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
