import { existsSync, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { dirname, join } from 'node:path';

// Preloaded into a service's process: its second replica is on another host, as far as the service can tell. That host has a name and
// workspaces of its own, and what runs on the first one is no process of it. Where it was lost, the one in its place has the next name.
const platform = dirname(dirname(dirname(process.env.CRATE_DATABASE_URL_FILE ?? '')));
const service = /services\/([a-z-]+)\//.exec(process.argv[1] ?? '')?.[1] ?? '';

function isSecond() {
  const { healthPorts } = JSON.parse(readFileSync(join(platform, 'settings.json'), 'utf8'));
  return healthPorts[`${service}-2`] === Number(process.env.CRATE_HEALTH_PORT);
}

if (service !== '' && isSecond()) {
  const file = process.env.CHAOS_HOST_FILE ?? '';
  const name = `${os.hostname()}-${existsSync(file) ? readFileSync(file, 'utf8') : 2}`;
  os.hostname = () => name;
  syncBuiltinESMExports();
  if (process.env.CRATE_WORKSPACES_DIR) process.env.CRATE_WORKSPACES_DIR += '-2';
}
