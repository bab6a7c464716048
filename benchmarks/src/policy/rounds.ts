import { Latencies, type LatencySummary } from '../load/latencies.js';

/** What one subject took. */
export interface Taken {
  readonly latency: LatencySummary;
  /** Milliseconds of processor for one run, garbage collection included: hardly moved by what else the machine does. */
  readonly cpuMs: number;
  /** Runs a second. */
  readonly throughput: number;
}

export interface RoundsPlan {
  /** Runs of each subject that are not measured: until its code is compiled. */
  readonly warmUp: number;
  /** Runs of each subject that are. */
  readonly runs: number;
}

/** Rounds that the runs are dealt out to, so that a moment in which the machine is slow hits all subjects alike. */
const ROUNDS = 10;

/** Runs all subjects in turns, in this process, and tells what one run of each takes. */
export function inRounds<N extends string>(
  subjects: Readonly<Record<N, () => void>>,
  { warmUp, runs }: RoundsPlan,
): Readonly<Record<N, Taken>> {
  const meters = Object.entries<() => void>(subjects).map(([name, run]) => [name, new Meter(run)] as const);
  for (const [, meter] of meters) meter.warmUp(warmUp);
  const perRound = Math.ceil(runs / ROUNDS);
  for (let round = 0; round < ROUNDS; round += 1) for (const [, meter] of meters) meter.measure(perRound);
  return Object.fromEntries(meters.map(([name, meter]) => [name, meter.taken()])) as Record<N, Taken>;
}

class Meter {
  private readonly latencies = new Latencies();
  private cpuMicroseconds = 0;
  private ms = 0;

  constructor(private readonly run: () => void) {}

  warmUp(runs: number): void {
    for (let index = 0; index < runs; index += 1) this.run();
  }

  measure(runs: number): void {
    const before = process.cpuUsage();
    const startedAt = performance.now();
    for (let index = 0; index < runs; index += 1) {
      const at = performance.now();
      this.run();
      this.latencies.add(performance.now() - at);
    }
    this.ms += performance.now() - startedAt;
    const { user, system } = process.cpuUsage(before);
    this.cpuMicroseconds += user + system;
  }

  taken(): Taken {
    const latency = this.latencies.summary();
    return {
      latency,
      cpuMs: this.cpuMicroseconds / 1000 / latency.count,
      throughput: (latency.count * 1000) / this.ms,
    };
  }
}
