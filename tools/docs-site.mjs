import { join } from 'node:path';
import { install } from './install.mjs';
import { handOver, nodeBinary, root } from './run.mjs';

/** `build` writes the site to docs-site/dist/site; `dev` serves it and follows edits; `preview` serves what was built. */
const [command = 'build', ...options] = process.argv.slice(2);
install();
const vitepress = join(root, 'node_modules', 'vitepress', 'bin', 'vitepress.js');
handOver(nodeBinary(), [vitepress, command, join(root, 'docs-site'), ...options]);
