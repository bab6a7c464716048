/** `$1` to `$5` are always namespaces, clusters, stages, kinds and names of so many keys. */
const KEYS = 'unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])';
const NAMES = 'namespace, cluster, stage, kind, name';
const SEALED = 'key_id, wrapped_key, iv, tag, ciphertext';

export const STORED = `SELECT ${NAMES}, digest, key_id FROM policy_documents
  JOIN ${KEYS} AS asked (${NAMES}) USING (${NAMES})`;

/** Keys that those stand under of which the day is to be noted. */
export const KEYS_TO_NOTE = `SELECT DISTINCT key_id FROM policy_documents
  JOIN ${KEYS} AS asked (${NAMES}) USING (${NAMES}) WHERE seen_on < current_date`;

/** Of what stands under one of the keys `$6`. */
export const NOTE_DAY = `UPDATE policy_documents AS document SET seen_on = current_date
  FROM ${KEYS} AS asked (${NAMES})
  WHERE (document.namespace, document.cluster, document.stage, document.kind, document.name)
      = (asked.namespace, asked.cluster, asked.stage, asked.kind, asked.name)
    AND document.seen_on < current_date AND document.key_id = ANY ($6::text[])`;

export const SAVE = `INSERT INTO policy_documents (${NAMES}, digest, ${SEALED}, seen_on)
  SELECT ${NAMES}, digest, ${SEALED}, current_date
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bytea[], $7::text[], $8::bytea[],
    $9::bytea[], $10::bytea[], $11::bytea[]) AS given (${NAMES}, digest, ${SEALED})
  ON CONFLICT (${NAMES}) DO UPDATE SET digest = excluded.digest, key_id = excluded.key_id,
    wrapped_key = excluded.wrapped_key, iv = excluded.iv, tag = excluded.tag, ciphertext = excluded.ciphertext,
    seen_on = excluded.seen_on`;

export const FORGET = `DELETE FROM policy_documents
  WHERE namespace = $1 AND cluster = coalesce($2, cluster) AND stage = coalesce($3, stage)
    AND kind = coalesce($4, kind) AND name = coalesce($5, name)
  RETURNING namespace, cluster`;

export const REMOVE_UNSEEN = `DELETE FROM policy_documents WHERE seen_on < (now() - $1 * interval '1 millisecond')::date
  RETURNING namespace, cluster`;

/** Only the row that was read: another may have come in its place. */
export const REMOVE_DAMAGED = `DELETE FROM policy_documents
  WHERE (${NAMES}) = ($1, $2, $3, $4, $5) AND digest = $6`;

export const CLUSTERS = `SELECT DISTINCT namespace, cluster FROM policy_documents ORDER BY namespace, cluster`;

export const DIGESTS = `SELECT digest FROM policy_documents WHERE namespace = $1 AND cluster = $2
  ORDER BY ${NAMES}`;

export const FIND_KEYS = `SELECT ${NAMES} FROM policy_documents
  WHERE namespace = coalesce($1, namespace) AND cluster = coalesce($2, cluster)
    AND ($3::text[] IS NULL OR stage = ANY ($3))
  ORDER BY ${NAMES}`;

export const READ = `SELECT ${NAMES}, digest, ${SEALED} FROM policy_documents
  JOIN ${KEYS} AS asked (${NAMES}) USING (${NAMES}) ORDER BY ${NAMES}`;

/** The next of a cluster behind a key; one statement where it has no more than are opened together. */
export const READ_NEXT = `SELECT ${NAMES}, digest, ${SEALED} FROM policy_documents
  WHERE namespace = $1 AND cluster = $2 AND (stage, kind, name) > ($3, $4, $5)
  ORDER BY ${NAMES} LIMIT $6`;

export const COUNTS = `SELECT stage, count(*)::int AS documents FROM policy_documents GROUP BY stage ORDER BY stage`;
