import { passes } from '../api/report.js';
import { median, rounded, type Figure, type Report } from '../scenario.js';

/** What the first page may transfer of scripts. */
const FIRST_LOAD_KB = 300;
/** From the navigation until a person can work with it. */
const INTERACTIVE_MS = 1_500;
/** A person sees that something hung. */
const LONG_FRAME_MS = 50;
/** Of the page's own thread, beside plain rows: what other work on the machine moves least. */
const CPU_OVER_BARE = 1.5;

/** One opening of a page. */
export interface Load {
  /** Milliseconds until the first row is drawn and the page has answered a frame since. */
  readonly rowMs: number;
  /** Scripts, as they are transferred. */
  readonly kB: number;
}

/** One way through a list, from its top to its end. */
export interface Scroll {
  /** What lay between two frames, in milliseconds. */
  readonly gaps: readonly number[];
  /** Milliseconds of the page's thread for each frame. */
  readonly cpuMs: number;
}

/** The same thing done to the console and to a bare page, in turn. */
export interface Beside<T> {
  readonly console: T;
  readonly bare: T;
}

/** What was seen of the console, held against what it should reach. */
export function consoleReport(opened: readonly Beside<Load>[], scrolled: readonly Beside<Scroll>[]): Report {
  const figures = { ...loadFigures(opened), ...scrollFigures(scrolled) };
  return { scenario: 'console', figures, pass: passes(figures) };
}

function loadFigures(opened: readonly Beside<Load>[]): Record<string, Figure> {
  const [ours, bare] = [opened.map(({ console }) => console), opened.map((each) => each.bare)];
  const rowMs = (of: readonly Load[]): number => median(of.map((each) => each.rowMs));
  return {
    firstLoad: { value: rounded(Math.max(...ours.map(({ kB }) => kB))), unit: 'kB', target: FIRST_LOAD_KB },
    interactive: { value: rounded(rowMs(ours)), unit: 'ms', baseline: rounded(rowMs(bare)), target: INTERACTIVE_MS },
    interactiveOverBare: { value: rounded(rowMs(ours) / rowMs(bare)), unit: 'ratio' },
  };
}

function scrollFigures(scrolled: readonly Beside<Scroll>[]): Record<string, Figure> {
  const [ours, bare] = [scrolled.map(({ console }) => console), scrolled.map((each) => each.bare)];
  const gapsOf = (of: readonly Scroll[]): number[] =>
    of.flatMap(({ gaps }) => gaps).sort((left, right) => left - right);
  const [gaps, bareGaps] = [gapsOf(ours), gapsOf(bare)];
  const at = (of: readonly number[], share: number): number => rounded(of[Math.floor((of.length - 1) * share)] ?? NaN);
  const long = (of: readonly number[]): number => of.filter((gap) => gap > LONG_FRAME_MS).length;
  const cpu = (of: readonly Scroll[]): number => rounded(median(of.map(({ cpuMs }) => cpuMs)));
  return {
    'frame.p50': { value: at(gaps, 0.5), unit: 'ms', baseline: at(bareGaps, 0.5) },
    'frame.p99': { value: at(gaps, 0.99), unit: 'ms', baseline: at(bareGaps, 0.99), target: LONG_FRAME_MS },
    'frame.max': { value: at(gaps, 1), unit: 'ms', baseline: at(bareGaps, 1) },
    'frame.long': { value: long(gaps), unit: 'frames', baseline: long(bareGaps) },
    frames: { value: gaps.length, unit: 'frames', baseline: bareGaps.length },
    'frame.cpu': { value: cpu(ours), unit: 'ms', baseline: cpu(bare) },
    'frame.cpuOverBare': { value: rounded(cpu(ours) / cpu(bare)), unit: 'ratio', target: CPU_OVER_BARE },
  };
}
