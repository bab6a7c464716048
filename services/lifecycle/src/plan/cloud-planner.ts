import type { PlanPreview, PlanPreviewRequest } from '@crate/api';
import type { ServiceCaller } from '@crate/messaging';
import type { CallContext } from '@crate/resource-client';

/** Says what Terraform would do for an Infrastructure that somebody wishes for. */
export abstract class CloudPlanner {
  /** Changes nothing. Throws what a run would throw, Unavailable or Timeout; stops when the context's signal aborts. */
  abstract preview(request: PlanPreviewRequest, context: CallContext): Promise<PlanPreview>;
}

/** The longest a preview may take on its way there and back. */
const PREVIEW_TIMEOUT_MS = 150_000;

/** Asks cloud-mgmt over NATS. */
export class NatsCloudPlanner extends CloudPlanner {
  constructor(private readonly calls: ServiceCaller) {
    super();
  }

  preview(request: PlanPreviewRequest, context: CallContext): Promise<PlanPreview> {
    return this.calls.call('cloud-mgmt', 'plan.preview', request, context, PREVIEW_TIMEOUT_MS);
  }
}
