import { isDeepStrictEqual } from 'node:util';
import type { StateObject } from '@crate/terraform';
import { nodesOf, parseRkeState, readCertificate, type RkeCertificate } from './rke-state.js';

/** Documents of other programs and credentials for them, which have no schema that would tell what is secret. */
const SECRET_SETTINGS: readonly string[] = ['addons', 'cloudProvider', 'encryptionConfig', 'privateRegistries'];
/** Holds a kubeconfig. */
const SECRET_FIELD = 'webhook';

/**
 * What an engine's state wants, by address: machines, certificates and settings, and whether a run has brought just that about. Keys are
 * there, to be compared, and are called sensitive. Nothing for what is no state of RKE.
 */
export function engineStateObjects(bytes: Uint8Array): ReadonlyMap<string, StateObject> {
  const { desiredState: wanted, currentState } = parseRkeState(bytes) ?? {};
  if (!wanted) return new Map();
  const { rkeConfig, certificatesBundle, ...rest } = wanted;
  const { nodes: _nodes, ...settings } = rkeConfig ?? {};
  const objects = [
    objectOf('state', 'rke', { applied: isDeepStrictEqual(wanted, currentState) }),
    ...nodesOf(wanted).map(nodeObject),
    ...Object.entries(certificatesBundle ?? {}).map(([name, found]) => certificateObject(name, found)),
    ...Object.entries({ ...settings, ...rest }).map(([name, value]) => settingObject(name, value)),
  ];
  return new Map(objects.map((object) => [object.address, object]));
}

function objectOf(
  type: string,
  name: string,
  attributes: StateObject['attributes'],
  sensitive: readonly string[] = [],
): StateObject {
  return { address: `${type}.${name}`, type, name, attributes, sensitive: new Set(sensitive) };
}

function nodeObject(node: ReturnType<typeof nodesOf>[number]): StateObject {
  return objectOf('node', String(node['hostnameOverride'] ?? node['address']), node, ['sshKey']);
}

/** People know certificates by what they say, not by their text. */
function certificateObject(name: string, found: RkeCertificate): StateObject {
  const { certificatePEM: certificate, keyPEM: key, config: kubeconfig } = found;
  const secrets = Object.entries({ key, kubeconfig }).filter(([, text]) => text !== '');
  const attributes = { ...(shownCertificate(found) ?? { certificate }), ...Object.fromEntries(secrets) };
  return objectOf('certificate', name, attributes, ['certificate', 'key', 'kubeconfig']);
}

function shownCertificate(found: RkeCertificate): StateObject['attributes'] | undefined {
  const read = readCertificate(found);
  if (!read) return undefined;
  const { subject, fingerprint256: fingerprint, validToDate } = read;
  return { subject: subject.replaceAll('\n', ', '), fingerprint, validTo: validToDate.toISOString() };
}

function settingObject(name: string, value: unknown): StateObject {
  const isPlain = typeof value === 'object' && value !== null && !Array.isArray(value);
  const attributes = isPlain ? (value as StateObject['attributes']) : { value };
  return objectOf(
    'setting',
    name,
    attributes,
    SECRET_SETTINGS.includes(name) ? Object.keys(attributes) : [SECRET_FIELD],
  );
}
