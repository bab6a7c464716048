import type { SecretFacts } from '@crate/secrets';
import type { RestoreEdit } from '@crate/service-host';
import { AUTHORITY, nodesOf, parseRkeState, readCertificate, type RkeStateHalf } from './rke-state.js';

/** What a version of an engine's state is bound to, written by a run. */
export function engineStateFacts(bytes: Uint8Array, run: string): SecretFacts {
  return { ...contentFacts(bytes), run };
}

/** As `engineStateFacts`, of version `restored` that a person put in place again. */
export function restoredEngineStateFacts(
  bytes: Uint8Array,
  { by, reason, restored }: RestoreEdit & { readonly restored: number },
): SecretFacts {
  return { ...contentFacts(bytes), by, reason, restored };
}

/** Whether a person put it in place. */
export function isRestored(facts: SecretFacts | undefined): boolean {
  return facts?.['restored'] !== undefined;
}

/** The authority is what one state has in common from its first version to its last: with another one it is another cluster. */
function contentFacts(bytes: Uint8Array): SecretFacts {
  const { desiredState: wanted = {} } = parseRkeState(bytes) ?? {};
  const { certificatesBundle: bundle, rkeConfig } = wanted;
  const version = rkeConfig?.['kubernetesVersion'];
  return {
    ...lineageOf(wanted),
    ...(typeof version === 'string' ? { version } : {}),
    ...(rkeConfig ? { nodes: nodesOf(wanted).length } : {}),
    ...(bundle ? { certificates: Object.keys(bundle).length } : {}),
  };
}

function lineageOf({ certificatesBundle }: RkeStateHalf): { readonly lineage?: string } {
  const authority = certificatesBundle?.[AUTHORITY];
  const certificate = authority && readCertificate(authority);
  return certificate ? { lineage: certificate.fingerprint256 } : {};
}
