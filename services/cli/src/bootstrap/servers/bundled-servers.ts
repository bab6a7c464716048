import { refusal } from '../refusal.js';
import type { BootstrapRequest } from '../request.js';

/** Which servers the platform brings along. */
export interface BundledServers {
  readonly postgres: boolean;
  readonly nats: boolean;
}

/** Those that are not named. Throws Conflict (`ServersMissing`) when NATS is named by half. */
export function bundledServers({ databaseUrlFile, natsUrl, natsPasswordsFile }: BootstrapRequest): BundledServers {
  if ((natsUrl === undefined) === (natsPasswordsFile === undefined))
    return { postgres: databaseUrlFile === undefined, nats: natsUrl === undefined };
  throw refusal({
    reason: 'ServersMissing',
    message: `NATS of your own needs --nats-url and --nats-passwords-file, and only one of them is given`,
    remedy: 'Give both, or neither for NATS in the platform cluster',
  });
}

/** For messages, and to tell one choice from another. */
export function describeServers(request: BootstrapRequest): string {
  const { postgres, nats } = bundledServers(request);
  return `${postgres ? 'PostgreSQL in the cluster' : 'PostgreSQL of your own'} and ${nats ? 'NATS in the cluster' : 'NATS of your own'}`;
}
