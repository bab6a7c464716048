#!/usr/bin/env node
// kubectl runs this for `kubectl crate …`. Source: https://kubernetes.io/docs/tasks/extend-kubectl/kubectl-plugins/
import { handOverToPinnedNode } from './pinned-node.mjs';

await handOverToPinnedNode();
const { loadCli } = await import('../dist/load-cli.js');
const { createProgram, runCrate } = await loadCli();
await runCrate(process.argv.slice(2), createProgram('kubectl crate'));
