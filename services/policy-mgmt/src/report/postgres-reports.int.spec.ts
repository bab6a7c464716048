import { startPostgres, type PostgresServer } from '@crate/testing';
import { afterAll, beforeAll } from '@jest/globals';
import { historyRepositoryContract } from '../history/history.repository.contract.js';
import { PostgresHistoryRepository } from '../history/postgres-history.repository.js';
import { aDatabase } from '../testing/test-database.js';
import { assessmentRepositoryContract } from './assessment.repository.contract.js';
import { PostgresAssessmentRepository } from './postgres-assessment.repository.js';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

assessmentRepositoryContract('PostgresAssessmentRepository', async () => {
  const database = await aDatabase(server);
  return { assessments: new PostgresAssessmentRepository(database), close: () => database.close() };
});

historyRepositoryContract('PostgresHistoryRepository', async () => {
  const database = await aDatabase(server);
  return { points: new PostgresHistoryRepository(database), close: () => database.close() };
});
