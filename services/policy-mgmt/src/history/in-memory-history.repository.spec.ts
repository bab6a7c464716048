import { historyRepositoryContract } from './history.repository.contract.js';
import { InMemoryHistoryRepository } from './in-memory-history.repository.js';

historyRepositoryContract('InMemoryHistoryRepository', () =>
  Promise.resolve({ points: new InMemoryHistoryRepository(), close: () => Promise.resolve() }),
);
