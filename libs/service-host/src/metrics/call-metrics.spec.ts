import { notFound, timeout } from '@crate/errors';
import { ServiceCaller } from '@crate/messaging';
import type { CallContext } from '@crate/resource-client';
import { InMemoryMetrics } from '@crate/telemetry';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { measuredMethods, MeasuredServiceCaller } from './call-metrics.js';

const CONTEXT: CallContext = { caller: { user: 'ada', groups: [] }, traceId: 'trace' };

class PlayedCaller extends ServiceCaller {
  timeoutMs: number | undefined;

  constructor(private readonly answer: () => Promise<unknown>) {
    super();
  }

  // eslint-disable-next-line max-params -- the contract's five parameters
  override async call<T>(_: string, __: string, ___: unknown, ____: CallContext, timeoutMs?: number): Promise<T> {
    this.timeoutMs = timeoutMs;
    return (await this.answer()) as T;
  }
}

let metrics: InMemoryMetrics;
beforeEach(() => {
  metrics = new InMemoryMetrics();
});

describe('a measured caller', () => {
  const labels = { peer: 'policy-mgmt', method: 'review' };

  it('hands the call on, and tells rate and duration', async () => {
    const played = new PlayedCaller(() => Promise.resolve('fine'));
    const caller = new MeasuredServiceCaller(played, metrics);

    expect(await caller.call('policy-mgmt', 'review', {}, CONTEXT, 70)).toBe('fine');
    expect(played.timeoutMs).toBe(70);
    expect(metrics.value('crate_nats_client_calls_total', { ...labels, code: 'OK' })).toBe(1);
    expect(metrics.observed('crate_nats_client_call_duration_seconds', labels)).toHaveLength(1);
  });

  it('tells errors by their code, and throws them', async () => {
    const caller = new MeasuredServiceCaller(new PlayedCaller(() => Promise.reject(notFound('Policy', 'x'))), metrics);

    await expect(caller.call('policy-mgmt', 'review', {}, CONTEXT)).rejects.toMatchObject({ code: 'NotFound' });
    expect(metrics.value('crate_nats_client_calls_total', { ...labels, code: 'NotFound' })).toBe(1);
  });

  it('tells those that it gave up from those that were not answered in time', async () => {
    const late = (): Promise<never> => Promise.reject(timeout('policy-mgmt did not answer in time'));
    const caller = new MeasuredServiceCaller(new PlayedCaller(late), metrics);
    const ended = { ...CONTEXT, signal: AbortSignal.abort() };
    const waiting = { ...CONTEXT, signal: new AbortController().signal };

    for (const context of [ended, waiting, CONTEXT]) {
      await expect(caller.call('policy-mgmt', 'review', {}, context)).rejects.toMatchObject({ code: 'Timeout' });
    }
    expect(metrics.value('crate_nats_client_calls_total', { ...labels, code: 'Abandoned' })).toBe(1);
    expect(metrics.value('crate_nats_client_calls_total', { ...labels, code: 'Timeout' })).toBe(2);
  });

  it('tells what is under way, and long polls apart from calls', async () => {
    let finish = (): void => undefined;
    const open = new Promise<void>((resolve) => (finish = resolve));
    const caller = new MeasuredServiceCaller(new PlayedCaller(() => open), metrics);
    const both = ['resources.watch', 'review'].map((method) => caller.call('policy-mgmt', method, {}, CONTEXT));

    await metrics.text();
    expect(metrics.value('crate_nats_client_calls_in_flight', { kind: 'poll' })).toBe(1);
    expect(metrics.value('crate_nats_client_calls_in_flight', { kind: 'call' })).toBe(1);

    finish();
    await Promise.all(both);
    await metrics.text();
    expect(metrics.value('crate_nats_client_calls_in_flight', { kind: 'poll' })).toBe(0);
    const poll = { peer: 'policy-mgmt', method: 'resources.watch' };
    expect(metrics.value('crate_nats_client_calls_total', { ...poll, code: 'OK' })).toBe(1);
    expect(metrics.observed('crate_nats_client_call_duration_seconds', poll)).toEqual([]);
  });
});

describe('measured methods', () => {
  it('answer as before under the same scope, and tell how', async () => {
    const methods = measuredMethods(
      {
        fine: { scope: 'policy:review', handle: (body) => Promise.resolve(body) },
        bad: { scope: 'policy:review', handle: () => Promise.reject(notFound('Policy', 'x')) },
      },
      metrics,
    );

    expect(await methods['fine']?.handle('body', CONTEXT)).toBe('body');
    await expect(methods['bad']?.handle({}, CONTEXT)).rejects.toMatchObject({ code: 'NotFound' });
    expect(methods['fine']?.scope).toBe('policy:review');
    expect(metrics.value('crate_nats_server_calls_total', { method: 'fine', code: 'OK' })).toBe(1);
    expect(metrics.value('crate_nats_server_calls_total', { method: 'bad', code: 'NotFound' })).toBe(1);
    expect(metrics.observed('crate_nats_server_call_duration_seconds', { method: 'fine' })).toHaveLength(1);
  });
});
