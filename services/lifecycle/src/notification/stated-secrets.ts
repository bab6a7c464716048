import type { NotificationChannel } from '@crate/api';
import type { ErrorCause } from '@crate/errors';
import type { ChannelSecrets } from './channel-secrets.js';

type Spec = NotificationChannel['spec'];

/** Whoever may change the URL must not have what was meant for one server sent to another. */
const MOVED = 'must be stated again: spec.webhook.url is at another server now';
const DOES_NOT_OPEN = 'what is stored does not open';

/** How a channel was before a write. */
export interface ChannelBefore {
  readonly spec: Spec | undefined;
  /** Undefined: they do not open. */
  readonly secrets: ChannelSecrets | undefined;
}

/** The secrets after a write, and what is missing. Pure. */
export function secretsAfter(
  spec: Spec,
  before: ChannelBefore,
): { readonly secrets: ChannelSecrets; readonly causes: readonly ErrorCause[] } {
  const stored = before.spec?.type === spec.type ? before.secrets : {};
  if (spec.type === 'slack') return slackSecrets(spec.slack?.url ?? stored?.url, stored);
  if (spec.type === 'webhook') return webhookSecrets(spec, { spec: before.spec, secrets: stored });
  return { secrets: {}, causes: [] };
}

function slackSecrets(url: string | undefined, stored: ChannelSecrets | undefined): ReturnType<typeof secretsAfter> {
  if (url !== undefined) return { secrets: { url }, causes: [] };
  return { secrets: {}, causes: [required('spec.slack.url', notThere(stored))] };
}

function webhookSecrets({ webhook }: Spec, { spec, secrets }: ChannelBefore): ReturnType<typeof secretsAfter> {
  const stated = webhook?.secret;
  const { headers, causes } = headerValues(webhook?.headers ?? [], secrets, hasMoved(spec, webhook?.url));
  const lost = secrets === undefined && stated === undefined ? [lostSigning()] : [];
  return { secrets: { headers, ...signing(stated ?? secrets?.secret) }, causes: [...lost, ...causes] };
}

function headerValues(
  stated: NonNullable<NonNullable<Spec['webhook']>['headers']>,
  secrets: ChannelSecrets | undefined,
  isElsewhere: boolean,
): { readonly headers: Readonly<Record<string, string>>; readonly causes: readonly ErrorCause[] } {
  const headers: Record<string, string> = {};
  const causes: ErrorCause[] = [];
  for (const [index, { name, value }] of stated.entries()) {
    const stored = secrets?.headers?.[name.toLowerCase()];
    const after = value ?? (isElsewhere ? undefined : stored);
    if (after === undefined) causes.push(missingValue(index, stored === undefined ? notThere(secrets) : MOVED));
    else headers[name.toLowerCase()] = after;
  }
  return { headers, causes };
}

function missingValue(index: number, message: string): ErrorCause {
  return required(`spec.webhook.headers[${index}].value`, message);
}

/** Whether bodies were signed nobody knows any more, and they must not go out unsigned because of it. */
function lostSigning(): ErrorCause {
  return required('spec.webhook.secret', `must be stated again, or as "" to sign nothing: ${DOES_NOT_OPEN}`);
}

function notThere(stored: ChannelSecrets | undefined): string {
  return stored ? 'is required: none is stored yet' : `must be stated again: ${DOES_NOT_OPEN}`;
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
