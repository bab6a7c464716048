import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '@crate/api';
import { isWorkAhead } from './work-ahead.js';

const ready = (status: string, observedGeneration = 2): object => ({
  conditions: [{ type: 'Ready', status, observedGeneration }],
});
const failure = (retryable: boolean): object => ({ failure: { code: 'X', message: '', retryable } });

describe('isWorkAhead', () => {
  it.each([
    { want: true, reason: 'nobody looked yet', changes: {} },
    { want: false, reason: 'it is as asked for', changes: { status: ready('True') } },
    { want: true, reason: 'what is ready is an earlier spec', changes: { status: ready('True', 1) } },
    { want: true, reason: 'it is tried again', changes: { status: { ...ready('False'), ...failure(true) } } },
    { want: false, reason: 'only a new spec helps', changes: { status: { ...ready('False'), ...failure(false) } } },
    { want: true, reason: 'a new spec came', changes: { status: { ...ready('False', 1), ...failure(false) } } },
    { want: false, reason: 'it is paused', changes: { spec: { paused: true } } },
    { want: true, reason: 'it is being deleted', changes: { status: ready('True'), deletionTimestamp: 'now' } },
  ])('is $want: $reason', ({ want, changes }) => {
    const { deletionTimestamp, ...rest } = changes as { deletionTimestamp?: string };
    const metadata = { name: 'demo', generation: 2, ...(deletionTimestamp ? { deletionTimestamp } : {}) };
    expect(isWorkAhead({ apiVersion: 'v1', kind: 'Demo', metadata, ...rest } as unknown as KubeObject)).toBe(want);
  });
});
