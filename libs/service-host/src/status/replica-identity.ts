import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';

/** One run of one process of a service. */
export interface ReplicaIdentity {
  readonly id: string;
  /** What it is called wherever it holds something. */
  readonly name: string;
  readonly host: string;
  readonly pid: number;
}

/** The name of this process as a replica of the service. */
export function replicaName(service: string): string {
  return `${service}@${hostname()}:${process.pid}`;
}

/** A new run of this process. */
export function newReplica(service: string): ReplicaIdentity {
  return { id: randomUUID(), name: replicaName(service), host: hostname(), pid: process.pid };
}
