import { execFileSync } from 'node:child_process';

export type Bundle = Readonly<
  Record<string, { readonly certificatePEM: string; readonly keyPEM: string; readonly config: string }>
>;

export interface RkeStateOptions {
  readonly nodes?: readonly string[];
  readonly bundle?: Bundle;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly rest?: Readonly<Record<string, unknown>>;
  /** By default a run has succeeded with it. */
  readonly isApplied?: boolean;
}

/** A state file of RKE. */
export function anRkeState(options: RkeStateOptions): Uint8Array {
  const { nodes = [], bundle = {}, settings = {}, rest = {}, isApplied = true } = options;
  const machines = nodes.map((name, index) => ({
    hostnameOverride: name,
    address: `10.0.0.${index}`,
    role: ['worker'],
  }));
  const rkeConfig = { kubernetesVersion: 'v1.31.4', nodes: machines, ...settings };
  const half = { rkeConfig, certificatesBundle: bundle, ...rest };
  return Buffer.from(JSON.stringify({ desiredState: half, currentState: isApplied ? half : {} }));
}

/** The authority of a new cluster, as its state holds it. */
export function aBundle(): Bundle {
  const args = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj', '/CN=kube-ca'];
  const text = execFileSync('openssl', ['req', '-x509', ...args, '-keyout', '-', '-out', '-'], { stdio: 'pipe' });
  const [keyPEM = '', certificatePEM = ''] = text.toString().split(/(?=-----BEGIN CERTIFICATE)/);
  return { 'kube-ca': { certificatePEM, keyPEM, config: '' } };
}
