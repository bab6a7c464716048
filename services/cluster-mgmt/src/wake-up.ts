import type { KindDefinition } from '@crate/api';
import { UNCHANGED, type HintBus } from '@crate/messaging';
import type { ReconcileKey, WorkQueue } from '@crate/reconcile';

/** What can be woken: a reconciler and the kind its keys are of. */
export interface WakeTarget {
  readonly reconciler: string;
  readonly kind: KindDefinition;
}

/** Makes keys due because of something that is no change of a resource, such as a node that fell silent. */
export class WakeUp {
  constructor(
    private readonly service: string,
    private readonly queue: WorkQueue,
    private readonly hints: HintBus,
  ) {}

  async wake({ reconciler, kind }: WakeTarget, keys: readonly ReconcileKey[]): Promise<void> {
    if (keys.length === 0) return;
    await this.queue.enqueue(reconciler, keys);
    // The queue is looked at every few seconds; the hint makes this replica and the others look now.
    const { group, kind: name } = kind;
    const { service } = this;
    this.hints.publish(keys.map((key) => ({ service, group, kind: name, ...key, revision: UNCHANGED })));
  }
}
