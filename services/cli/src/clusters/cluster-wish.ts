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
