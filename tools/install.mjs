import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, runOrExit } from './run.mjs';
import { onceForAll } from './stamp.mjs';

const MINIMUM_NODE = 20;

/** Installs the packages of the lock file, unless they are. */
export function install() {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < MINIMUM_NODE) {
    console.error(
      `Crate needs Node ${MINIMUM_NODE} or newer to start; this is ${process.version} (https://nodejs.org)`,
    );
    process.exit(1);
  }
  // The stamp lies in node_modules and goes with it.
  const stamp = () =>
    createHash('sha256')
      .update(readFileSync(join(root, 'package-lock.json')))
      .digest('hex');
  onceForAll('install', stamp, () => {
    console.error('Installing packages');
    runOrExit('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  });
}
