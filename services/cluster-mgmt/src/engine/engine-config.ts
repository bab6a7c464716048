import { createHash } from 'node:crypto';

/** An engine's configuration as a plain document: what policy judges and what the engine is given. Holds no secret. */
export type EngineConfig = Readonly<Record<string, unknown>>;

/** Tells pieces of work apart; the order of keys does not matter. */
export function hashEngineTask(task: { readonly config: EngineConfig; readonly server?: string | undefined }): string {
  return createHash('sha256')
    .update(canonicalJson([task.config, task.server ?? '']))
    .digest('hex');
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
    return Object.fromEntries(Object.entries(item).sort(([left], [right]) => (left < right ? -1 : 1)));
  });
}
