import type { Cluster, Failure, PhaseProgress } from '@crate/api';
import { MultiBar, Presets, type SingleBar } from 'cli-progress';
import { oneLine } from '../output/visible.js';
import { barShapeOf, canGoBack, fitted, type BarShape } from './bar-shape.js';
import { stopAtExit } from './stop-at-exit.js';

const BAR_LENGTH = 24;
const [LONG_NAME, SHORT_NAME] = [21, 14];

/** Shows how a cluster comes along. */
export abstract class ProgressView {
  abstract update(cluster: Cluster): void;
  /** Leaves the last state on the screen; nothing may be shown afterwards. */
  abstract close(): void;
}

/** Bars on a terminal, lines elsewhere. */
export function createProgressView(output: NodeJS.WriteStream, now: () => number = Date.now): ProgressView {
  return canGoBack(output)
    ? new BarProgressView(output, now)
    : new LineProgressView((line) => output.write(`${line}\n`), now);
}

/** One bar per phase, with the resource at hand and the time since the start. */
class BarProgressView extends ProgressView {
  private readonly bars: MultiBar;
  private readonly shape: BarShape;
  private readonly stop: () => void;
  private readonly byPhase = new Map<string, SingleBar>();
  private readonly done = new Set<string>();
  private readonly startedAt: number;

  constructor(
    output: NodeJS.WriteStream,
    private readonly now: () => number,
  ) {
    super();
    this.startedAt = now();
    this.shape = barShapeOf(output, BAR_LENGTH);
    this.bars = new MultiBar(
      {
        stream: output,
        format: formatOf(this.shape),
        hideCursor: true,
        barsize: this.shape.bar,
        autopadding: true,
        linewrap: false,
        emptyOnZero: true,
      },
      Presets.shades_classic,
    );
    this.stop = stopAtExit(this.bars);
  }

  update(cluster: Cluster): void {
    const elapsed = formatElapsed(this.now() - this.startedAt);
    const { phases = [], failure } = cluster.status ?? {};
    for (const phase of phases) {
      const steps = Math.max(phase.steps, 1);
      const bar = this.byPhase.get(phase.name) ?? this.add(phase, steps);
      const isDone = phase.state === 'Done';
      // The time of a phase that is done stays what it was then.
      if (isDone && this.done.has(phase.name)) continue;
      if (isDone) this.done.add(phase.name);
      else this.done.delete(phase.name);
      bar.setTotal(steps);
      bar.update(isDone ? steps : Math.min(phase.step, steps), this.payload(phase, elapsed, failure));
    }
  }

  close(): void {
    this.stop();
  }

  private add(phase: PhaseProgress, steps: number): SingleBar {
    const bar = this.bars.create(steps, 0, this.payload(phase, '0s'));
    this.byPhase.set(phase.name, bar);
    return bar;
  }

  private payload(phase: PhaseProgress, elapsed: string, failure?: Failure): object {
    const mark = { Done: '✔', Running: '▶', Pending: '·', Failed: '✖' }[phase.state];
    const { columns, bar, hasTime } = this.shape;
    const name = phase.name.padEnd(bar === BAR_LENGTH ? LONG_NAME : SHORT_NAME);
    // All but the detail, as `formatOf` has it.
    const taken = ` ${mark} ${name} `.length + (bar > 0 ? bar + 1 : 0) + '100% | '.length;
    const room = columns - taken - (hasTime ? `${elapsed} | `.length : 0);
    return { mark, phase: name, elapsed, detail: fitted(detail(phase, failure), room) };
  }
}

/** What there is room for. */
function formatOf({ bar, hasTime }: BarShape): string {
  return ` {mark} {phase} ${bar > 0 ? '{bar} ' : ''}{percentage}% | ${hasTime ? '{elapsed} | ' : ''}{detail}`;
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
    const text = lineOf(cluster);
    if (text === this.last) return;
    this.last = text;
    this.write(`[${formatElapsed(this.now() - this.startedAt)}] ${text}`);
  }

  close(): void {
    // Every line is complete already.
  }
}

function lineOf({ status }: Cluster): string {
  if (!status?.phases) return 'Waiting to start';
  const phase = status.phases.find((candidate) => candidate.state !== 'Done');
  return phase ? `${phase.name} ${phase.step}/${phase.steps} ${detail(phase, status.failure)}` : 'All phases done';
}

/** What a phase is at, or why it does not come along. */
function detail(phase: PhaseProgress, failure: Failure | undefined): string {
  if (phase.state !== 'Failed' || !failure) return oneLine(phase.message);
  return oneLine([`${failure.code}: ${failure.message}`, failure.remedy].filter(Boolean).join('. '));
}

/** `42s`, `3m05s`. */
export function formatElapsed(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < 60) return `${seconds}s`;
  return `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, '0')}s`;
}
