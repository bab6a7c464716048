import { settled, type ReconcileKey } from '@crate/reconcile';
import type { CallContext } from '@crate/resource-client';
import type { ServiceHost } from '../service-host.js';
import { ToyReconciler, type ToyParts } from './host-bench.js';
import { WIDGET } from './toy-kinds.js';

export const NAMESPACE = 'team-a';
export const CALL: CallContext = { caller: { user: 'test', groups: [] }, traceId: 'trace' };

export type WidgetPass = (replica: string, key: ReconcileKey, signal: AbortSignal) => Promise<unknown>;

/** A service with one kind, one reconciler and one method; `pass` is told which replica runs it. */
export function widgetService(replica: string, pass: WidgetPass = () => Promise.resolve()): ToyParts {
  const reconciler = new ToyReconciler('widget', async (key, { remoteSignal }) => {
    await pass(replica, key, remoteSignal);
    return settled;
  });
  return {
    kinds: [{ definition: WIDGET }],
    reconcilers: [{ reconciler, kind: WIDGET, options: { concurrency: 2 } }],
    methods: { who: { scope: 'resources:read', handle: () => Promise.resolve(replica) } },
  };
}

/** Creates a widget, or changes its size. */
export async function put(host: ServiceHost, name: string, size = 1): Promise<void> {
  const widgets = host.foundation.clients.for(WIDGET);
  await widgets.ensure({ metadata: { name, namespace: NAMESPACE }, spec: { size } }, 'test');
}
