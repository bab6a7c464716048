import { apiVersionOf, CLUSTER, type KubeObjectInput } from '@crate/api';
import { badRequest } from '@crate/errors';
import { InvalidArgumentError } from 'commander';

/** A cluster as options of a command line say it; what they do not say is left to class, Project and platform. */
export interface ClusterWish {
  readonly account?: string;
  readonly region?: string;
  readonly version?: string;
  readonly class?: string;
  readonly param: Readonly<Record<string, unknown>>;
  readonly nodes?: number;
  readonly machineType?: string;
  readonly pool: readonly PoolWish[];
  readonly controlPlane?: number;
  readonly addOn: readonly string[];
}

/** `NAME=COUNT[:MACHINE-TYPE]`. */
export interface PoolWish {
  readonly name: string;
  readonly replicas: number;
  readonly machineType?: string;
}

/** The pool that `--nodes` speaks of. */
const POOL = 'workers';

/** The document that a person would write. Throws BadRequest when options contradict each other. */
export function clusterDocument(name: string, namespace: string, wish: ClusterWish): KubeObjectInput {
  const { account, region, version, controlPlane, param, addOn } = wish;
  const pools = poolsOf(wish);
  const spec = {
    ...(account === undefined ? {} : { accountRef: { name: account } }),
    ...(region === undefined ? {} : { region }),
    ...(wish.class === undefined ? {} : { classRef: { name: wish.class } }),
    ...(Object.keys(param).length === 0 ? {} : { parameters: param }),
    ...(version === undefined ? {} : { kubernetes: { version: versionOf(version) } }),
    ...(controlPlane === undefined ? {} : { controlPlane: { replicas: controlPlane } }),
    ...(pools.length === 0 ? {} : { nodePools: pools }),
    ...(addOn.length === 0 ? {} : { addOns: addOn.map((each) => ({ name: each })) }),
  };
  return { apiVersion: apiVersionOf(CLUSTER), kind: CLUSTER.kind, metadata: { name, namespace }, spec };
}

function poolsOf({ nodes, machineType, pool }: ClusterWish): readonly PoolWish[] {
  if (pool.length > 0 && (nodes !== undefined || machineType !== undefined)) {
    throw badRequest(
      '--nodes and --machine-type are for a cluster of one pool; with --pool say NAME=COUNT:MACHINE-TYPE',
    );
  }
  if (nodes === undefined && machineType !== undefined) throw badRequest('--machine-type needs --nodes');
  if (nodes === undefined) return pool;
  return [{ name: POOL, replicas: nodes, ...(machineType === undefined ? {} : { machineType }) }];
}

/** `1.31.4` means `v1.31.4`. */
export function versionOf(text: string): string {
  return /^\d/.test(text) ? `v${text}` : text;
}

/** Throws InvalidArgumentError. */
export function parsePool(text: string, before: readonly PoolWish[] = []): readonly PoolWish[] {
  const [, name, count, machineType] = /^([a-z0-9-]+)=(\d{1,4})(?::(\S+))?$/.exec(text) ?? [];
  if (name === undefined)
    throw new InvalidArgumentError('Give NAME=COUNT or NAME=COUNT:MACHINE-TYPE, such as web=3:m5.large.');
  return [...before, { name, replicas: Number(count), ...(machineType === undefined ? {} : { machineType }) }];
}

/** `NAME=VALUE`; a value is JSON, or text. Throws InvalidArgumentError. */
export function parseParameter(text: string, before: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const split = text.indexOf('=');
  if (split < 1) throw new InvalidArgumentError('Give NAME=VALUE.');
  return { ...before, [text.slice(0, split)]: jsonOr(text.slice(split + 1)) };
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
