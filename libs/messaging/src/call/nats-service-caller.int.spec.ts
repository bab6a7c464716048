import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PlatformError } from '@crate/errors';
import type { CallContext } from '@crate/resource-client';
import { newTraceId } from '@crate/telemetry';
import { eventually } from '@crate/testing';
import type { ServiceMethod } from '../serve/service-methods.js';
import { TestPlatform } from '../testing/platform.js';
import type { NatsConnection } from '@nats-io/nats-core';
import { NatsServiceCaller } from './nats-service-caller.js';

const MAX_PAYLOAD = 128 * 1024;

describe('NatsServiceCaller', () => {
  let platform: TestPlatform;
  let caller: NatsServiceCaller;
  const context: CallContext = { caller: { user: 'ada', groups: ['team-a'] }, traceId: newTraceId() };

  beforeAll(async () => {
    platform = await TestPlatform.start(MAX_PAYLOAD);
    caller = await platform.caller('lifecycle');
  });

  afterAll(async () => platform.stop());

  async function serve(methods: Record<string, ServiceMethod['handle']>) {
    const served = Object.entries(methods).map(([name, handle]) => [name, { scope: 'policy:review', handle }]);
    return platform.serve('policy-mgmt', () => Object.fromEntries(served) as Record<string, ServiceMethod>);
  }

  it('hands over the body, the acting person with where they are, and the trace id', async () => {
    const review: ServiceMethod['handle'] = async (body, { caller: by, traceId, origin }) => ({
      body,
      by,
      traceId,
      origin,
    });
    const replica = await serve({ review });
    const origin = { address: '192.0.2.7', userAgent: 'kubectl/v1.33' };

    const answer = await caller.call('policy-mgmt', 'review', { stage: 'Manifest' }, { ...context, origin });

    const by = { user: 'ada', groups: ['team-a'], service: 'lifecycle' };
    expect(answer).toEqual({ body: { stage: 'Manifest' }, by, traceId: context.traceId, origin });
    await replica.stop();
  });

  it('throws the error that the peer answered with', async () => {
    const details = { field: 'spec.region', remedy: 'Choose another region', reason: 'QuotaExceeded' };
    const replica = await serve({
      review: async () => Promise.reject(new PlatformError('TooManyRequests', 'No quota', { details })),
    });

    const failure = caller.call('policy-mgmt', 'review', {}, context);

    await expect(failure).rejects.toMatchObject({ code: 'TooManyRequests', message: 'No quota', details });
    await replica.stop();
  });

  it('says Unavailable when its own clock is wrong: nobody has to sign in again, and it passes', async () => {
    const replica = await serve({ review: async () => 'fine' });
    let offsetMs = 600_000;
    const astray = await platform.caller('lifecycle', () => Date.now() + offsetMs);

    await expect(astray.call('policy-mgmt', 'review', {}, context)).rejects.toMatchObject({
      code: 'Unavailable',
      retry: 'backoff',
      details: { reason: 'ServiceTokenRefused', remedy: expect.stringContaining('clocks') },
    });
    offsetMs = 0;
    expect(await astray.call('policy-mgmt', 'review', {}, context)).toBe('fine');
    await replica.stop();
  });

  it('hides what an unforeseen error says', async () => {
    const replica = await serve({ review: async () => Promise.reject(new Error('password=hunter2')) });

    const failure = await caller.call('policy-mgmt', 'review', {}, context).catch((error: unknown) => error);

    expect(failure).toMatchObject({ code: 'Unavailable' });
    expect(JSON.stringify(failure) + String(failure)).not.toContain('hunter2');
    await replica.stop();
  });

  it('says NotFound for a method that the service does not have', async () => {
    const replica = await serve({});
    await expect(caller.call('policy-mgmt', 'toString', {}, context)).rejects.toMatchObject({ code: 'NotFound' });
    await replica.stop();
  });

  it('says Unavailable at once when nobody listens', async () => {
    await expect(caller.call('policy-mgmt', 'review', {}, context)).rejects.toMatchObject({ code: 'Unavailable' });
  });

  it('says Timeout when the peer takes too long, and the peer hears that too', async () => {
    let aborted = false;
    const replica = await serve({
      review: async (_, { signal }) =>
        new Promise((resolve) => {
          signal?.addEventListener('abort', () => resolve((aborted = true)));
        }),
    });

    const failure = caller.call('policy-mgmt', 'review', {}, context, 100);

    await expect(failure).rejects.toMatchObject({ code: 'Timeout' });
    await eventually(() => aborted);
    await replica.stop();
  });

  it('stops waiting when its own signal aborts', async () => {
    const { reached, end, handle } = handlerThatWaits(1);
    const replica = await serve({ review: handle });
    const abort = new AbortController();
    // Longer than a test may last.
    const failure = caller.call('policy-mgmt', 'review', {}, { ...context, signal: abort.signal }, 600_000);

    void reached.then(() => abort.abort());

    await expect(failure).rejects.toMatchObject({
      code: 'Timeout',
      message: expect.stringContaining('may have been done'),
    });
    end();
    await replica.stop();
  });

  it('refuses a request that no message can carry before it is sent', async () => {
    const body = { text: 'x'.repeat(MAX_PAYLOAD) };
    await expect(caller.call('policy-mgmt', 'review', body, context)).rejects.toMatchObject({ code: 'BadRequest' });
  });

  it('answers with an error when the reply is too large, and goes on', async () => {
    const replica = await serve({ review: async () => 'x'.repeat(MAX_PAYLOAD), other: async () => 'fine' });

    await expect(caller.call('policy-mgmt', 'review', {}, context)).rejects.toMatchObject({ code: 'Unavailable' });

    expect(await caller.call('policy-mgmt', 'other', {}, context)).toBe('fine');
    await replica.stop();
  });

  it('shares the requests among replicas', async () => {
    const counts = [0, 0];
    const one = await serve({ review: async () => (counts[0] = (counts[0] ?? 0) + 1) });
    const two = await serve({ review: async () => (counts[1] = (counts[1] ?? 0) + 1) });

    await Promise.all(Array.from({ length: 100 }, () => caller.call('policy-mgmt', 'review', {}, context)));

    expect((counts[0] ?? 0) + (counts[1] ?? 0)).toBe(100);
    expect(Math.min(...counts)).toBeGreaterThan(10);
    await one.stop();
    await two.stop();
  });

  it('lets requests at hand finish when a replica stops, and loses none', async () => {
    const { reached, end, handle } = handlerThatWaits(20);
    const one = await serve({ review: handle });
    const calls = Array.from({ length: 20 }, () => caller.call('policy-mgmt', 'review', {}, context));
    await reached;
    const two = await serve({ review: async () => 'two' });

    const stopped = one.stop();
    end();
    await stopped;

    const later = await Promise.all(
      Array.from({ length: 20 }, () => caller.call('policy-mgmt', 'review', {}, context)),
    );
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['ended']));
    expect(new Set(later)).toEqual(new Set(['two']));
    await two.stop();
  });

  it('does not wait for an answer that was lost with the server', async () => {
    const { reached, end, handle } = handlerThatWaits(1);
    const replica = await serve({ review: handle });
    // Longer than a test may last.
    const failure = caller.call('policy-mgmt', 'review', {}, context, 600_000).catch((error: unknown) => error);
    await reached;
    await platform.nats.restart();

    expect(await failure).toMatchObject({
      code: 'Timeout',
      message: expect.stringMatching(
        /connection to NATS was lost before policy-mgmt answered.*may have been done/,
      ) as unknown,
    });
    end();
    await replica.stop();
  });

  it('takes an answer that comes soon after its own connection was lost and is back', async () => {
    const { reached, end, handle } = handlerThatWaits(1);
    const replica = await serve({ review: handle });
    const connection = await platform.connect('lifecycle');
    const astray = new NatsServiceCaller(connection, platform.issuer('lifecycle'), platform.sealer('lifecycle'));
    const answer = astray.call('policy-mgmt', 'review', {}, context);
    await reached;
    const reconnected = untilReconnected(connection);
    await connection.reconnect();
    await reconnected;
    // What is sent before the server knows again who listens is lost, whoever sends it.
    await connection.flush();
    end();

    expect(await answer).toBe('ended');
    await replica.stop();
  });

  it('goes on after the server was restarted', async () => {
    const replica = await serve({ review: async () => 'fine' });

    await platform.nats.restart();

    await eventually(async () => (await caller.call('policy-mgmt', 'review', {}, context, 500)) === 'fine', {
      timeoutMs: 60_000,
    });
    await replica.stop();
  });
});

async function untilReconnected(connection: NatsConnection): Promise<void> {
  for await (const { type } of connection.status()) if (type === 'reconnect') return;
}

/** Answers once it is told to; says when so many requests are at hand. */
function handlerThatWaits(count: number): { reached: Promise<void>; end: () => void; handle: () => Promise<string> } {
  let [reach, end] = [(): void => undefined, (): void => undefined];
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const ended = new Promise<void>((resolve) => (end = resolve));
  let atHand = 0;
  const handle = async (): Promise<string> => {
    if (++atHand === count) reach();
    await ended;
    return 'ended';
  };
  return { reached, end, handle };
}
