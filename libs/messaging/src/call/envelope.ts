import {
  fromStatus,
  isPlatformError,
  PlatformError,
  toStatus,
  type ErrorDetails,
  type KubernetesStatus,
} from '@crate/errors';

/** What every reply holds, so that a failure keeps its code across the wire. */
export type OpenEnvelope =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly status: KubernetesStatus; readonly details: ErrorDetails };

/** What crosses NATS: readable, or sealed for the caller alone. */
export type Envelope = OpenEnvelope | { readonly sealed: string };

/** A Kubernetes Status has no room for all our details; between services they travel beside it. */
export function failureEnvelope(error: unknown): OpenEnvelope {
  const details = isPlatformError(error) ? error.details : {};
  return { ok: false, status: toStatus(error), details };
}

/** Gives the value, or throws the PlatformError the peer answered with. */
export function openEnvelope(envelope: OpenEnvelope): unknown {
  if (envelope.ok) return envelope.value;
  const error = fromStatus(envelope.status);
  throw new PlatformError(error.code, error.message, { details: { ...error.details, ...envelope.details } });
}
