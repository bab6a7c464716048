import type { Row } from '../model.js';
import { percentiles, query } from '../queries.js';

/** Whether rules can be read, and whether reports hold all that they should. */
export const RULES: Row = {
  title: 'Rules and reports',
  panels: [
    {
      type: 'timeseries',
      title: 'Broken rules',
      description: 'Rules that cannot be read or do not compile: each objects to all that it may be about.',
      unit: 'short',
      queries: [query('max by (policy, reason) (crate_policy_rules_broken)', '{{policy}} {{reason}}')],
      thresholds: [{ value: 1, color: 'red' }],
      alerts: ['CratePolicyRuleBroken'],
    },
    {
      type: 'timeseries',
      title: 'Packs that cannot be read',
      description: '1: what was read of this source before stays in force.',
      unit: 'short',
      queries: [query('1 - min by (source) (crate_policy_pack_source_readable)', '{{source}}')],
      thresholds: [{ value: 1, color: 'orange' }],
      alerts: ['CratePolicyPackUnreadable'],
    },
    {
      type: 'timeseries',
      title: 'Documents missing in reports',
      description: 'Could not be remembered, in 15 minutes: they are in no report until they are asked about again.',
      unit: 'short',
      queries: [query('sum(increase(crate_policy_documents_dropped_total[15m]))', 'dropped')],
    },
    {
      type: 'timeseries',
      title: 'Documents in reports',
      description: 'What is judged again when rules change, by stage.',
      unit: 'short',
      width: 12,
      queries: [query('max by (stage) (crate_policy_remembered_documents)', '{{stage}}')],
    },
    {
      type: 'timeseries',
      title: 'Time to judge a cluster again',
      description: 'All that is remembered of it, rests for reviews included; of six hours each.',
      unit: 's',
      width: 12,
      queries: percentiles('crate_policy_reevaluation_seconds', ''),
    },
  ],
};
