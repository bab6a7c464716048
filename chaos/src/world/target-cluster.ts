import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { eventually } from '@crate/testing';
import { parse } from 'yaml';
import type { Target } from './world.js';

const TIMEOUT_MS = 10_000;
/** For the cloud to listen again after something died. */
const PATIENCE = { timeoutMs: 60_000 };
const OK = 200;
const NODES = '/api/v1/nodes';
const ADD_ONS = `/apis/apps/v1/deployments?labelSelector=${encodeURIComponent('app.kubernetes.io/managed-by=crate')}`;

interface Kubeconfig {
  readonly clusters: readonly [
    { readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string } },
  ];
  readonly users: readonly [
    { readonly user: { readonly 'client-certificate-data': string; readonly 'client-key-data': string } },
  ];
}

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
  const get = (path: string): Promise<readonly Item[]> => eventually(() => list(kubeconfig, path), PATIENCE);
  const nodes = (await get(NODES)).map(({ metadata, status }) => ({
    name: metadata.name,
    address: status?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? '',
    version: status?.nodeInfo?.kubeletVersion ?? '',
  }));
  const there = (await get(ADD_ONS)).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return { nodes, addOns: there.map(({ metadata }) => metadata.labels?.['app.kubernetes.io/name'] ?? metadata.name) };
}

async function list(kubeconfig: Buffer, path: string): Promise<readonly Item[]> {
  const { clusters, users } = parse(kubeconfig.toString('utf8')) as Kubeconfig;
  const { server, 'certificate-authority-data': ca } = clusters[0].cluster;
  const { 'client-certificate-data': cert, 'client-key-data': key } = users[0].user;
  const [from, by, secret] = [ca, cert, key].map((text) => Buffer.from(text, 'base64'));
  const tls = { ca: from, cert: by, key: secret, signal: AbortSignal.timeout(TIMEOUT_MS) };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(new URL(path, server), tls, resolve).on('error', reject).end();
  });
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  if (response.statusCode !== OK) throw new Error(`HTTP ${response.statusCode} to ${path}`);
  return (JSON.parse(Buffer.concat(chunks).toString('utf8')) as { readonly items: readonly Item[] }).items;
}
