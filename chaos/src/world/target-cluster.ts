import { eventually } from '@crate/testing';
import { TargetApi } from '../platform/target-api.js';
import type { Target } from './world.js';

/** For the cloud to listen again after something died. */
const PATIENCE = { timeoutMs: 60_000 };
const OK = 200;
const NODES = '/api/v1/nodes';
const ADD_ONS = `/apis/apps/v1/deployments?labelSelector=${encodeURIComponent('app.kubernetes.io/managed-by=crate')}`;

interface Item {
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly status?: {
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
    readonly nodeInfo?: { readonly kubeletVersion?: string };
  };
}

/** What is in a cluster, as it says itself to whoever has its kubeconfig. Rejects when it does not answer for long. */
export async function readTarget(kubeconfig: Buffer): Promise<Target> {
  const api = new TargetApi(kubeconfig.toString('utf8'));
  const get = (path: string): Promise<readonly Item[]> => eventually(() => list(api, path), PATIENCE);
  const nodes = (await get(NODES)).map(({ metadata, status }) => ({
    name: metadata.name,
    address: status?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? '',
    version: status?.nodeInfo?.kubeletVersion ?? '',
  }));
  const there = (await get(ADD_ONS)).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return { nodes, addOns: there.map(({ metadata }) => metadata.labels?.['app.kubernetes.io/name'] ?? metadata.name) };
}

async function list(api: TargetApi, path: string): Promise<readonly Item[]> {
  const { status, text } = await api.send({ method: 'GET', path });
  if (status !== OK) throw new Error(`HTTP ${status} to ${path}`);
  return (JSON.parse(text) as { readonly items: readonly Item[] }).items;
}
