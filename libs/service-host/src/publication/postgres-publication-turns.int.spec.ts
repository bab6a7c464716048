import { Database } from '@crate/database';
import { startPostgres, type PostgresServer } from '@crate/testing';
import { afterAll, beforeAll } from '@jest/globals';
import { PostgresPublicationTurns } from './postgres-publication-turns.js';
import { publicationTurnsContract } from './publication-turns.contract.js';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

const TABLE =
  'CREATE TABLE publications (subject text PRIMARY KEY, release text NOT NULL, renewed_at timestamptz NOT NULL)';

publicationTurnsContract('PostgresPublicationTurns', async () => {
  const { url } = await server.createDatabase();
  const database = new Database({ url, schema: 'public', maxConnections: 3 });
  await database.execute(TABLE);
  const AGE = `UPDATE publications SET renewed_at = renewed_at - $1 * interval '1 ms'`;
  return {
    turns: new PostgresPublicationTurns(database, { table: 'publications', subject: 'packs', turn: 'packs' }),
    age: async (ms) => void (await database.execute(AGE, [ms])),
    close: () => database.close(),
  };
});
