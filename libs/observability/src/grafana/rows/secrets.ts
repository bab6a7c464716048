import type { Row } from '../model.js';
import { instant, query } from '../queries.js';

const CHOSEN = '{service=~"$service"}';

/** What services keep encrypted, and whether what they know is as new as the world. */
export const SECRETS: Row = {
  title: 'Secrets and recovery',
  panels: [
    {
      type: 'timeseries',
      title: 'Encrypted records by key',
      description: 'By the key that each stands under. A key whose line is above 0 needs its file.',
      unit: 'short',
      queries: [query(`max by (service, key_id) (crate_secret_records${CHOSEN})`, '{{service}} {{key_id}}')],
    },
    {
      type: 'timeseries',
      title: 'Keys and records that cannot be read',
      description: 'Records that did not open, in 15 minutes, and readings of all keys that failed, in 5.',
      unit: 'short',
      queries: [
        query(`sum by (service) (increase(crate_secret_renewal_failures_total${CHOSEN}[15m]))`, '{{service}} records'),
        query(`sum by (service) (increase(crate_encryption_key_read_failures_total${CHOSEN}[5m]))`, '{{service}} keys'),
      ],
      thresholds: [{ value: 1, color: 'red' }],
      alerts: ['CrateSecretRenewalFailing', 'CrateEncryptionKeyUnreadable'],
    },
    {
      type: 'stat',
      title: 'Database set back',
      description: 'On while a service knows less than there is, and destroys nothing until a person confirms.',
      unit: 'bool_on_off',
      queries: [instant(`max by (service) (crate_recovering${CHOSEN})`, '{{service}}')],
      thresholds: [{ value: 1, color: 'red' }],
      alerts: ['CrateRecovering'],
    },
  ],
};
