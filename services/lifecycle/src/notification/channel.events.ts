import type { NotificationChannel } from '@crate/api';
import type { ConditionTellings } from '@crate/reconcile';

/** What people are told of a channel. No channel tells it: that would never end. */
export const CHANNEL_TELLINGS: ConditionTellings<NotificationChannel> = {
  Ready: {
    becameFalse: (_, { reason, message }) => ({ type: 'Warning', reason, message }),
  },
  Delivering: {
    becameTrue: () => ({ type: 'Normal', reason: 'Delivered', message: 'Messages are delivered' }),
    becameFalse: (_, { reason, message }) => ({ type: 'Warning', reason, message }),
  },
};
