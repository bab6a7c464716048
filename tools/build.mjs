import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { install } from './install.mjs';
import { nodeBinary, root, runOrExit } from './run.mjs';
import { onceFor, stampOf } from './stamp.mjs';

const SOURCES = [
  'libs',
  'infra',
  'services',
  'benchmarks',
  'chaos',
  'tools',
  'tsconfig.json',
  'tsconfig.base.json',
  'package-lock.json',
];
const isSource = (path) => /\.(ts|json|prisma|proto|mjs)$/.test(path);

/** Brings `dist` up to date; returns at once when no source changed since the last build. */
export function build() {
  install();
  onceFor('build', stampOf(SOURCES, isSource), () => {
    console.log('Building');
    runOrExit(nodeBinary(), [join(root, 'tools', 'prisma-generate.mjs')]);
    runOrExit(nodeBinary(), [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-b']);
  });
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) build();
