import { setBounded } from './set-bounded.js';

/** How often events of one object may be written. */
export interface BudgetOptions {
  /** Writes at once. */
  readonly burst: number;
  /** One more write after so long. */
  readonly refillMs: number;
  /** Objects remembered; one that is forgotten starts anew. */
  readonly objects: number;
}

/** As client-go's spam filter has it. Source: https://github.com/kubernetes/client-go/blob/master/tools/record/events_cache.go */
export const DEFAULT_BUDGET: BudgetOptions = { burst: 25, refillMs: 300_000, objects: 4096 };

/** Keeps an object that fails over and over from writing without end: a token bucket each. */
export class ObjectBudget {
  private readonly buckets = new Map<string, { tokens: number; at: number }>();

  constructor(private readonly options: BudgetOptions = DEFAULT_BUDGET) {}

  /** Takes a write from the object's budget; false when there is none left. */
  take(uid: string, now: number): boolean {
    const { burst, refillMs, objects } = this.options;
    const bucket = this.buckets.get(uid) ?? { tokens: burst, at: now };
    // A clock that is put back takes away nothing.
    const tokens = Math.min(burst, bucket.tokens + Math.max(0, now - bucket.at) / refillMs);
    const isAllowed = tokens >= 1;
    setBounded(this.buckets, uid, { tokens: isAllowed ? tokens - 1 : tokens, at: now }, objects);
    return isAllowed;
  }
}
