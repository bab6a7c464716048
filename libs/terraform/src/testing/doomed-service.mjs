// Applies the plan that lies in a workspace through the library's own build, for a test that kills this process.
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TerraformRunner } from '../../dist/index.js';

const [binary, directory, path] = process.argv.slice(2);
const runner = new TerraformRunner({ binary: { path: binary, version: '1' }, directory, path, graceMs: 20_000 });
const workspace = await runner.open('uid-1');
await workspace.apply({
  env: {},
  redact: [],
  storeState: async () => undefined,
  onStart: async (identity) => {
    await writeFile(join(directory, 'identity.tmp'), JSON.stringify(identity));
    await rename(join(directory, 'identity.tmp'), join(directory, 'identity.json'));
  },
});
