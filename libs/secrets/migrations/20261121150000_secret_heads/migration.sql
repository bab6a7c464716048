-- What a version is bound to beyond owner, kind and serial; null in rows from before there was such a thing.
ALTER TABLE secret_versions ADD COLUMN facts jsonb;

-- Which version is the newest, under a keyed digest: rows that are removed, put in or put back contradict it.
CREATE TABLE secret_heads (
    owner_uid text    NOT NULL,
    kind      text    NOT NULL,
    serial    integer NOT NULL,
    facts     jsonb   NOT NULL,
    -- Of the content, as in the version.
    digest    bytea   NOT NULL,
    key_id    text    NOT NULL,
    mac       bytea   NOT NULL,
    CONSTRAINT secret_heads_pkey PRIMARY KEY (owner_uid, kind)
);
