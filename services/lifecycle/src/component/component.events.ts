import type { Component } from '@crate/api';
import type { ConditionTellings } from '@crate/reconcile';

/** What went wrong, among all that keeps a component from being up to date. */
const FAILURES = ['RollingBack', 'RolledBack', 'ChangedFromOutside', 'InstallerForbidden', 'InstallerUnreachable'];

/** What people are told of a component: each step that its version takes. */
export const COMPONENT_TELLINGS: ConditionTellings<Component> = {
  UpToDate: {
    becameTrue: ({ status }, _, before) => {
      const last = before.status?.rollout && status?.history?.[0];
      return last && { type: 'Normal', reason: 'Upgraded', message: `Upgraded from ${last.from} to ${last.to}` };
    },
    becameFalse: (_, { reason, message }) => ({
      type: FAILURES.includes(reason) ? 'Warning' : 'Normal',
      reason,
      message,
    }),
  },
};
