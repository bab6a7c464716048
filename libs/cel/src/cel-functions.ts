import { cidrsOverlap, parseCidr } from '@crate/api';
import { badRequest } from '@crate/errors';
import type { Environment } from '@marcbachmann/cel-js';
import type { UnsignedInt } from '@marcbachmann/cel-js/evaluator';
import { toCelValue } from './cel-value.js';
import { timestampOf } from './kubernetes/text.js';

const LARGEST_INT = 2n ** 63n - 1n;

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
    .registerFunction('timestamp(google.protobuf.Timestamp): google.protobuf.Timestamp', (value: unknown) => value)
    .registerFunction('int(google.protobuf.Timestamp): int', (time: Date) => BigInt(Math.floor(time.getTime() / 1000)))
    .registerFunction('int(uint): int', intOf);
}

/** Bytes are ordered as numbers, a beginning before what goes on. */
export function addOrderOfBytes(environment: Environment): Environment {
  const order = Buffer.compare.bind(Buffer) as (left: Uint8Array, right: Uint8Array) => number;
  return environment
    .registerOperator('bytes < bytes', (left: Uint8Array, right: Uint8Array) => order(left, right) < 0)
    .registerOperator('bytes <= bytes', (left: Uint8Array, right: Uint8Array) => order(left, right) <= 0)
    .registerOperator('bytes > bytes', (left: Uint8Array, right: Uint8Array) => order(left, right) > 0)
    .registerOperator('bytes >= bytes', (left: Uint8Array, right: Uint8Array) => order(left, right) >= 0);
}

function intOf({ value }: UnsignedInt): bigint {
  if (value > LARGEST_INT) throw badRequest(`${value} is too large for an int`);
  return value;
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
