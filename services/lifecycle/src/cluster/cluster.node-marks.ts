import { isDeepStrictEqual } from 'node:util';
import type { Cluster } from '@crate/api';
import type { ErrorCause } from '@crate/errors';
import { checkLabel, formatPath } from '@crate/resource-server';
import { cause } from './cluster.cause.js';

type Pool = Cluster['spec']['nodePools'][number];
type Taint = NonNullable<Pool['taints']>[number];

/** What the engine finds nodes by, and what it or Crate write themselves. */
const RESERVED = /^(kubernetes\.io\/hostname$|node-role\.kubernetes\.io\/|rke\.cattle\.io\/|lifecycle\.crate\.dev\/)/;

/**
 * What is wrong with labels and taints of pools. The engine would put them on nodes at the very end, once all machines are there. What a
 * pool has already stays as it is.
 */
export function nodeMarkCauses({ spec }: Cluster, old: Cluster | undefined): ErrorCause[] {
  return spec.nodePools.flatMap((pool, index) => {
    const before = old?.spec.nodePools.find(({ name }) => name === pool.name);
    const at = (...path: (string | number)[]): string => formatPath(['spec', 'nodePools', index, ...path]);
    return [...labelCauses(pool, before, at), ...taintCauses(pool, before, at)];
  });
}

type At = (...path: (string | number)[]) => string;

function labelCauses({ labels = {} }: Pool, before: Pool | undefined, at: At): ErrorCause[] {
  return Object.entries(labels)
    .filter(([key, value]) => before?.labels?.[key] !== value)
    .flatMap(([key, value]) => told(at('labels', key), value, markProblem(key, value)));
}

function taintCauses({ taints = [] }: Pool, before: Pool | undefined, at: At): ErrorCause[] {
  const isKnown = (taint: Taint): boolean => before?.taints?.some((known) => isDeepStrictEqual(known, taint)) ?? false;
  return taints.flatMap((taint, index) => {
    if (isKnown(taint)) return [];
    const { key, value = '', effect } = taint;
    // One too many is the new one, also in front of one that is there.
    const isTaken = taints.some(
      (other, place) => (place < index || isKnown(other)) && other.key === key && other.effect === effect,
    );
    const problem = isTaken ? `a node has one taint ${effect} of the key ${key}: leave one of them out` : undefined;
    return told(at('taints', index), `${key}=${value}`, problem ?? markProblem(key, value));
  });
}

function told(field: string, given: string, problem: string | undefined): ErrorCause[] {
  return problem === undefined ? [] : [cause(field, given, problem)];
}

function markProblem(key: string, value: string): string | undefined {
  if (RESERVED.test(key)) return `the key ${key} is not for pools: what runs the cluster tells nodes apart by it`;
  return checkLabel(key, value);
}
