import { driftRecordContract } from './drift-record.contract.js';
import { InMemoryDriftRecordRepository } from './in-memory-drift-record.repository.js';

driftRecordContract('InMemoryDriftRecordRepository', () => Promise.resolve(new InMemoryDriftRecordRepository()));
