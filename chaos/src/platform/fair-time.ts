import { readFileSync } from 'node:fs';

const NS_PER_MS = 1e6;

/** Counts time, but not that in which a process was kept waiting for a processor: on a shared machine that is others' time. */
export class FairTime {
  private waitedMs = new Map<number, number>();
  private lookedAt = performance.now();

  constructor(private readonly waitedOf: (pid: number) => number | undefined = waitedSoFarMs) {}

  /** Milliseconds since the last look, less the longest that any of the processes had to wait meanwhile. */
  since(pids: readonly number[], now = performance.now()): number {
    const before = this.waitedMs;
    this.waitedMs = new Map(pids.flatMap((pid) => pairOf(pid, this.waitedOf(pid))));
    const waits = [...this.waitedMs].map(([pid, waited]) => waited - (before.get(pid) ?? waited));
    const passed = now - this.lookedAt;
    this.lookedAt = now;
    return Math.max(0, passed - Math.max(0, ...waits));
  }
}

function pairOf(pid: number, waited: number | undefined): readonly [number, number][] {
  return waited === undefined ? [] : [[pid, waited]];
}

/** What the kernel says of a process's main thread; undefined where it does not (Linux alone does), or the process is gone. */
function waitedSoFarMs(pid: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / NS_PER_MS;
  } catch {
    return undefined;
  }
}
