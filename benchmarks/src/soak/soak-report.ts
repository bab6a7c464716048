import { passes } from '../api/report.js';
import { rounded, type Report } from '../scenario.js';
import { growthOf, type Sample } from './growth.js';

/** Share of the rounds in which caches fill, code is compiled and the newest changes gather in memory. */
const WARM_UP = 0.3;

/** A request leaves nothing behind; this much is the noise of a heap that is measured a few dozen times. */
const BYTES_PER_REQUEST = 100;
const RATIO = 1.05;

/** What one round of the soak left behind, and what it did. */
export interface Round {
  /** Answered since the start. */
  readonly requests: number;
  /** After a garbage collection. */
  readonly heapMiB: number;
  readonly rssMiB: number;
  /** Sockets, timers and the like. */
  readonly resources: number;
  readonly failures: number;
  /** By what went wrong. */
  readonly failuresByKind: Readonly<Record<string, number>>;
  /** Watches that ended before they were closed. */
  readonly endedWatches: number;
  readonly events: number;
}

const NOTHING: Round = {
  ...{ requests: 0, heapMiB: NaN, rssMiB: NaN, resources: NaN },
  ...{ failures: 0, failuresByKind: {}, endedWatches: 0, events: 0 },
};

/** Judges the rounds after the warm-up. */
export function soakReport(all: readonly Round[], minutes: number, watchers: number): Report {
  const rounds = all.slice(Math.floor(all.length * WARM_UP));
  const samplesOf = (field: 'heapMiB' | 'rssMiB'): readonly Sample[] =>
    rounds.map((round) => ({ requests: round.requests, mib: round[field] }));
  const [heap, rss] = [growthOf(samplesOf('heapMiB')), growthOf(samplesOf('rssMiB'))];
  const [first, last] = [rounds[0] ?? NOTHING, rounds.at(-1) ?? NOTHING];
  const sum = (field: 'failures' | 'endedWatches' | 'events'): number =>
    all.reduce((total, round) => total + round[field], 0);
  const figures = {
    minutes: { value: minutes, unit: 'min' },
    requests: { value: last.requests, unit: 'requests' },
    watches: { value: all.length * watchers, unit: 'watches' },
    events: { value: sum('events'), unit: 'events' },
    failures: { value: sum('failures'), unit: 'requests', target: 0 },
    failureRate: { value: rateOf(sum('failures'), last.requests), unit: 'ratio', target: 0 },
    ...failureFigures(all),
    endedWatches: { value: sum('endedWatches'), unit: 'watches', target: 0 },
    heap: { value: rounded(last.heapMiB), unit: 'MiB', baseline: rounded(first.heapMiB) },
    heapRatio: { value: rounded(heap.ratio), unit: 'ratio', target: RATIO },
    heapPerRequest: { value: rounded(heap.bytesPerRequest), unit: 'bytes', target: BYTES_PER_REQUEST },
    rss: { value: rounded(last.rssMiB), unit: 'MiB', baseline: rounded(first.rssMiB) },
    rssRatio: { value: rounded(rss.ratio), unit: 'ratio' },
    openResources: { value: last.resources, unit: 'count', baseline: first.resources },
  };
  return { scenario: 'soak', figures, pass: passes(figures) };
}

/** Of all that was sent; to six decimals, as one in a million counts. */
function rateOf(failures: number, answered: number): number {
  return Number((failures / Math.max(1, failures + answered)).toFixed(6));
}

/** One figure for each kind that there was. */
function failureFigures(rounds: readonly Round[]): Report['figures'] {
  const totals = new Map<string, number>();
  for (const [kind, count] of rounds.flatMap(({ failuresByKind }) => Object.entries(failuresByKind))) {
    totals.set(kind, (totals.get(kind) ?? 0) + count);
  }
  const kinds = [...totals].sort(([left], [right]) => left.localeCompare(right));
  return Object.fromEntries(kinds.map(([kind, value]) => [`failures.${kind}`, { value, unit: 'requests', target: 0 }]));
}
