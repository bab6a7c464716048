#!/usr/bin/env node
import { handOverToPinnedNode } from './pinned-node.mjs';

await handOverToPinnedNode();
const { runCrate } = await import('../dist/run-crate.js');
await runCrate(process.argv.slice(2));
