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
  readonly events: number;
}

const NOTHING: Round = { requests: 0, heapMiB: NaN, rssMiB: NaN, resources: NaN, failures: 0, events: 0 };

/** Judges the rounds after the warm-up. */
export function soakReport(all: readonly Round[], minutes: number, watchers: number): Report {
  const rounds = all.slice(Math.floor(all.length * WARM_UP));
  const samplesOf = (field: 'heapMiB' | 'rssMiB'): readonly Sample[] =>
    rounds.map((round) => ({ requests: round.requests, mib: round[field] }));
  const [heap, rss] = [growthOf(samplesOf('heapMiB')), growthOf(samplesOf('rssMiB'))];
  const [first, last] = [rounds[0] ?? NOTHING, rounds.at(-1) ?? NOTHING];
  const sum = (field: 'failures' | 'events'): number => all.reduce((total, round) => total + round[field], 0);
  const figures = {
    minutes: { value: minutes, unit: 'min' },
    requests: { value: last.requests, unit: 'requests' },
    watches: { value: all.length * watchers, unit: 'watches' },
    events: { value: sum('events'), unit: 'events' },
    failures: { value: sum('failures'), unit: 'requests', target: 0 },
    heap: { value: rounded(last.heapMiB), unit: 'MiB', baseline: rounded(first.heapMiB) },
    heapRatio: { value: rounded(heap.ratio), unit: 'ratio', target: RATIO },
    heapPerRequest: { value: rounded(heap.bytesPerRequest), unit: 'bytes', target: BYTES_PER_REQUEST },
    rss: { value: rounded(last.rssMiB), unit: 'MiB', baseline: rounded(first.rssMiB) },
    rssRatio: { value: rounded(rss.ratio), unit: 'ratio' },
    openResources: { value: last.resources, unit: 'count', baseline: first.resources },
  };
  return { scenario: 'soak', figures, pass: passes(figures) };
}
