#!/usr/bin/env node
import { handOverToPinnedNode } from './pinned-node.mjs';

await handOverToPinnedNode();
const { loadCli } = await import('../dist/load-cli.js');
const { runCrate } = await loadCli();
await runCrate(process.argv.slice(2));
