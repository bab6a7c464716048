import { join } from 'node:path';
import { build } from './build.mjs';
import { handOver, nodeBinary, root } from './run.mjs';

build();
handOver(nodeBinary(), [join(root, 'release', 'dist', 'main.js'), ...process.argv.slice(2)]);
