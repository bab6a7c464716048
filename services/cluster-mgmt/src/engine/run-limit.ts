import type { EngineTask } from './cluster-engine.js';

const MINUTE_MS = 60_000;
/** As long as the engine gives pods to leave a node, and until it is back. */
const TURN_MS = 7 * MINUTE_MS;
/** The largest control plane, and the most workers that the engine takes one at a time. */
const MOST_TURNS = 7 + 19;

/** By how much a run may be longer at most than one that drains nothing. */
export const MOST_EXTRA_MS = MOST_TURNS * TURN_MS;

/** Longest time of a run: `baseMs`, and time for each turn where nodes are drained in turns. Pure. */
export function runLimitMs(baseMs: number, { config, drains = false }: Pick<EngineTask, 'config' | 'drains'>): number {
  if (!drains) return baseMs;
  const nodes = config['nodes'] as readonly { readonly role: readonly string[] }[];
  const workers = nodes.filter(({ role }) => !role.includes('controlplane')).length;
  const atATime = Math.max(1, Math.floor(workers / 10));
  return baseMs + (nodes.length - workers + Math.ceil(workers / atATime)) * TURN_MS;
}
