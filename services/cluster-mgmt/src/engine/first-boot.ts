import type { EngineConfig } from './engine-config.js';
import type { EngineRun } from './engine-run.repository.js';
import { KEPT_RUNS } from './kept-runs.js';

/** How often it is looked whether a first boot is over. */
export const FIRST_BOOT_POLL_MS = 60_000;
/** The provider calls a machine running minutes before its first boot has installed Docker. No longer than runs are known for. */
const FIRST_BOOT_MS = (KEPT_RUNS - 2) * FIRST_BOOT_POLL_MS;

/** What is known when a run begins. */
export interface FirstBootFacts {
  readonly config: EngineConfig;
  /** Addresses of the machines that runs have made nodes. */
  readonly members: readonly string[];
  /** The newest first: that of this run. */
  readonly runs: readonly EngineRun[];
}

/** Addresses of the machines that may still be in their first boot: those that are no nodes yet, while their configuration is new. Pure. */
export function bootingMachines({ config, members, runs }: FirstBootFacts): ReadonlySet<string> {
  if (triedForMs(runs) >= FIRST_BOOT_MS) return new Set();
  const nodes = config['nodes'] as readonly { readonly address: string }[];
  return new Set(nodes.map(({ address }) => address).filter((address) => !members.includes(address)));
}

/** From the first to the newest start of runs that tried what the newest tries, none with success. */
function triedForMs(runs: readonly EngineRun[]): number {
  const [newest] = runs;
  if (!newest) return 0;
  const end = runs.findIndex((run) => run.kind !== 'up' || run.state === 'succeeded' || !isSameWish(run, newest));
  const first = runs.slice(0, end < 0 ? undefined : end).at(-1);
  return first ? newest.startedAt.getTime() - first.startedAt.getTime() : 0;
}

/** Releases that take turns write the configuration of one spec each in its own way. */
function isSameWish(run: EngineRun, newest: EngineRun): boolean {
  if (run.configHash === newest.configHash) return true;
  return run.generation !== undefined && run.generation === newest.generation;
}
