import { describe, expect, it } from '@jest/globals';
import { CommitLabels } from './commit-label.js';

/** What each of the statements that one connection asks one after the other is named. */
function labelsOf(...statements: readonly string[]): (string | undefined)[] {
  const labels = new CommitLabels();
  return statements.map((sql) => labels.read([{ type: 'Q', body: Buffer.from(`${sql}\0`) }]));
}

describe('the name of a commit', () => {
  it.each([
    ['INSERT INTO "cloud_mgmt"."terraform_runs" (id) VALUES ($1)', 'INSERT terraform_runs'],
    ['INSERT INTO heads (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET id = excluded.id', 'INSERT heads'],
    ['UPDATE engine_runs AS run SET state = $1', 'UPDATE engine_runs'],
    [
      `WITH heads AS (DELETE FROM secret_heads WHERE owner_uid = $1)
       DELETE FROM secret_versions WHERE owner_uid = $1`,
      'DELETE secret_heads + DELETE secret_versions',
    ],
  ])('of %s', (sql, label) => {
    expect(labelsOf(sql)).toEqual([label]);
  });

  it.each([
    'SELECT id FROM terraform_runs FOR UPDATE',
    'WITH free AS MATERIALIZED (SELECT id FROM leases) SELECT id FROM free',
    'WITH free AS (SELECT name FROM work_items) UPDATE work_items SET epoch = 1',
    'CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$ INSERT INTO runs VALUES (1) $$',
  ])('is none where nothing of interest is written: %s', (sql) => {
    expect(labelsOf(sql)).toEqual([undefined]);
  });

  it('is that of all statements of a transaction, told with its end', () => {
    const labels = labelsOf('BEGIN', 'DELETE FROM runs', 'DELETE FROM locks', 'COMMIT');
    expect(labels).toEqual([undefined, undefined, undefined, 'DELETE runs + DELETE locks']);
  });
});
