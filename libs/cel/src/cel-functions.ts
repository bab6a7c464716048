import { cidrsOverlap, parseCidr } from '@crate/api';
import { badRequest } from '@crate/errors';
import type { Environment } from '@marcbachmann/cel-js';
import { toCelValue } from './cel-value.js';
import { textOf, timestampOf } from './kubernetes/text.js';

/** Adds what rules need beyond the CEL standard; docs/policies.md lists them. */
export function addFunctions(environment: Environment): Environment {
  return environment
    .registerFunction('cidrSize(string): int', (cidr: string) => BigInt(blockOf(cidr).size))
    .registerFunction('cidrContains(string, string): bool', contains)
    .registerFunction('parseJSON(string): dyn', (text: string) => toCelValue(JSON.parse(text)))
    .registerFunction('asList(dyn): list', (value: unknown) => (Array.isArray(value) ? (value as unknown[]) : [value]))
    .registerFunction('sum(list): int', (values: readonly bigint[]) =>
      values.reduce((total, value) => total + value, 0n),
    );
}

/** Of the standard, and not of the library. Source: https://github.com/google/cel-spec/blob/master/doc/langdef.md#string */
export function addConversions(environment: Environment): Environment {
  return environment
    .registerFunction('string(google.protobuf.Timestamp): string', timestampOf)
    .registerFunction('string(google.protobuf.Duration): string', String)
    .registerFunction('duration(google.protobuf.Duration): google.protobuf.Duration', (value: unknown) => value)
    .registerFunction('int(uint): int', (value: unknown) => BigInt(textOf(value)));
}

/** True when every address of `inner` is one of `outer`. */
function contains(outer: string, inner: string): boolean {
  const [big, small] = [blockOf(outer), blockOf(inner)];
  return cidrsOverlap(outer, inner) && small.first >= big.first && small.first + small.size <= big.first + big.size;
}

function blockOf(cidr: string): { first: number; size: number } {
  const block = parseCidr(cidr);
  if (!block) throw badRequest(`${JSON.stringify(cidr)} is no IPv4 CIDR block`);
  return block;
}
