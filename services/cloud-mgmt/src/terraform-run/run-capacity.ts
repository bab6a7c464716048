import { availableParallelism, totalmem } from 'node:os';

const MIB = 1024 * 1024;
/** Terraform with the schema of a large provider, and the provider beside it. */
const RUN_BYTES = 512 * MIB;
/** The service, and a plan that somebody only wants to see: it has a slot of its own. */
const BESIDE_BYTES = 512 * MIB + RUN_BYTES;
/** Of a machine that it has not to itself. */
const SHARE = 0.5;
/** A run uses a processor for seconds while it plans, and waits for the cloud for minutes. */
const RUNS_PER_PROCESSOR = 4;
/** The most that the setting takes. */
export const MOST_RUNS = 64;

/** What there is for Terraform, in bytes and processors. */
export interface Machine {
  readonly processors: number;
  readonly totalBytes: number;
  /** What the process may use, as of a container; 0 or more than there is: unlimited. */
  readonly limitBytes: number;
}

/** How many runs at a time fit: bound by memory first, for want of which the kernel ends what works. At least 1. Pure. */
export function runCapacity({ processors, totalBytes, limitBytes }: Machine): number {
  const isLimited = limitBytes > 0 && limitBytes < totalBytes;
  const bytes = isLimited ? limitBytes - BESIDE_BYTES : totalBytes * SHARE;
  return Math.max(1, Math.min(Math.floor(bytes / RUN_BYTES), processors * RUNS_PER_PROCESSOR, MOST_RUNS));
}

/** The machine or container that this process runs in. */
export function thisMachine(): Machine {
  return {
    processors: availableParallelism(),
    totalBytes: totalmem(),
    limitBytes: process.constrainedMemory(),
  };
}
