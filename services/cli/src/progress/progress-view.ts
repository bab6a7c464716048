import type { Cluster, PhaseProgress } from '@crate/api';
import { MultiBar, Presets, type SingleBar } from 'cli-progress';

/** Shows how a cluster comes along. */
export abstract class ProgressView {
  abstract update(cluster: Cluster): void;
  /** Leaves the last state on the screen; nothing may be shown afterwards. */
  abstract close(): void;
}

/** Bars on a terminal, lines elsewhere. */
export function createProgressView(output: NodeJS.WriteStream, now: () => number = Date.now): ProgressView {
  return output.isTTY
    ? new BarProgressView(output, now)
    : new LineProgressView((line) => output.write(`${line}\n`), now);
}

/** One bar per phase, with the resource at hand and the time since the start. */
class BarProgressView extends ProgressView {
  private readonly bars: MultiBar;
  private readonly byPhase = new Map<string, SingleBar>();
  private readonly startedAt: number;

  constructor(
    output: NodeJS.WriteStream,
    private readonly now: () => number,
  ) {
    super();
    this.startedAt = now();
    this.bars = new MultiBar(
      {
        stream: output,
        format: ' {mark} {phase} {bar} {percentage}% | {elapsed} | {detail}',
        hideCursor: true,
        barsize: 24,
        autopadding: true,
        linewrap: false,
        emptyOnZero: true,
      },
      Presets.shades_classic,
    );
  }

  update(cluster: Cluster): void {
    const elapsed = formatElapsed(this.now() - this.startedAt);
    for (const phase of cluster.status?.phases ?? []) {
      const steps = Math.max(phase.steps, 1);
      const bar = this.byPhase.get(phase.name) ?? this.add(phase, steps);
      if (phase.state === 'Done' && bar.getProgress() >= 1) continue;
      bar.setTotal(steps);
      bar.update(phase.state === 'Done' ? steps : Math.min(phase.step, steps), payload(phase, elapsed));
    }
  }

  close(): void {
    this.bars.stop();
  }

  private add(phase: PhaseProgress, steps: number): SingleBar {
    const bar = this.bars.create(steps, 0, payload(phase, '0s'));
    this.byPhase.set(phase.name, bar);
    return bar;
  }
}

/** One line whenever something a person cares about changed. */
export class LineProgressView extends ProgressView {
  private last = '';
  private readonly startedAt: number;

  constructor(
    private readonly write: (line: string) => void,
    private readonly now: () => number = Date.now,
  ) {
    super();
    this.startedAt = now();
  }

  update(cluster: Cluster): void {
    const phase = cluster.status?.phases?.find((candidate) => candidate.state !== 'Done');
    const text = !cluster.status?.phases
      ? 'Waiting to start'
      : phase
        ? `${phase.name} ${phase.step}/${phase.steps} ${phase.message}`
        : 'All phases done';
    if (text === this.last) return;
    this.last = text;
    this.write(`[${formatElapsed(this.now() - this.startedAt)}] ${text}`);
  }

  close(): void {
    // Every line is complete already.
  }
}

function payload(phase: PhaseProgress, elapsed: string): object {
  const mark = { Done: '✔', Running: '▶', Pending: '·', Failed: '✖' }[phase.state];
  return { mark, phase: phase.name.padEnd(21), elapsed, detail: phase.message.slice(0, 60) };
}

/** `42s`, `3m05s`. */
export function formatElapsed(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < 60) return `${seconds}s`;
  return `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, '0')}s`;
}
