import type { SealedTable } from '@crate/secrets';
import type { Logger, Redactor } from '@crate/telemetry';
import type { HostConfig } from './host-config.js';
import type { Teardown } from './teardown.js';

/** What a foundation is opened with. */
export interface FoundationOptions {
  readonly service: string;
  readonly config: HostConfig;
  readonly logger: Logger;
  /** Of what secrets the process knows; default: one that knows their shapes only. */
  readonly redactor?: Redactor;
  /** The service's own migrations, applied after those of the libraries. */
  readonly migrations: readonly string[];
  /** Tables of its own, of which records stand under the service's encryption keys beside its secrets. Default: none. */
  readonly sealedTables?: readonly SealedTable[];
  readonly signal: AbortSignal;
  /** Told how to close what was opened, also when the rest cannot be opened. */
  readonly teardown: Teardown;
}

/** Of the service's resources. */
export function schemaOf({ service, config }: FoundationOptions): string {
  return config.database.schema ?? service.replaceAll('-', '_');
}
