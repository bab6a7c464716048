import { forbidden, PlatformError, timeout, unavailable } from '@crate/errors';
import type { CallContext } from '@crate/resource-client';
import { describe, expect, it } from '@jest/globals';
import { aReport } from '../testing/a-report.js';
import { askService } from './ask-service.js';

const CONTEXT: CallContext = { caller: { user: 'system:lifecycle', groups: [] }, traceId: 't' };

type Replica = (signal: AbortSignal) => Promise<unknown>;

const stuck: Replica = (signal) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(timeout('It did not answer in time'))));
const ahead: Replica = () =>
  Promise.reject(new PlatformError('Unavailable', 'Too late', { details: { reason: 'CallTooLate' } }));
const well: Replica = () => Promise.resolve({ ...aReport(), mood: 'of a newer release' });

/** Requests go to these in turn, as to the replicas of a service. */
function asking(replicas: readonly Replica[], patienceMs = 1_500): { asked: () => number; answer: Promise<unknown> } {
  let asked = 0;
  const call = <T>(_service: string, _method: string, _body: unknown, context: CallContext): Promise<T> => {
    const replica = replicas[asked++ % replicas.length]!;
    return replica(context.signal!) as Promise<T>;
  };
  return { asked: () => asked, answer: askService('policy-mgmt', { calls: { call }, context: CONTEXT, patienceMs }) };
}

describe('askService', () => {
  it('asks once where somebody answers', async () => {
    const { answer, asked } = asking([well]);
    expect(await answer).toEqual(aReport());
    expect(asked()).toBe(1);
  });

  it('asks another replica when the first is stuck', async () => {
    const { answer, asked } = asking([stuck, well]);
    expect(await answer).toEqual(aReport());
    expect(asked()).toBe(2);
  });

  it('asks another replica when the clock of the first is ahead', async () => {
    const { answer, asked } = asking([ahead, well]);
    expect(await answer).toEqual(aReport());
    expect(asked()).toBe(2);
  });

  it('says that clocks differ when that is so of every replica', async () => {
    const { answer } = asking([ahead]);
    await expect(answer).rejects.toMatchObject({ details: { reason: 'CallTooLate' } });
  });

  it('gives up when its time is over', async () => {
    const { answer } = asking([stuck], 50);
    await expect(answer).rejects.toMatchObject({ code: 'Unavailable', message: 'No answer within 0.05 s' });
  });

  it.each([
    { name: 'nobody listens', error: unavailable('policy-mgmt is not available, try again') },
    { name: 'it refuses', error: forbidden('No') },
  ])('does not ask again when $name', async ({ error }) => {
    const { answer, asked } = asking([() => Promise.reject(error)]);
    await expect(answer).rejects.toBe(error);
    expect(asked()).toBe(1);
  });

  it('takes what it knows of the words of a newer release', async () => {
    const run = { program: 'tofu', operation: 'apply', name: 'demo', holder: 'h', since: aReport().at, state: 'live' };
    const { answer } = asking([() => Promise.resolve({ ...aReport(), runs: [{ ...run, epoch: '1' }] })]);
    expect(await answer).toEqual({ ...aReport(), missing: [{ part: 'runs', message: expect.any(String) }] });
  });

  it('takes nothing that it cannot show', async () => {
    const { answer } = asking([() => Promise.resolve({ service: 'policy-mgmt', replicas: 3 })]);
    await expect(answer).rejects.toMatchObject({ message: 'It answers in a form that this release does not know' });
  });
});
