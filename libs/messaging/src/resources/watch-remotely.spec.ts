import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '@crate/api';
import { PlatformError, unavailable } from '@crate/errors';
import { CALL_TOO_LATE } from '../call/wire.js';
import type { PollAnswer } from './poll-changes.js';
import { watchRemotely } from './watch-remotely.js';

const OBJECT = { apiVersion: 'g/v1', kind: 'Widget', metadata: { name: 'a', resourceVersion: '2' } } as KubeObject;
const failure = (reason: string): Error => new PlatformError('Unavailable', 'No', { details: { reason } });

function firstAfter(error: Error): Promise<unknown> {
  const answers = [
    Promise.reject<PollAnswer>(error),
    Promise.resolve<PollAnswer>({ events: [{ type: 'ADDED', object: OBJECT }], resourceVersion: '2' }),
  ];
  const watch = watchRemotely({
    type: { group: 'g', version: 'v1', plural: 'widgets' },
    options: { resourceVersion: '1' },
    context: { caller: { user: 'ada', groups: [] }, traceId: 't' },
    list: () => Promise.reject(new Error('Not expected')),
    poll: () => answers.shift() ?? Promise.reject(new Error('Not expected')),
  });
  return watch.next();
}

describe('a watch of an owner that', () => {
  it.each([
    { name: 'does not answer', error: unavailable('policy-mgmt is not available') },
    { name: 'stood still for longer than a poll takes', error: failure(CALL_TOO_LATE) },
  ])('$name goes on', async ({ error }) => {
    expect(await firstAfter(error)).toMatchObject({ value: { type: 'ADDED' } });
  });

  it('says why it cannot answer ends with that', async () => {
    await expect(firstAfter(failure('AnswerTooLarge'))).rejects.toMatchObject({ code: 'Unavailable' });
  });
});
