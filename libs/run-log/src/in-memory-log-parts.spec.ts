import { InMemoryLogParts } from './in-memory-log-parts.js';
import { logPartsContract } from './testing/log-parts.contract.js';

logPartsContract('InMemoryLogParts', () => new InMemoryLogParts());
