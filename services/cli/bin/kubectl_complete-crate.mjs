#!/usr/bin/env node
// kubectl runs this to complete `kubectl crate …`.
import { handOverToPinnedNode } from './pinned-node.mjs';

await handOverToPinnedNode();
const { loadCli } = await import('../dist/load-cli.js');
const { runCrate } = await loadCli();
await runCrate(['__complete', '--', ...process.argv.slice(2)]);
