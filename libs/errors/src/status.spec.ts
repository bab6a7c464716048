import { describe, expect, it } from '@jest/globals';
import { fromStatus, PlatformError, toStatus, type ErrorCode, type KubernetesStatus } from './index.js';

const codes: ErrorCode[] = [
  'NotFound',
  'Conflict',
  'InvalidSpec',
  'BadRequest',
  'Forbidden',
  'Unauthenticated',
  'Gone',
  'UnsupportedMediaType',
  'TooManyRequests',
  'Unavailable',
  'Timeout',
];

describe('toStatus', () => {
  it.each(codes)('keeps the code %s across the wire', (code) => {
    const causes = [{ reason: 'FieldValueInvalid', message: 'must be odd', field: 'spec.replicas' }];
    const back = fromStatus(toStatus(new PlatformError(code, 'Message', { details: { name: 'demo', causes } })));

    expect(back.code).toBe(code);
    expect(back.message).toBe('Message');
    expect(back.details.causes).toEqual(causes);
  });

  it('says a reason of our own, and what to do, where programs look for it', () => {
    const details = { reason: 'DeletionProtected', remedy: 'Confirm it first', field: 'spec.deletionProtection' };
    const { details: told } = toStatus(new PlatformError('Forbidden', 'No', { details }));
    expect(told?.causes).toEqual([
      { reason: 'DeletionProtected', message: 'Confirm it first', field: 'spec.deletionProtection' },
    ]);
  });

  it('hides what an unknown error and an invariant say', () => {
    for (const error of [new Error('password=hunter2'), new PlatformError('Invariant', 'password=hunter2')]) {
      expect(JSON.stringify(toStatus(error))).not.toContain('hunter2');
    }
  });

  describe('of a rule that refuses', () => {
    const toldOf = (code: ErrorCode, message: string): KubernetesStatus => {
      const causes = [{ reason: 'FieldValueInvalid', message, field: 'spec.region' }];
      return toStatus(new PlatformError(code, message, { details: { causes } }));
    };

    it.each([
      { given: 'spec.region: the region is immutable', want: 'spec.region: the region is fixed' },
      { given: 'the immutable field; this immutable region', want: 'the fixed field; this fixed region' },
      { given: 'use an immutable image', want: 'use an immutable image' },
    ])('says "$given" in no words on which Flux deletes when it is to force', ({ given, want }) => {
      const { message, details } = toldOf('Forbidden', given);
      expect(message).toBe(want);
      expect(message).not.toMatch(/.*is\simmutable.*|.*immutable\sfield.*/);
      expect(details?.causes?.[0]?.message).toBe(given);
    });

    it('lets a field that cannot change be called so', () => {
      expect(toldOf('InvalidSpec', 'spec.region: is immutable').message).toBe('spec.region: is immutable');
    });
  });

  it('keeps retryAfterMs as whole seconds, rounded up', () => {
    const status = toStatus(new PlatformError('TooManyRequests', 'Slow down', { details: { retryAfterMs: 1200 } }));

    expect(status.details?.retryAfterSeconds).toBe(2);
    expect(fromStatus(status).details.retryAfterMs).toBe(2000);
  });

  it('keeps the token of an expired list where clients look for it', () => {
    const status = toStatus(new PlatformError('Gone', 'Too old', { details: { continue: 'token' } }));

    expect(status.metadata).toEqual({ continue: 'token' });
    expect(fromStatus(status).details.continue).toBe('token');
  });
});

describe('fromStatus', () => {
  it.each(['soon', -1, Number.NaN, Number.POSITIVE_INFINITY, null])('waits for no %p', (retryAfterSeconds) => {
    const status = { code: 429, details: { retryAfterSeconds } } as unknown as Partial<KubernetesStatus>;

    expect(fromStatus(status).details).toEqual({});
  });

  it('takes over nothing that a Status does not have', () => {
    const details = {
      name: 7,
      reason: 'Interrupted',
      retryAfterMs: 'x',
      remedy: 'Pay',
      causes: [null, { reason: 'R' }],
    };
    const status = { code: 403, reason: 'Forbidden', message: {}, details } as unknown as Partial<KubernetesStatus>;

    expect(fromStatus(status)).toMatchObject({ message: 'Forbidden', details: { causes: [{ reason: 'R' }] } });
    expect(Object.keys(fromStatus(status).details)).toEqual(['causes']);
  });
});
