import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

/** What the platform needs at least; `npm ci` brings a newer one along. */
const OLDEST = 22;

/** Has an old Node hand over to the one of the checkout, and ends as that ends; does nothing where this one will do. */
export async function handOverToPinnedNode() {
  const pinned = fileURLToPath(new URL('../../../node_modules/.bin/node', import.meta.url));
  if (Number(process.versions.node.split('.')[0]) >= OLDEST || !existsSync(pinned)) return;
  const child = spawn(pinned, process.argv.slice(1), { stdio: 'inherit' });
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => child.kill(name));
  const [code, signal] = await once(child, 'exit');
  process.exit(code ?? 128 + constants.signals[signal]);
}
