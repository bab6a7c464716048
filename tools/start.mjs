import { join } from 'node:path';
import { build } from './build.mjs';
import { handOver, nodeBinary, root } from './run.mjs';

build();
const main = join(root, 'services', 'cli', 'dist', 'main.js');
handOver(nodeBinary(), ['--enable-source-maps', main, 'up', ...process.argv.slice(2)]);
