import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { fileURLToPath } from 'node:url';
import { currentEntries, parseKubeconfig, type TargetCluster } from '@crate/kubernetes';
import { parse } from 'yaml';
import type { TestPlatform } from './test-platform.js';

const NAME = 'crate-cluster-mgmt';
const NAMESPACE = 'default';
/** What the chart gives it. */
const RULES = fileURLToPath(new URL('../../../../deploy/helm/crate/files/in-cluster/rules.yaml', import.meta.url));
const RBAC = 'rbac.authorization.k8s.io';

/** Makes the ServiceAccount of cluster-mgmt in a cluster, with the rights that the chart gives it. */
export async function makeServiceAccount(admin: TargetCluster): Promise<void> {
  const rules = parse(await readFile(RULES, 'utf8')) as unknown;
  const metadata = { name: NAME };
  const subjects = [{ kind: 'ServiceAccount', name: NAME, namespace: NAMESPACE }];
  const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name: NAME };
  for (const object of [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: NAME, namespace: NAMESPACE } },
    { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata, rules },
    { apiVersion: `${RBAC}/v1`, kind: 'ClusterRoleBinding', metadata, roleRef, subjects },
  ]) {
    await admin.applyObject(object, { fieldManager: 'helm' });
  }
}

/** Puts a fresh token of it, and the authority, where a kubelet would. */
export async function projectToken({ serviceAccount }: TestPlatform, kubeconfig: string): Promise<void> {
  const { cluster, user } = currentEntries(parseKubeconfig(kubeconfig));
  const [ca, cert, key] = [
    cluster['certificate-authority-data'],
    user['client-certificate-data'],
    user['client-key-data'],
  ].map((text) => Buffer.from(String(text), 'base64').toString()) as [string, string, string];
  const path = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${NAME}/token`;
  const token = await post(new URL(path, serviceAccount.server), { ca, cert, key });
  await writeFile(serviceAccount.caFile, ca);
  await writeFile(serviceAccount.tokenFile, token);
}

function post(url: URL, tls: { readonly ca: string; readonly cert: string; readonly key: string }): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const sent = request(url, { method: 'POST', headers, ...tls, agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => {
        const { status } = JSON.parse(text) as { readonly status?: { readonly token?: string } };
        if (status?.token === undefined) reject(new Error(text));
        else resolve(status.token);
      });
    });
    sent.on('error', reject);
    sent.end(JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }));
  });
}
