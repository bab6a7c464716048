import { X509Certificate } from 'node:crypto';
import { parse } from 'yaml';
import type { SealedRow } from './sealed-record.js';
import type { EngineState, StoredKubeconfig } from './world.js';

type Whose = Pick<SealedRow, 'owner_uid' | 'serial' | 'facts'>;

interface StateFile {
  readonly desiredState?: {
    readonly certificatesBundle?: Readonly<Record<string, { readonly certificatePEM: string }>> | null;
  };
}

interface KubeconfigFile {
  readonly clusters: readonly [{ readonly cluster: { readonly 'certificate-authority-data': string } }];
}

export interface KubeconfigBytes extends StoredKubeconfig {
  readonly content: Buffer;
}

/** What RKE's state says of the authority of its cluster. Throws when another one is written beside it. */
export function engineStateOf({ owner_uid: owner, serial: version, facts }: Whose, content: Buffer): EngineState {
  const { desiredState } = JSON.parse(content.toString('utf8')) as StateFile;
  const pem = desiredState?.certificatesBundle?.['kube-ca']?.certificatePEM;
  const authority = pem === undefined ? undefined : fingerprintOf(pem);
  const said = facts?.['lineage'];
  if (facts && said !== authority) throw new Error(`it says authority ${said}, and has ${authority}`);
  return { owner, version, authority };
}

/** Whom a kubeconfig trusts, with the kubeconfig. */
export function kubeconfigOf({ owner_uid: owner, serial: version }: Whose, content: Buffer): KubeconfigBytes {
  const { clusters } = parse(content.toString('utf8')) as KubeconfigFile;
  const pem = Buffer.from(clusters[0].cluster['certificate-authority-data'], 'base64').toString('utf8');
  return { owner, version, authority: fingerprintOf(pem), content };
}

function fingerprintOf(pem: string): string {
  return new X509Certificate(pem).fingerprint256;
}
