import { API_KEY, PROJECT } from '@crate/api';
import type { UserAuthenticator } from '@crate/auth';
import { UNCHANGED } from '@crate/messaging';
import type { ServedKind } from '@crate/resource-server';
import type { Foundation, RegisteredReconciler } from '@crate/service-host';
import type { LifecycleConfig } from '../config.js';
import { apiKeyAdmission } from './api-key.admission.js';
import { ApiKeyAuthenticator } from './api-key.authenticator.js';
import { ApiKeyIssuer } from './api-key.issuer.js';
import { ApiKeyReconciler } from './api-key.reconciler.js';
import type { KeyName } from './api-key.repository.js';
import { PostgresApiKeyTokens } from './postgres-api-key-tokens.js';

/** Everything that API keys are made of. */
export interface ApiKeyParts {
  readonly kind: ServedKind;
  readonly reconciler: RegisteredReconciler;
  readonly authenticator: UserAuthenticator;
}

/** Wires API keys into the service. */
export function apiKeyParts(
  {
    clients,
    database,
    hints,
    queue,
    service,
  }: Pick<Foundation, 'clients' | 'database' | 'hints' | 'queue' | 'service'>,
  { defaultLifetimeMs, maxLifetimeMs }: LifecycleConfig['apiKeys'],
): ApiKeyParts {
  const keys = clients.for(API_KEY);
  const projects = clients.for(PROJECT);
  const tokens = new PostgresApiKeyTokens(database);
  const reconciler = new ApiKeyReconciler(keys, tokens);
  const lookAgain = async ({ project: namespace, name }: KeyName): Promise<void> => {
    await queue.enqueue(reconciler.name, [{ namespace, name }]);
    // Nothing of the key itself changed, so nobody else tells the loops that there is work.
    hints.publish([{ service, group: API_KEY.group, kind: API_KEY.kind, namespace, name, revision: UNCHANGED }]);
  };
  const issuer = new ApiKeyIssuer({ tokens, projects, defaultLifetimeMs, onIssue: lookAgain });
  return {
    kind: {
      definition: API_KEY,
      nameFormat: 'dnsLabel',
      admit: [apiKeyAdmission({ projects, maxLifetimeMs })],
      subresources: { token: { write: issuer.issue.bind(issuer) } },
    },
    reconciler: { reconciler, kind: API_KEY },
    authenticator: new ApiKeyAuthenticator({ tokens, keys, projects, onUse: lookAgain }),
  };
}
