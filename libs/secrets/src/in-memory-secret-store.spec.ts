import { InMemorySecretStore } from './in-memory-secret-store.js';
import { secretStoreContract } from './testing/secret-store.contract.js';

secretStoreContract('InMemorySecretStore', () => Promise.resolve(new InMemorySecretStore(3)));
