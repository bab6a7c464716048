import { z } from 'zod';
import { AGE, column, defineCoreKind } from './define-core-kind.js';
import { anyObject, conditions, keyed } from './fields.js';

const webhooks = z
  .array(z.looseObject({ name: z.string() }))
  .meta(keyed('name'))
  .optional();
const WEBHOOKS = { group: 'admissionregistration.k8s.io', namespaced: false } as const;

/** Webhooks are stored and shown; the simulation calls none. */
export const VALIDATING_WEBHOOK_CONFIGURATION = defineCoreKind({
  ...WEBHOOKS,
  kind: 'ValidatingWebhookConfiguration',
  plural: 'validatingwebhookconfigurations',
  body: z.strictObject({ webhooks }),
  columns: [column('Webhooks', '.printed.count', 'integer'), AGE],
});

export const MUTATING_WEBHOOK_CONFIGURATION = defineCoreKind({
  ...WEBHOOKS,
  kind: 'MutatingWebhookConfiguration',
  plural: 'mutatingwebhookconfigurations',
  body: z.strictObject({ webhooks }),
  columns: [column('Webhooks', '.printed.count', 'integer'), AGE],
});

/** Aggregated API servers are stored and shown; the simulation proxies to none. */
export const API_SERVICE = defineCoreKind({
  group: 'apiregistration.k8s.io',
  kind: 'APIService',
  plural: 'apiservices',
  namespaced: false,
  body: z.strictObject({ spec: anyObject, status: z.looseObject({ conditions }).optional() }),
  hasStatus: true,
  columns: [
    column('Service', '.spec.service.name'),
    column('Available', '.status.conditions[?(@.type=="Available")].status'),
    AGE,
  ],
});
