// Makes programs into bundles, those whose bundle is out of date: see docs/adr/0355-programs-start-as-bundles.md. Needs what `tsc -b` leaves.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle, bundleDirectory } from './bundle/bundle.mjs';
import { PROGRAMS } from './bundle/programs.mjs';
import { root } from './run.mjs';
import { onceFor, stampOf } from './stamp.mjs';

/** A change of these makes another bundle of the same modules. */
const TOOLS = ['tools/bundle', 'tools/bundle.mjs', 'package-lock.json'];

const { isUpToDate } = await import(
  pathToFileURL(join(root, 'libs', 'process', 'dist', 'program', 'load-program.js')).href
);
const isCurrent = ({ workspace, entries }) =>
  Object.keys(entries).every((name) => isUpToDate(pathToFileURL(join(bundleDirectory(workspace), `${name}.js`))));

onceFor(
  'bundle',
  stampOf(TOOLS, () => true),
  () => {
    for (const { workspace, entries } of PROGRAMS)
      for (const name of Object.keys(entries)) rmSync(join(bundleDirectory(workspace), `${name}.js`), { force: true });
  },
);
for (const program of PROGRAMS) if (!isCurrent(program)) await bundle(program);
