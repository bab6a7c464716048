import { expect, it } from '@jest/globals';
import type { Condition, NotificationChannel } from '@crate/api';
import { InMemoryMetrics } from '@crate/telemetry';
import { observeBacklog, observeFailingChannels } from './notification-metrics.js';
import { aChannel } from './testing/a-channel.js';

function channel(uid: string, spec: object = {}, conditions: readonly Partial<Condition>[] = []): NotificationChannel {
  return { ...aChannel({ ...spec }, { uid }), status: { conditions: conditions as Condition[] } };
}

it('tells what waits where something may be sent', async () => {
  const asked: (readonly string[])[] = [];
  const outbox = {
    backlog: (exceptUids: readonly string[]) => {
      asked.push(exceptUids);
      return Promise.resolve({ pending: 3, oldestAgeMs: 90_000 });
    },
  };
  const all = [
    channel('new'),
    channel('well', {}, [{ type: 'Ready', status: 'True' }]),
    channel('paused', { paused: true }, [{ type: 'Ready', status: 'True' }]),
    channel('hindered', {}, [{ type: 'Ready', status: 'False' }]),
  ];
  const metrics = new InMemoryMetrics();
  observeBacklog(metrics, outbox, { list: () => Promise.resolve(all) });
  await metrics.text();
  expect(metrics.value('crate_notifications_pending')).toBe(3);
  expect(metrics.value('crate_notification_oldest_pending_age_seconds')).toBe(90);
  expect(asked).toEqual([
    ['paused', 'hindered'],
    ['paused', 'hindered'],
  ]);
});

it('counts the channels whose last attempt came to nothing, by the way they go', async () => {
  const failed = { type: 'Delivering', status: 'False', reason: 'DeliveryFailed' } as const;
  const webhook = (uid: string, conditions: readonly Partial<Condition>[], spec = {}): NotificationChannel =>
    channel(uid, spec, conditions);
  let all = [
    webhook('new', []),
    webhook('well', [{ type: 'Delivering', status: 'True', reason: 'Delivered' }]),
    webhook('away', [failed]),
    webhook('away-too', [failed, { type: 'Ready', status: 'True' }]),
    webhook('paused', [failed], { paused: true }),
    webhook('hindered', [failed, { type: 'Ready', status: 'False' }]),
    webhook('refused', [{ ...failed, reason: 'RecipientRefused' }]),
  ];
  const metrics = new InMemoryMetrics();
  observeFailingChannels(metrics, { list: () => Promise.resolve(all) });
  const failing = async (type: string): Promise<number | undefined> => {
    await metrics.text();
    return metrics.value('crate_notification_failing_channels', { type });
  };
  expect(await failing('webhook')).toBe(2);
  expect(await failing('email')).toBe(0);
  all = [];
  expect(await failing('webhook')).toBe(0);
});
