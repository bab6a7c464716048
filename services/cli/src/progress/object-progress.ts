import { MultiBar, Presets, type SingleBar } from 'cli-progress';
import { formatElapsed } from './progress-view.js';
import { stopAtExit } from './stop-at-exit.js';

const DETAIL_LENGTH = 90;

/** How far something is. */
export interface Stage {
  readonly step: number;
  readonly steps: number;
  /** What it is at, or why it does not come along. */
  readonly message: string;
}

/** Shows how several objects come along: bars on a terminal, lines elsewhere. Beside the output, which is for programs. */
export class ObjectProgress {
  private readonly bars: MultiBar | undefined;
  private readonly byName = new Map<string, SingleBar>();
  private readonly last = new Map<string, string>();
  private readonly startedAt: number;
  private readonly stop: (() => void) | undefined;

  constructor(
    private readonly output: NodeJS.WriteStream = process.stderr,
    private readonly now: () => number = Date.now,
  ) {
    this.startedAt = now();
    if (!output.isTTY) return;
    this.bars = createBars(output);
    this.stop = stopAtExit(this.bars);
  }

  /** Says where the object is by now; the same again is no news. */
  show(name: string, stage: Stage): void {
    const { step, steps, message } = stage;
    if (this.bars) return this.drawn(this.bars, name, stage);
    const text = `${name} ${steps > 0 ? `${step}/${steps} ` : ''}${message}`.trimEnd();
    if (this.last.get(name) === text) return;
    this.last.set(name, text);
    this.output.write(`[${this.elapsed()}] ${text}\n`);
  }

  /** A line that stays. */
  note(line: string): void {
    if (this.bars) this.bars.log(`${line}\n`);
    else this.output.write(`${line}\n`);
  }

  /** Leaves the last state on the screen; nothing may be shown afterwards. */
  close(): void {
    this.stop?.();
  }

  private drawn(bars: MultiBar, name: string, { step, steps, message }: Stage): void {
    const total = Math.max(steps, 1);
    const payload = { name, elapsed: this.elapsed(), detail: message.slice(0, DETAIL_LENGTH) };
    const bar = this.byName.get(name) ?? bars.create(total, 0, payload);
    this.byName.set(name, bar);
    bar.setTotal(total);
    bar.update(Math.min(step, total), payload);
  }

  private elapsed(): string {
    return formatElapsed(this.now() - this.startedAt);
  }
}

function createBars(output: NodeJS.WriteStream): MultiBar {
  return new MultiBar(
    {
      stream: output,
      format: ' {name} {bar} {value}/{total} | {elapsed} | {detail}',
      hideCursor: true,
      barsize: 20,
      linewrap: false,
      emptyOnZero: true,
    },
    Presets.shades_classic,
  );
}
