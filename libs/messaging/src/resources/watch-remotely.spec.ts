import { describe, expect, it } from '@jest/globals';
import type { KubeList, KubeObject } from '@crate/api';
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

describe('a watch with no time', () => {
  const NONE: PollAnswer = { events: [] };
  const found = { apiVersion: 'g/v1', kind: 'WidgetList', metadata: { resourceVersion: '2' }, items: [OBJECT] };
  const changed: PollAnswer = { events: [{ type: 'DELETED', object: OBJECT }], resourceVersion: '3' };

  async function all(list: () => Promise<KubeList>, poll: () => Promise<PollAnswer>): Promise<unknown> {
    const waits: unknown[] = [];
    const watch = watchRemotely({
      type: { group: 'g', version: 'v1', plural: 'widgets' },
      options: { timeoutMs: 0 },
      context: { caller: { user: 'ada', groups: [] }, traceId: 't' },
      list,
      poll: (body) => {
        waits.push((body as { waitMs: number }).waitMs);
        return poll();
      },
    });
    const types: string[] = [];
    for await (const { type } of watch) types.push(type);
    return { types, waits };
  }

  it('tells what there is and what came after it, and waits for no more', async () => {
    const told = await all(
      () => Promise.resolve(found),
      () => Promise.resolve(changed),
    );
    expect(told).toEqual({ types: ['ADDED', 'DELETED'], waits: [0] });
  });

  it('ends when the owner is away', async () => {
    const away = (): Promise<never> => Promise.reject(unavailable('policy-mgmt is not available'));
    expect(await all(away, () => Promise.resolve(NONE))).toEqual({ types: [], waits: [] });
    expect(await all(() => Promise.resolve(found), away)).toEqual({ types: ['ADDED'], waits: [0] });
  });

  it('says what else is wrong', async () => {
    const tooOld = (): Promise<never> => Promise.reject(new PlatformError('Gone', 'Too old'));
    await expect(all(() => Promise.resolve(found), tooOld)).rejects.toMatchObject({ code: 'Gone' });
  });
});
