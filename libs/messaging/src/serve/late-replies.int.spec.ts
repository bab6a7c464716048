import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { REPLY_WITHIN_MS } from '@crate/auth';
import { newTraceId } from '@crate/telemetry';
import { eventually } from '@crate/testing';
import { TestPlatform } from '../testing/platform.js';
import type { Msg } from '@nats-io/nats-core';
import { NatsServiceServer } from './nats-service-server.js';
import { LONGEST_TIMEOUT_MS } from './service-controller.js';

describe('a service that is stopped', () => {
  it('ends although NATS does not answer', async () => {
    const platform = await TestPlatform.start();
    const handle = (): Promise<string> => Promise.resolve('heard');
    const replica = await platform.serve('policy-mgmt', () => ({ review: { scope: 'policy:review', handle } }));
    const closing = new NatsServiceServer({
      connection: replica.connection,
      service: 'policy-mgmt',
      logger: platform.logger,
    });
    closing.addHandler('x', () => Promise.resolve());
    closing.bindEvents(replica.connection);
    process.kill(platform.nats.pid, 'SIGSTOP');

    let isClosed = false;
    void closing.close().then(() => (isClosed = true));
    // Sooner than a silent server is taken for gone.
    await eventually(() => isClosed, { timeoutMs: 12_000 });

    process.kill(platform.nats.pid, 'SIGCONT');
    await replica.stop();
    await platform.stop();
  });
});

describe('a reply that nobody may have any more', () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await TestPlatform.start();
  });

  afterAll(async () => platform.stop());

  it('is not sent: NATS knows of requests on the connection that they came over, and of no others', async () => {
    let finish: (() => void) | undefined;
    const handle = async (): Promise<string> => {
      await new Promise<void>((resolve) => (finish = resolve));
      return 'late';
    };
    const replica = await platform.serve('policy-mgmt', () => ({ review: { scope: 'policy:review', handle } }));
    const caller = await platform.caller('lifecycle');
    const context = { caller: { user: 'ada', groups: [] }, traceId: newTraceId() };
    const call = caller.call('policy-mgmt', 'review', {}, context, 4_000).catch((error: unknown) => error);
    await eventually(() => expect(finish).toBeDefined());

    await platform.nats.restart();
    const back = () => platform.logger.at('info').filter(({ message }) => message === 'Reconnected to NATS');
    // That of the caller, and that of the service.
    await eventually(() => expect(back()).toHaveLength(2));
    finish?.();
    await call;
    await replica.connection.flush();

    expect(platform.logger.at('error').map(({ message }) => message)).toEqual([]);
    await replica.stop();
  });

  it.each([
    { name: 'is sent while whoever asked waits', waitsMs: '60000', sent: 1 },
    { name: 'is sent when nobody says how long they wait', waitsMs: undefined, sent: 1 },
    { name: 'is not sent once whoever asked has given up', waitsMs: '1', sent: 0 },
  ])('$name', async ({ waitsMs, sent }) => {
    const connection = await platform.connect('policy-mgmt');
    const server = new NatsServiceServer({ connection, service: 'policy-mgmt', logger: platform.logger });
    const replies: unknown[] = [];
    const headers = { get: () => waitsMs ?? '' };
    const message = { reply: '_INBOX_x', subject: 'x', headers, respond: (reply: unknown) => replies.push(reply) };
    const publish = server.getPublisher(message as unknown as Msg, 'id');
    const receivedAt = performance.now();
    await eventually(() => expect(performance.now()).toBeGreaterThan(receivedAt + 5));
    publish({ response: 'late' });
    expect(replies).toHaveLength(sent);
  });

  it('is none while a call may last', () => {
    expect(REPLY_WITHIN_MS).toBeGreaterThan(LONGEST_TIMEOUT_MS + 30_000);
  });
});

/** Nobody waits for it: the clock that replicas go by is made up, and the one that ends a call is not. */
const TIMEOUT_MS = 60_000;

describe('a call that reaches its replica', () => {
  let platform: TestPlatform;
  beforeEach(async () => {
    platform = await TestPlatform.start();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await platform.stop();
  });

  it.each([
    { name: 'while somebody waits is begun', afterMs: 0, begun: 1 },
    { name: 'when clocks differ by what they may is begun', afterMs: TIMEOUT_MS + 30_000, begun: 1 },
    { name: 'long after it was given up is not', afterMs: TIMEOUT_MS + 30_001, begun: 0 },
  ])('$name', async ({ afterMs, begun }) => {
    const handle = jest.fn(() => Promise.resolve('done'));
    await platform.serve('policy-mgmt', () => ({ review: { scope: 'policy:review', handle } }));
    const caller = await platform.caller('lifecycle');
    const context = { caller: { user: 'ada', groups: [] }, traceId: newTraceId() };
    const sentAt = Date.now();
    const clock = jest.spyOn(Date, 'now').mockReturnValue(sentAt);

    // The deadline is read before the first await.
    const call = caller.call('policy-mgmt', 'review', {}, context, TIMEOUT_MS).catch((error: unknown) => error);
    clock.mockReturnValue(sentAt + afterMs);

    expect(await call).toEqual(
      begun
        ? 'done'
        : expect.objectContaining({
            code: 'Unavailable',
            details: expect.objectContaining({ reason: 'CallTooLate', remedy: expect.stringContaining('clocks') }),
          }),
    );
    expect(handle).toHaveBeenCalledTimes(begun);
  });
});
