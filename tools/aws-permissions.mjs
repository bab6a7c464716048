// Writes deploy/aws/*.json: what Crate's credentials have to allow in an account of AWS. A test compares.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accountPolicies } from '../infra/aws/dist/index.js';
import { root } from './run.mjs';

const directory = join(root, 'deploy', 'aws');
mkdirSync(directory, { recursive: true });
for (const [name, document] of Object.entries(accountPolicies())) {
  writeFileSync(join(directory, `${name}.json`), `${JSON.stringify(document, undefined, 2)}\n`);
}
