import type { AuditAnswers } from '@crate/audit';
import type { ServiceCaller } from '@crate/messaging';
import type { CallContext } from '@crate/resource-client';

/** The audit log of one service, wherever that runs. */
export interface AuditSource extends AuditAnswers {
  readonly service: string;
}

export interface AuditSourcesOptions {
  readonly service: string;
  readonly own: AuditAnswers;
  readonly calls: ServiceCaller;
  /** Services whose logs are read over NATS. */
  readonly others: readonly string[];
  /** On whose account. */
  readonly context: CallContext;
}

/** All audit logs of the platform in a fixed order: this service's own, then the others by name. */
export function auditSources(options: AuditSourcesOptions): readonly AuditSource[] {
  const { service, own, others } = options;
  const remote = [...others].sort().map((other) => remoteSource(other, options));
  return [{ service, ...own }, ...remote];
}

function remoteSource(service: string, { calls, context }: AuditSourcesOptions): AuditSource {
  const call = <T>(method: string, body: unknown): Promise<T> =>
    calls.call<T>(service, `audit.${method}`, body, context);
  return {
    service,
    read: (request) => call('read', request),
    state: () => call('state', {}),
    verify: (from) => call('verify', from ? { from } : {}),
  };
}
