#!/usr/bin/env node
// kubectl runs this to complete `kubectl crate …`.
import { handOverToPinnedNode } from './pinned-node.mjs';

await handOverToPinnedNode();
const { runCrate } = await import('../dist/run-crate.js');
await runCrate(['__complete', '--', ...process.argv.slice(2)]);
