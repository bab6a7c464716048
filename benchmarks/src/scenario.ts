/** One measured number. Times are seconds unless `unit` says otherwise. */
export interface Figure {
  readonly value: number;
  readonly unit: string;
  /** What it should reach at least (rates) or at most (times) to pass. */
  readonly target?: number;
  /** The same measured of something known, in the same run. */
  readonly baseline?: number;
}

export interface Report {
  readonly scenario: string;
  readonly figures: Readonly<Record<string, Figure>>;
  readonly pass: boolean;
  /** The same for a person, instead of one line for each figure. */
  readonly table?: string;
}

/** What a person may change about a scenario; each takes of it what it can. */
export interface ScenarioOptions {
  /** Less of everything, to see that it runs; figures of it are not worth quoting. */
  readonly quick?: boolean;
  /** The parts to run; absent: all. */
  readonly only?: readonly string[];
  /** How long each part is measured. */
  readonly seconds?: number;
  readonly minutes?: number;
  /** Stored objects. */
  readonly objects?: number;
  /** Requests a second of parts with a fixed rate. */
  readonly rate?: number;
  /** Clusters that are made for real. */
  readonly clusters?: number;
  /** Processes of each service, one platform after the other. */
  readonly replicas?: readonly number[];
  /** Factor on the latency of the simulated cloud; absent: it takes no time. */
  readonly latency?: number;
  /** Requests of a fuzz run. */
  readonly requests?: number;
  /** What a fuzz run draws its requests by: the same again for the same number. */
  readonly seed?: number;
}

/** Measures something worth measuring again and again; `say` is told how far it is. */
export type Measure = (say: (line: string) => void, options: ScenarioOptions) => Promise<Report>;

/** A measurement by its name. */
export interface Scenario {
  readonly name: string;
  readonly description: string;
  /** Of all of them together it takes seconds: only what is to run is loaded. */
  readonly load: () => Promise<Measure>;
}

/** Rounds to three decimals, so that reports can be read and compared. */
export function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** The one in the middle, or the mean of the two there. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? NaN) + (sorted[Math.ceil(middle)] ?? NaN)) / 2;
}
