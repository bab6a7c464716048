import type { Dashboard } from '../model.js';
import { instant, percentile, query, RATE } from '../queries.js';

const ATTEMPTS = 'crate_notification_attempts_total';

/** Whether Projects hear of what happens: attempts, what waits, and how fast receivers answer. */
export const NOTIFICATIONS: Dashboard = {
  uid: 'crate-notifications',
  title: 'Crate / Notifications',
  description:
    'Messages to webhooks, Slack and e-mail. Which receiver fails is on the page of its channel, in the console.',
  variables: [{ name: 'type', label: 'Type', query: `${ATTEMPTS}, type` }],
  rows: [
    {
      title: 'Now',
      panels: [
        {
          type: 'stat',
          title: 'Waiting',
          description: 'Messages that are not delivered yet, without channels that are paused or can send nothing.',
          unit: 'short',
          queries: [instant('max(crate_notifications_pending)')],
        },
        {
          type: 'stat',
          title: 'Waiting longest',
          description: 'Age of the oldest message that waits. A receiver that is away for a day gets it no more.',
          unit: 's',
          queries: [instant('max(crate_notification_oldest_pending_age_seconds)')],
        },
        {
          type: 'stat',
          title: 'Dropped in a day',
          description: 'Messages that were never tried, because too many of one channel waited.',
          unit: 'short',
          thresholds: [{ value: 1, color: 'orange' }],
          queries: [instant('sum(increase(crate_notifications_dropped_total[1d]))')],
          alerts: ['CrateNotificationsDropped'],
        },
      ],
    },
    {
      title: 'Delivery',
      panels: [
        {
          type: 'timeseries',
          title: 'Attempts by outcome',
          description: 'A second. What is to be tried again comes back; what failed was given up.',
          unit: 'ops',
          isStacked: true,
          queries: [query(`sum by (outcome) (rate(${ATTEMPTS}{type=~"$type"}[${RATE}]))`, '{{outcome}}')],
        },
        {
          type: 'timeseries',
          title: 'Attempts that deliver',
          description: 'Share by type. All of one type at 0: the network of lifecycle, or the mail server.',
          unit: 'percentunit',
          min: 0,
          max: 1,
          queries: [
            query(
              `(sum by (type) (rate(${ATTEMPTS}{type=~"$type",outcome="delivered"}[${RATE}])) or 0 * sum by (type) (rate(${ATTEMPTS}{type=~"$type"}[${RATE}]))) / sum by (type) (rate(${ATTEMPTS}{type=~"$type"}[${RATE}]))`,
              '{{type}}',
            ),
          ],
          alerts: ['CrateNotificationsFailing'],
        },
        {
          type: 'timeseries',
          title: 'Duration of attempts, p99',
          description: 'How long receivers take to answer, by type.',
          unit: 's',
          queries: [percentile(0.99, 'crate_notification_attempt_seconds', '{type=~"$type"}', 'type')],
        },
        {
          type: 'timeseries',
          title: 'Backlog',
          description: 'Messages that wait. It falls by itself once receivers answer.',
          unit: 'short',
          queries: [query('max(crate_notifications_pending)', 'waiting')],
        },
        {
          type: 'timeseries',
          title: 'Age of the oldest',
          description: 'How long the message waits that waits longest.',
          unit: 's',
          queries: [query('max(crate_notification_oldest_pending_age_seconds)', 'oldest')],
        },
        {
          type: 'timeseries',
          title: 'Dropped',
          description: 'Messages that were never tried, in 15 minutes.',
          unit: 'short',
          queries: [query('sum(increase(crate_notifications_dropped_total[15m]))', 'dropped')],
          alerts: ['CrateNotificationsDropped'],
        },
      ],
    },
  ],
};
