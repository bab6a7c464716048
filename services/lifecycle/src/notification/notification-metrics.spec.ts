import { expect, it } from '@jest/globals';
import type { Condition, NotificationChannel } from '@crate/api';
import { InMemoryMetrics } from '@crate/telemetry';
import { observeBacklog } from './notification-metrics.js';
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
