import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { install } from './install.mjs';
import { nodeBinary, root, runOrExit } from './run.mjs';
import { onceForAll, stampOf } from './stamp.mjs';

const SOURCES = [
  'libs',
  'infra',
  'services',
  'benchmarks',
  'chaos',
  'release',
  'tools',
  'tsconfig.json',
  'tsconfig.base.json',
  'package-lock.json',
];
const isSource = (path) => /\.(tsx?|json|prisma|proto|mjs)$/.test(path);

const CONSOLE = join('services', 'console');
/** What ends up in the page: its own files, and what it takes from the workspace. */
const CONSOLE_SOURCES = [CONSOLE, join('libs', 'api'), 'tsconfig.base.json', 'package-lock.json'];
const isConsoleSource = (path) => /\.(tsx?|[cm]?js|json|css|html|svg|png|ico|woff2?)$/.test(path);

/**
 * Brings `dist` up to date; returns at once when no source changed since the last build. What it says goes to the error output: the other
 * one is that of the program that comes after it.
 */
export function build() {
  install();
  onceForAll(
    'build',
    () => stampOf(SOURCES, isSource),
    () => {
      console.error('Building');
      runOrExit(nodeBinary(), [join(root, 'tools', 'prisma-generate.mjs')]);
      runOrExit(nodeBinary(), [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-b']);
      runOrExit(nodeBinary(), [join(root, 'tools', 'bundle.mjs')]);
    },
  );
  buildConsole();
}

/** The page takes the built libraries, so it comes after them. */
function buildConsole() {
  onceForAll(
    'build-console',
    () => stampOf(CONSOLE_SOURCES, isConsoleSource),
    () => {
      console.error('Building the console');
      const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
      runOrExit(nodeBinary(), [vite, 'build', CONSOLE, '--logLevel', 'warn'], { NODE_ENV: 'production' });
    },
  );
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) build();
