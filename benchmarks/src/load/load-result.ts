import type { LatencySummary } from './latencies.js';

/** Does the request of this number; rejects when it is not answered as it should be. */
export type Send = (index: number) => Promise<void>;

/** What a load met with. */
export interface LoadResult {
  /** Of answered requests. */
  readonly latency: LatencySummary;
  /** How late this process itself was to send: what of the latencies is the generator's own. */
  readonly lateness: LatencySummary;
  /** Answered requests a second, until the last one was answered. */
  readonly throughput: number;
  readonly failures: number;
  /** The same by what went wrong: the status that was answered, or the code of what broke on the way. */
  readonly failuresByKind: Readonly<Record<string, number>>;
  /** One of the failures in words. */
  readonly failure?: string;
}

/** An answer, but not the one that was asked for. */
export class AnsweredWrongly extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
    this.name = 'AnsweredWrongly';
  }
}

/** Counts failures and keeps the first one. */
export class Failures {
  count = 0;
  private first: string | undefined;
  private readonly byKind = new Map<string, number>();

  add(error: unknown): void {
    this.count += 1;
    const kind = kindOf(error);
    this.byKind.set(kind, (this.byKind.get(kind) ?? 0) + 1);
    this.first ??= error instanceof Error ? error.message : String(error);
  }

  result(): Pick<LoadResult, 'failures' | 'failuresByKind' | 'failure'> {
    const failuresByKind = Object.fromEntries(this.byKind);
    return { failures: this.count, failuresByKind, ...(this.first === undefined ? {} : { failure: this.first }) };
  }
}

function kindOf(error: unknown): string {
  if (error instanceof AnsweredWrongly) return String(error.status);
  if (!(error instanceof Error)) return 'Unknown';
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? code : error.name;
}
