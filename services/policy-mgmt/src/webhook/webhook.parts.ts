import type { CertificateReport, PolicyReviewRequest, PolicyReviewResponse } from '@crate/api';
import type { Foundation } from '@crate/service-host';
import { AdmissionWebhook } from './admission-webhook.js';
import type { WebhookConfig } from './webhook.config.js';

/** A part that starts and stops with the service. */
export interface WebhookParts {
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  /** None where it does not listen. */
  readonly certificates: () => Promise<readonly CertificateReport[]>;
}

/** The webhook, where it is configured. */
export function webhookParts(
  config: WebhookConfig | undefined,
  { logger, metrics }: Pick<Foundation, 'logger' | 'metrics'>,
  review: (request: PolicyReviewRequest) => Promise<PolicyReviewResponse>,
): WebhookParts {
  let webhook: AdmissionWebhook | undefined;
  metrics.gauge({
    name: 'crate_webhook_certificate_expiry_timestamp_seconds',
    help: 'When the certificate of the admission webhook ends, in seconds since 1970.',
    collect: (gauge) => {
      if (webhook) gauge.set(webhook.certificateEnd.getTime() / 1000);
    },
  });
  return {
    start: async () => {
      if (config) webhook = await AdmissionWebhook.open({ config, review, logger });
    },
    stop: async () => webhook?.close(),
    certificates: () =>
      Promise.resolve(webhook ? [{ use: 'webhook', expiresAt: webhook.certificateEnd.toISOString() }] : []),
  };
}
