import { invariant, PlatformError, unavailable } from '@crate/errors';
import { describe, expect, it } from '@jest/globals';
import { failureCause, failureOf, withTrace } from './failure.js';

const INTERNAL = { code: 'InternalError', message: 'The platform made an error, quote the trace id' };

describe('failureCause', () => {
  const denied = new PlatformError('Forbidden', 'Denied', {
    retry: 'never',
    details: { reason: 'PolicyDenied', field: 'spec.region', remedy: 'Choose another region' },
  });

  it.each([
    {
      name: 'the reason, field and remedy of an error',
      given: denied,
      want: {
        code: 'PolicyDenied',
        message: 'Denied',
        retryable: false,
        field: 'spec.region',
        remedy: 'Choose another region',
      },
    },
    {
      name: 'the code where there is no finer reason',
      given: unavailable('The provider does not answer'),
      want: { code: 'Unavailable', message: 'The provider does not answer', retryable: true },
    },
    {
      name: 'no text of an invariant',
      given: invariant('secret detail'),
      want: { ...INTERNAL, retryable: false },
    },
    {
      name: 'no text of an error that is not ours, which is worth another try',
      given: new TypeError('x is undefined'),
      want: { ...INTERNAL, retryable: true },
    },
    {
      name: 'what the host refused, without its paths',
      given: Object.assign(new Error("ENOSPC: no space left on device, open '/x'"), {
        code: 'ENOSPC',
        syscall: 'open',
      }),
      want: {
        code: 'DiskFull',
        message: 'The disk of the service is full',
        remedy: 'Make room on the volume that the service keeps its working files on',
        retryable: true,
      },
    },
  ])('tells $name', ({ given, want }) => {
    expect(failureCause(given)).toEqual(want);
  });
});

describe('failureOf', () => {
  const error = unavailable('The provider does not answer');
  const first = failureOf(error, { traceId: 'first' });

  it('names the pass it was met in', () => {
    expect(first.traceId).toBe('first');
  });

  it('keeps the first trace while the failure stays the same', () => {
    expect(failureOf(error, { traceId: 'second', before: first })).toEqual(first);
  });

  it('takes the new trace for another failure', () => {
    const other = failureOf(unavailable('The cluster does not answer'), { traceId: 'second', before: first });
    expect(other.traceId).toBe('second');
  });

  it('takes the new trace where none was known', () => {
    const { traceId: _traceId, ...before } = first;
    expect(withTrace(before, { traceId: 'second', before }).traceId).toBe('second');
  });
});
