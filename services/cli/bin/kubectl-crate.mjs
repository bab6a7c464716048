#!/usr/bin/env node
// kubectl runs this for `kubectl crate …`. Source: https://kubernetes.io/docs/tasks/extend-kubectl/kubectl-plugins/
import { handOverToPinnedNode } from './pinned-node.mjs';

await handOverToPinnedNode();
const { createProgram } = await import('../dist/program.js');
const { runCrate } = await import('../dist/run-crate.js');
await runCrate(process.argv.slice(2), createProgram('kubectl crate'));
