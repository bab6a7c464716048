-- Encrypted, versioned blobs by owner. A row can be opened only under its own owner, kind and serial.
CREATE TABLE secret_versions (
    owner_uid   text        NOT NULL,
    kind        text        NOT NULL,
    serial      integer     NOT NULL,
    -- Fencing token of the newest writer that stated this content; null when none was given.
    epoch       bigint,
    key_id      text        NOT NULL,
    wrapped_key bytea       NOT NULL,
    iv          bytea       NOT NULL,
    tag         bytea       NOT NULL,
    ciphertext  bytea       NOT NULL,
    -- Keyed, so that it tells nobody without the key whether two contents are the same.
    digest      bytea       NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT secret_versions_pkey PRIMARY KEY (owner_uid, kind, serial)
);

-- Finds what still waits for a new key.
CREATE INDEX secret_versions_key_id_idx ON secret_versions (key_id);
