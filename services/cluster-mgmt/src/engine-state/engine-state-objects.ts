import type { StateObject } from '@crate/terraform';
import { nodesOf, parseRkeState, readCertificate, type RkeCertificate, type RkeStateHalf } from './rke-state.js';

/** Documents of other programs and credentials for them, which have no schema that would tell what is secret. */
const SECRET_SETTINGS: readonly string[] = ['addons', 'cloudProvider', 'encryptionConfig', 'privateRegistries'];
/** Holds a kubeconfig. */
const SECRET_FIELD = 'webhook';

/**
 * What an engine's state knows, by address: machines, certificates and settings, as they were wanted (`desired`) and as they were
 * brought about (`current`). Keys are there, to be compared, and are called sensitive. Nothing for what is no state of RKE.
 */
export function engineStateObjects(bytes: Uint8Array): ReadonlyMap<string, StateObject> {
  const { desiredState = {}, currentState = {} } = parseRkeState(bytes) ?? {};
  const objects = [...objectsOf('desired', desiredState), ...objectsOf('current', currentState)];
  return new Map(objects.map((object) => [object.address, object]));
}

function objectsOf(side: string, half: RkeStateHalf): readonly StateObject[] {
  const { rkeConfig, certificatesBundle, ...rest } = half;
  const { nodes: _nodes, ...settings } = rkeConfig ?? {};
  return [
    ...nodesOf(half).map((node) => nodeObject(side, node)),
    ...Object.entries(certificatesBundle ?? {}).map(([name, found]) => certificateObject(side, name, found)),
    ...Object.entries({ ...settings, ...rest }).map(([name, value]) => settingObject(side, name, value)),
  ];
}

function nodeObject(side: string, node: Record<string, unknown>): StateObject {
  const name = String(node['hostnameOverride'] ?? node['address']);
  return { address: `${side}.node.${name}`, type: 'node', name, attributes: node, sensitive: new Set(['sshKey']) };
}

/** People know certificates by what they say, not by their text. */
function certificateObject(side: string, name: string, found: RkeCertificate): StateObject {
  const read = readCertificate(found);
  const shown = read
    ? { subject: read.subject, fingerprint: read.fingerprint256, validTo: read.validToDate.toISOString() }
    : { certificate: found.certificatePEM };
  return {
    address: `${side}.certificate.${name}`,
    type: 'certificate',
    name,
    attributes: { ...shown, key: found.keyPEM, kubeconfig: found.config },
    sensitive: new Set(['certificate', 'key', 'kubeconfig']),
  };
}

function settingObject(side: string, name: string, value: unknown): StateObject {
  const isPlain = typeof value === 'object' && value !== null && !Array.isArray(value);
  const attributes = isPlain ? (value as Record<string, unknown>) : { value };
  const secret = SECRET_SETTINGS.includes(name) ? Object.keys(attributes) : [SECRET_FIELD];
  return { address: `${side}.${name}`, type: 'setting', name, attributes, sensitive: new Set(secret) };
}
