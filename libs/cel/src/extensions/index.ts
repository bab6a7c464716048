import type { Environment } from '@marcbachmann/cel-js';
import { addBase64 } from './base64.js';
import { addMath } from './math.js';
import { addOptionals } from './optionals.js';
import { addTwoVariableComprehensions } from './two-variables.js';

/** Adds libraries that many implementations of CEL share. Source: https://github.com/google/cel-go/blob/master/ext/README.md */
export function addExtensions(environment: Environment): Environment {
  for (const add of [addOptionals, addTwoVariableComprehensions, addMath, addBase64]) add(environment);
  return environment;
}
