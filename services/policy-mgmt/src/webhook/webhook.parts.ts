import type { PolicyReviewRequest, PolicyReviewResponse } from '@crate/api';
import type { Logger } from '@crate/telemetry';
import { AdmissionWebhook } from './admission-webhook.js';
import type { WebhookConfig } from './webhook.config.js';

/** A part that starts and stops with the service. */
export interface WebhookParts {
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** The webhook, where it is configured. */
export function webhookParts(
  config: WebhookConfig | undefined,
  logger: Logger,
  review: (request: PolicyReviewRequest) => Promise<PolicyReviewResponse>,
): WebhookParts {
  let webhook: AdmissionWebhook | undefined;
  return {
    start: async () => {
      if (config) webhook = await AdmissionWebhook.open({ config, review, logger });
    },
    stop: async () => webhook?.close(),
  };
}
