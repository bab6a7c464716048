import { join } from 'node:path';
import { build } from './build.mjs';
import { nodeBinary, root, runOrExit } from './run.mjs';

/** Tries every client that is on this machine, and writes docs/conformance.md. */
build();
const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
runOrExit(nodeBinary(), [jest, '--selectProjects', 'e2e', '--runInBand', '--testPathPatterns', 'conformance'], {
  NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning',
  CONFORMANCE: 'write',
});
