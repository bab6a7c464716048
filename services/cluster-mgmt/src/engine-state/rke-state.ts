import { isJsonObject } from '@crate/api';
import { X509Certificate } from 'node:crypto';
import { z } from 'zod';

const certificate = z.looseObject({
  certificatePEM: z.string().default(''),
  keyPEM: z.string().default(''),
  config: z.string().default(''),
});
const half = z.looseObject({
  rkeConfig: z.record(z.string(), z.unknown()).nullish(),
  certificatesBundle: z.record(z.string(), certificate).nullish(),
});
const state = z.object({ desiredState: half.optional(), currentState: half.optional() });

interface WrittenState {
  readonly currentState: { readonly rkeConfig: { nodes?: unknown } };
}

/** What the cluster's own authority is called in a bundle. */
export const AUTHORITY = 'kube-ca';

/** What a run was asked for, or has brought about. */
export type RkeStateHalf = z.output<typeof half>;
/** The state file of RKE, as far as we look at it. Source: https://github.com/rancher/rke/blob/release/v1.8/cluster/state.go */
export type RkeState = z.output<typeof state>;
export type RkeCertificate = z.output<typeof certificate>;

/** Undefined for what is no state of RKE. */
export function parseRkeState(bytes: Uint8Array): RkeState | undefined {
  try {
    return state.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
  } catch {
    return undefined;
  }
}

/** A certificate that can be read; undefined for any other text. */
export function readCertificate({ certificatePEM }: RkeCertificate): X509Certificate | undefined {
  try {
    return new X509Certificate(certificatePEM);
  } catch {
    return undefined;
  }
}

/** The authority that the API server takes clients by: the one that a run has put on the machines, else the one a run was asked for. */
export function authorityOf({ currentState, desiredState }: RkeState): RkeCertificate | undefined {
  return currentState?.certificatesBundle?.[AUTHORITY] ?? desiredState?.certificatesBundle?.[AUTHORITY];
}

/** The machines that a state names. */
export function nodesOf({ rkeConfig }: RkeStateHalf): readonly Record<string, unknown>[] {
  const nodes: unknown = rkeConfig?.['nodes'];
  return Array.isArray(nodes) ? nodes.filter(isJsonObject) : [];
}

/** A state that a run has got on with, with these machines as what there is; all else stays as it is. */
export function withCurrentNodes(written: Uint8Array, nodes: readonly Record<string, unknown>[]): Uint8Array {
  const state = JSON.parse(Buffer.from(written).toString('utf8')) as WrittenState;
  state.currentState.rkeConfig.nodes = nodes;
  return Buffer.from(`${JSON.stringify(state, undefined, 2)}\n`);
}
