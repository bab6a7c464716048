import type { PolicyReviewer } from '@crate/messaging';
import type { RunLogs } from '@crate/run-log';
import type { TerraformBinary, TerraformSlots } from '@crate/terraform';
import type { AccountCredentialsStore } from './cloud-account/account-credentials.js';
import type { DriftRecordRepository } from './drift/drift-record.repository.js';
import type { InfrastructureStack } from './infrastructure/infrastructure-stack.js';
import type { CloudProviders } from './provider/cloud-providers.js';
import type { StateLocks } from './terraform-state/state-locks.js';
import type { LockView } from './terraform-state/lock-view.js';
import type { RunEnding } from './terraform-run/run-ending.js';
import type { TerraformRunRepository } from './terraform-run/terraform-run.repository.js';

/** What both kinds stand on. */
export interface SharedParts {
  /** Which installation this is; part of the owner tags. */
  readonly installationId: string;
  /** One for all that ask, as it keeps what it has written. */
  readonly stack: InfrastructureStack;
  readonly binary: TerraformBinary;
  readonly slots: TerraformSlots;
  readonly runs: TerraformRunRepository;
  readonly locks: StateLocks;
  /** Who of those that hold a lock lives. */
  readonly view: LockView;
  /** How runs end, with one memory of the database's clock for all that ask. */
  readonly ending: RunEnding;
  readonly logs: RunLogs;
  /** What is known of drift. */
  readonly drift: DriftRecordRepository;
  readonly providers: CloudProviders;
  readonly credentials: AccountCredentialsStore;
  readonly policies: PolicyReviewer;
}
