import { engineRunContract } from './engine-run.contract.js';
import { InMemoryEngineRunRepository } from './in-memory-engine-run.repository.js';

engineRunContract('InMemoryEngineRunRepository', () => Promise.resolve(new InMemoryEngineRunRepository()));
