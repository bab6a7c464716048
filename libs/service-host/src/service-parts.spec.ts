import { CLUSTER, PROJECT } from '@crate/api';
import type { Reconciler } from '@crate/reconcile';
import { describe, expect, it } from '@jest/globals';
import { servedKinds } from './service-parts.js';

describe('the kinds of a service', () => {
  it('say which of them somebody reconciles', () => {
    const kinds = [{ definition: CLUSTER }, { definition: PROJECT }];
    const reconciler = { name: 'cluster' } as Reconciler;
    expect(servedKinds({ kinds, reconcilers: [{ reconciler, kind: CLUSTER }] })).toEqual([
      { definition: CLUSTER, isReconciled: true },
      { definition: PROJECT },
    ]);
  });
});
