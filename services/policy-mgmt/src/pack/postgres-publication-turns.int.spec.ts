import { startPostgres, type PostgresServer } from '@crate/testing';
import { afterAll, beforeAll } from '@jest/globals';
import { aDatabase } from '../testing/test-database.js';
import { PostgresPublicationTurns } from './postgres-publication-turns.js';
import { publicationTurnsContract } from './publication-turns.contract.js';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

publicationTurnsContract('PostgresPublicationTurns', async () => {
  const database = await aDatabase(server);
  const AGE = `UPDATE policy_publications SET renewed_at = renewed_at - $1 * interval '1 ms'`;
  return {
    turns: new PostgresPublicationTurns(database),
    age: async (ms) => void (await database.execute(AGE, [ms])),
    close: () => database.close(),
  };
});
