import { terraformRunContract } from '../testing/terraform-run.contract.js';
import { InMemoryTerraformRunRepository } from './in-memory-terraform-run.repository.js';

terraformRunContract('InMemoryTerraformRunRepository', () => Promise.resolve(new InMemoryTerraformRunRepository()));
