import { setTimeout as delay } from 'node:timers/promises';
import type { ReconcileKey } from '@crate/reconcile';
import type { Logger } from '@crate/telemetry';

export interface GatheredKeysOptions {
  /** Makes keys due; called again with the same keys, later, when it throws. */
  readonly enqueue: (keys: readonly ReconcileKey[]) => Promise<void>;
  readonly gatherMs: number;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/**
 * Keys that many changes concern, made due once for all changes of a time. They are kept in memory only: whoever follows a kind
 * anew is told of all that exists.
 */
export class GatheredKeys {
  private readonly keys = new Map<string, ReconcileKey>();
  private running: Promise<void> | undefined;

  constructor(private readonly options: GatheredKeysOptions) {}

  add(keys: readonly ReconcileKey[]): void {
    for (const key of keys) this.keys.set(`${key.namespace}/${key.name}`, key);
    if (this.keys.size > 0) this.running ??= this.run();
  }

  /** Resolves when nothing is under way any more; after the signal that is at once. */
  async idle(): Promise<void> {
    await this.running;
  }

  private async run(): Promise<void> {
    const { gatherMs, signal } = this.options;
    while (this.keys.size > 0 && !signal.aborted) {
      await delay(gatherMs, undefined, { signal }).catch(() => undefined);
      if (!signal.aborted) await this.flush();
    }
    this.running = undefined;
  }

  private async flush(): Promise<void> {
    const keys = [...this.keys.values()];
    this.keys.clear();
    try {
      await this.options.enqueue(keys);
    } catch (error) {
      this.options.logger.warn('Failing to make gathered keys due', { error, keys: keys.length });
      this.add(keys);
    }
  }
}
