import { readFileSync } from 'node:fs';
import type { NotificationType } from '@crate/api';
import type { LifecycleConfig } from '../../config.js';
import type { AddressGuard } from './address-guard.js';
import type { Deliverer } from './deliverer.js';
import { EmailDeliverer } from './email-deliverer.js';
import { GuardedHttp } from './guarded-http.js';
import { HttpSender } from './http-sender.js';
import { SlackDeliverer } from './slack-deliverer.js';
import { WebhookDeliverer } from './webhook-deliverer.js';

const USER_AGENT = 'crate-notifications/1';

/** One for each type of channel. Throws when the file of authorities cannot be read. */
export function deliverersOf(
  guard: AddressGuard,
  { notification, smtp }: Pick<LifecycleConfig, 'notification' | 'smtp'>,
): Readonly<Record<NotificationType, Deliverer>> {
  const { timeoutMs, caFile } = notification;
  const trust = { timeoutMs, ...(caFile === undefined ? {} : { ca: readFileSync(caFile, 'utf8') }) };
  const sender = new HttpSender(new GuardedHttp({ guard, ...trust }), USER_AGENT);
  return {
    webhook: new WebhookDeliverer(sender),
    slack: new SlackDeliverer(sender),
    email: new EmailDeliverer(smtp, trust),
  };
}
