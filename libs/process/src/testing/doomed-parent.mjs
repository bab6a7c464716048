// Runs a script through the library's own build, for tests that kill this process.
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProcess } from '../../dist/index.js';

const [script, directory] = process.argv.slice(2);
await runProcess({
  command: 'sh',
  args: [script],
  cwd: directory,
  env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
  onStart: async (identity) => {
    await writeFile(join(directory, 'identity.tmp'), JSON.stringify(identity));
    await rename(join(directory, 'identity.tmp'), join(directory, 'identity.json'));
  },
});
