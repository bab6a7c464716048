// Puts the simulated `rke`, with what it needs, into a volume that cluster-mgmt mounts: no image of a service holds any of it.
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const target = process.env.CRATE_SANDBOX_PROGRAMS_DIR;
const sandboxUrl = process.env.CRATE_SANDBOX_URL;
if (!target || !sandboxUrl) throw new Error('CRATE_SANDBOX_PROGRAMS_DIR and CRATE_SANDBOX_URL are needed');
mkdirSync(target, { recursive: true });
for (const name of readdirSync(target)) rmSync(join(target, name), { recursive: true });
cpSync('/opt/crate', join(target, 'crate'), { recursive: true, verbatimSymlinks: true });
const { writeRkeWrapper } = await import(join(target, 'crate/libs/sandbox/dist/rke/write-rke-wrapper.js'));
console.log(`Wrote ${await writeRkeWrapper(target, { nodeBinary: process.execPath, sandboxUrl })}`);
