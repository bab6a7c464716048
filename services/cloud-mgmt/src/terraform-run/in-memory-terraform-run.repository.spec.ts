import { stateLocksContract } from '../testing/state-locks.contract.js';
import { terraformRunContract } from '../testing/terraform-run.contract.js';
import { InMemoryTerraformRunRepository } from './in-memory-terraform-run.repository.js';

terraformRunContract('InMemoryTerraformRunRepository', () => Promise.resolve(new InMemoryTerraformRunRepository()));
stateLocksContract('InMemoryStateLocks', () => {
  const runs = new InMemoryTerraformRunRepository();
  return Promise.resolve({ runs, locks: runs.locks });
});
