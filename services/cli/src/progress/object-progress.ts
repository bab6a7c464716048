import { MultiBar, Presets, type SingleBar } from 'cli-progress';
import { barShapeOf, canGoBack, fitted, type BarShape } from './bar-shape.js';
import { oneLine } from '../output/visible.js';
import { formatElapsed } from './progress-view.js';
import { stopAtExit } from './stop-at-exit.js';

const BAR_LENGTH = 20;
/** Bars that do not fit on the screen cannot be gone back to. One line is the cursor's, one is for what is written above them. */
const SPARE_ROWS = 2;
/** Source: https://www.xfree86.org/current/ctlseqs.html */
const ERASE_TO_THE_RIGHT = '\u001b[K';

/** How far something is. */
export interface Stage {
  readonly step: number;
  readonly steps: number;
  /** What it is at, or why it does not come along. */
  readonly message: string;
}

/** Shows how several objects come along: bars on a terminal, as many as fit on it, and lines for all else. Beside the output, which is for programs. */
export class ObjectProgress {
  private readonly bars: MultiBar | undefined;
  private readonly shape: BarShape;
  private readonly byName = new Map<string, SingleBar>();
  private readonly last = new Map<string, string>();
  private readonly startedAt: number;
  /** Of the longest until now: bars begin one below the other. */
  private nameWidth = 0;
  private readonly stop: (() => void) | undefined;

  constructor(
    private readonly output: NodeJS.WriteStream = process.stderr,
    private readonly now: () => number = Date.now,
  ) {
    this.startedAt = now();
    this.shape = barShapeOf(output, BAR_LENGTH);
    if (!canGoBack(output)) return;
    this.bars = createBars(output, this.shape);
    this.stop = stopAtExit(this.bars);
  }

  /** Says where the object is by now; the same again is no news. */
  show(name: string, stage: Stage): void {
    const { step, steps } = stage;
    const message = oneLine(stage.message);
    if (this.bars && this.hasRoomFor(name)) return this.drawn(this.bars, name, { step, steps, message });
    const text = `${name} ${steps > 0 ? `${step}/${steps} ` : ''}${message}`.trimEnd();
    if (this.last.get(name) === text) return;
    this.last.set(name, text);
    this.note(fitted(`[${this.elapsed()}] ${text}`, this.bars ? this.shape.columns : Infinity));
  }

  /** A line that stays. */
  note(line: string): void {
    // Over what was a bar until now.
    if (this.bars) this.bars.log(`${line}${ERASE_TO_THE_RIGHT}\n`);
    else this.output.write(`${line}\n`);
  }

  /** Leaves the last state on the screen; nothing may be shown afterwards. */
  close(): void {
    this.stop?.();
  }

  private hasRoomFor(name: string): boolean {
    // Some say 0 where they do not know.
    const rows = this.output.rows || Infinity;
    return this.byName.has(name) || this.byName.size < rows - SPARE_ROWS;
  }

  private drawn(bars: MultiBar, name: string, { step, steps, message }: Stage): void {
    const total = Math.max(steps, 1);
    this.nameWidth = Math.max(this.nameWidth, name.length);
    const payload = { name: name.padEnd(this.nameWidth), elapsed: this.elapsed(), detail: this.detailOf(message) };
    const bar = this.byName.get(name) ?? bars.create(total, 0, payload);
    this.byName.set(name, bar);
    bar.setTotal(total);
    bar.update(Math.min(step, total), payload);
  }

  /** As much as there is room for behind all else, as `createBars` has it. */
  private detailOf(message: string): string {
    const { columns, bar, hasTime } = this.shape;
    const taken =
      this.nameWidth + '  9/9 | '.length + (bar > 0 ? bar + 1 : 0) + (hasTime ? `${this.elapsed()} | `.length : 0);
    return fitted(message, columns - taken);
  }

  private elapsed(): string {
    return formatElapsed(this.now() - this.startedAt);
  }
}

function createBars(output: NodeJS.WriteStream, { bar, hasTime }: BarShape): MultiBar {
  return new MultiBar(
    {
      stream: output,
      format: ` {name} ${bar > 0 ? '{bar} ' : ''}{value}/{total} | ${hasTime ? '{elapsed} | ' : ''}{detail}`,
      hideCursor: true,
      barsize: bar,
      linewrap: false,
      emptyOnZero: true,
    },
    Presets.shades_classic,
  );
}
