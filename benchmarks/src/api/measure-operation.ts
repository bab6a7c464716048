import type { ApiBench, Measured } from './api-bench.js';
import { SUBJECTS } from './api-bench.js';
import type { Subject } from './generator.main.js';
import type { MeasuredOperation } from './operations.js';

/** Requests a second that latencies are measured at, and what they should reach on two processors. */
export interface OperationPlan {
  readonly rate: number;
  /** Milliseconds. */
  readonly p95?: number;
  readonly p99?: number;
  /** Answered requests a second under full load. */
  readonly capacity?: number;
}

export const PLANS: Readonly<Record<MeasuredOperation, OperationPlan>> = {
  get: { rate: 500, capacity: 4_000 },
  list: { rate: 5, p95: 100 },
  create: { rate: 200, p99: 50 },
  update: { rate: 200, p99: 50 },
  patch: { rate: 200, p99: 50 },
  apply: { rate: 200, p99: 50 },
  write: { rate: 200, p99: 50, capacity: 1_000 },
};

export interface OperationResult {
  readonly operation: MeasuredOperation;
  readonly rate: number;
  /** At the fixed rate. */
  readonly open: Readonly<Record<Subject, Measured>>;
  /** As much as is answered. */
  readonly full: Readonly<Record<Subject, Measured>>;
}

export interface OperationOptions {
  readonly seconds: number;
  readonly rate?: number;
  /** Whether what a load leaves behind may be worked on during the next. */
  readonly isQuick?: boolean;
}

/** Until connections are open, caches filled, and the code of every process on the way is compiled, at the rates that are measured. */
const WARM_UP_SECONDS = 10;

/** Numbers of requests never come twice on one platform, or creates would meet names that are taken. */
let next = 0;
const NUMBERS_OF_A_LOAD = 1_000_000;

/** Measures one operation on Crate and, right beside it, on both baselines. */
export async function measureOperation(
  bench: ApiBench,
  operation: MeasuredOperation,
  { seconds, rate = PLANS[operation].rate, isQuick = false }: OperationOptions,
): Promise<OperationResult> {
  const load = async (
    subject: Subject,
    of: { readonly rate?: number; readonly seconds: number },
  ): Promise<Measured> => {
    next += NUMBERS_OF_A_LOAD;
    return bench.load({ subject, operation, first: next, ...of });
  };
  const measured = async (of: {
    readonly rate?: number;
    readonly seconds: number;
  }): Promise<Record<Subject, Measured>> => {
    const results: Partial<Record<Subject, Measured>> = {};
    for (const subject of SUBJECTS) {
      if (!isQuick) await bench.rest();
      await load(subject, { ...of, seconds: Math.min(WARM_UP_SECONDS, of.seconds) });
      results[subject] = await load(subject, of);
    }
    return results as Record<Subject, Measured>;
  };
  const open = await measured({ rate, seconds });
  const full = await measured({ seconds: seconds / 2 });
  return { operation, rate, open, full };
}
