import { describe, expect, it } from '@jest/globals';
import { KUBERNETES_CLUSTER } from '@crate/api';
import { HintBus, type ChangeHint } from '@crate/messaging';
import { InMemoryWorkQueue } from '@crate/reconcile';
import { KEY } from './testing/local-clients.js';
import { WakeUp } from './wake-up.js';

class FakeHints extends HintBus {
  readonly published: ChangeHint[] = [];

  override publish(hints: readonly ChangeHint[]): void {
    this.published.push(...hints);
  }

  override subscribe(): () => void {
    return () => undefined;
  }
}

describe('WakeUp', () => {
  it('makes keys due, and tells every replica to look now', async () => {
    const queue = new InMemoryWorkQueue();
    const hints = new FakeHints();
    const target = { reconciler: 'kubernetes-cluster', kind: KUBERNETES_CLUSTER };
    const wakeUp = new WakeUp('cluster-mgmt', queue, hints);
    await wakeUp.wake(target, []);
    expect(hints.published).toEqual([]);

    await wakeUp.wake(target, [KEY]);
    expect(await queue.depth('kubernetes-cluster')).toEqual({ due: 1, leased: 0 });
    expect(hints.published).toMatchObject([{ service: 'cluster-mgmt', kind: 'KubernetesCluster', ...KEY }]);
  });
});
