import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import type { AssembledImage } from './assembled.js';
import { describeIsolated } from './compose-platform.js';
import { readDockerfile } from './dockerfile.js';

const run = promisify(execFile);

/** Becomes `$2…` as the first process of the root `$1`. */
const SETUP = `
set -e
mount --rbind /dev "$1/dev"
mount -t proc proc "$1/proc"
exec chroot "$@"
`;

/** Runs a program, and prints how it ended and the states of who is still there beside the first process and this one. */
const RUN_ONE = `
import { readdirSync, readFileSync } from 'node:fs';
import { runProcess } from '/opt/crate/libs/process/dist/index.js';
const stateOf = (pid) => {
  try { return readFileSync('/proc/' + pid + '/stat', 'utf8').replace(/^.*[)] (.).*$/s, '$1'); } catch { return ''; }
};
const others = () =>
  readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name) && name !== '1' && name !== String(process.pid)).map(stateOf).join('');
const { exitCode } = await runProcess({ command: '/bin/sh', args: ['-c', 'exit 3'], cwd: '/', env: {} });
// Reaping takes its time; what nobody reaps is there for ever.
for (let left = 400; left > 0 && others() !== ''; left -= 1) await new Promise((next) => setTimeout(next, 50));
console.log(exitCode, others());
`;

/** Kubernetes starts what an image names as the first process of all, to which every orphan goes. */
export function firstProcess(images: () => ReadonlyMap<string, AssembledImage>): void {
  describeIsolated('the first process of an image (skipped where mounts of its own are refused)', () => {
    it.each(['cloud-mgmt', 'cluster-mgmt'])('%s leaves no zombie of a program that was run', async (image) => {
      const entrypoint = readDockerfile().get(image)?.entrypoint ?? [];
      const instead = [...entrypoint.slice(0, -1), '--input-type=module', '-e', RUN_ONE];
      const setup = ['sh', '-c', SETUP, 'setup', images().get(image)?.out ?? '', ...instead];
      const ran = await run('unshare', ['--pid', '--fork', '--kill-child', '--mount', ...setup]);

      expect(ran).toEqual({ stdout: '3 \n', stderr: '' });
    });
  });
}
