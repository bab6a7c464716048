import type { NotificationChannel } from '@crate/api';
import type { ErrorCause } from '@crate/errors';
import type { ChannelSecrets } from './channel-secrets.js';

type Spec = NotificationChannel['spec'];

/** How a channel was before a write. */
export interface ChannelBefore {
  readonly spec: Spec | undefined;
  readonly secrets: ChannelSecrets;
}

/** The secrets after a write, and what is missing. Pure. */
export function secretsAfter(
  spec: Spec,
  before: ChannelBefore,
): { readonly secrets: ChannelSecrets; readonly causes: readonly ErrorCause[] } {
  const stored = before.spec?.type === spec.type ? before.secrets : {};
  if (spec.type === 'slack') return slackSecrets(spec.slack?.url ?? stored.url);
  if (spec.type === 'webhook') return webhookSecrets(spec, { spec: before.spec, secrets: stored });
  return { secrets: {}, causes: [] };
}

function slackSecrets(url: string | undefined): ReturnType<typeof secretsAfter> {
  if (url !== undefined) return { secrets: { url }, causes: [] };
  return { secrets: {}, causes: [required('spec.slack.url', 'is required: none is stored yet')] };
}

function webhookSecrets({ webhook }: Spec, { spec, secrets }: ChannelBefore): ReturnType<typeof secretsAfter> {
  const isElsewhere = hasMoved(spec, webhook?.url);
  const headers: Record<string, string> = {};
  const causes: ErrorCause[] = [];
  for (const [index, { name, value }] of (webhook?.headers ?? []).entries()) {
    const stored = secrets.headers?.[name.toLowerCase()];
    const after = value ?? (isElsewhere ? undefined : stored);
    if (after === undefined) causes.push(missingValue(index, stored !== undefined));
    else headers[name.toLowerCase()] = after;
  }
  return { secrets: { headers, ...signing(webhook?.secret ?? secrets.secret) }, causes };
}

/** Whoever may change the URL must not have what was meant for one server sent to another. */
function missingValue(index: number, isStored: boolean): ErrorCause {
  const message = isStored
    ? 'must be stated again: spec.webhook.url is at another server now'
    : 'is required: none is stored yet';
  return required(`spec.webhook.headers[${index}].value`, message);
}

/** An empty text ends it. */
function signing(secret: string | undefined): ChannelSecrets {
  return secret === undefined || secret === '' ? {} : { secret };
}

function hasMoved(before: Spec | undefined, url: string | undefined): boolean {
  return originOf(url) !== originOf(before?.webhook?.url);
}

function originOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : new URL(url).origin;
}

function required(field: string, message: string): ErrorCause {
  return { reason: 'FieldValueRequired', field, message };
}
