import type { Container } from '../kinds/container.js';
import { CONFIG_MAP, SECRET } from '../kinds/core.js';
import type { Pod } from '../kinds/pod.js';
import type { ClusterScope } from '../runtime/cluster-scope.js';
import type { LocalImage } from './image-catalog.js';
import { missing } from './missing-source.js';

/** Where on this machine lies what a container has at a path. */
export type Places = readonly (readonly [inContainer: string, here: string])[];

interface KeyRef {
  readonly name?: string;
  readonly key?: string;
  readonly optional?: boolean;
}

/** Addresses that mean every address of the pod, which share this machine with those of all others. */
const EVERY_ADDRESS = ['0.0.0.0', '::'];
const OWN_PATH = '/usr/local/bin:/usr/bin:/bin';

/**
 * The whole environment of a container's process. A value of the container that is a path in it becomes the place where that lies here,
 * and one that means every address becomes the pod's; the image's own speak of this machine already. Throws NotFound for what is not there
 * and not optional.
 */
export function environmentOf(
  container: Container,
  pod: Pod,
  { scope, image, places }: { readonly scope: ClusterScope; readonly image: LocalImage; readonly places: Places },
): Record<string, string> {
  const values = new Map(
    Object.entries({ PATH: OWN_PATH, ...apiVariables(scope), ...image.defaults, ...image.environment }),
  );
  for (const source of container.envFrom ?? []) for (const entry of allOf(source, pod, scope)) values.set(...entry);
  for (const { name, value, valueFrom } of container.env ?? []) {
    const found = valueFrom ? valueOf(valueFrom, pod, scope) : expanded(value ?? '', values);
    if (found !== undefined) values.set(name, found);
  }
  const address = pod.status?.podIP ?? '';
  const asHere = (name: string, value: string): string => {
    if (EVERY_ADDRESS.includes(value)) return address;
    return value === image.environment[name] ? value : placed(value, places);
  };
  return Object.fromEntries([...values].map(([name, value]) => [name, asHere(name, value)]));
}

/**
 * Where the API is, which every container is told. Here it is the address of the load balancer, as that of the Service leads nowhere.
 * Source: https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/#directly-accessing-the-rest-api
 */
function apiVariables({ endpoint }: ClusterScope): Record<string, string> {
  const { address, port } = endpoint() ?? {};
  if (address === undefined) return {};
  return { KUBERNETES_SERVICE_HOST: address, KUBERNETES_SERVICE_PORT: String(port) };
}

/** The path as it is on this machine; what lies at none of the places stays as it is. */
export function placed(path: string, places: Places): string {
  const fitting = places.filter(([from]) => path === from || path.startsWith(`${from}/`));
  const [closest] = [...fitting].sort(([left], [right]) => right.length - left.length);
  return closest ? closest[1] + path.slice(closest[0].length) : path;
}

/** `$(NAME)` stands for a variable before it, `$$` for one `$`. */
export function expanded(text: string, values: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\$\$|\$\(([A-Za-z_][\w.-]*)\)/g, (whole, name?: string) =>
    name === undefined ? '$' : (values.get(name) ?? whole),
  );
}

function valueOf(
  from: NonNullable<NonNullable<Container['env']>[number]['valueFrom']>,
  pod: Pod,
  scope: ClusterScope,
): string | undefined {
  if (from.fieldRef) return fieldOf(String(from.fieldRef['fieldPath']), pod);
  const [kind, ref] = from.secretKeyRef
    ? (['Secret', from.secretKeyRef] as const)
    : (['ConfigMap', from.configMapKeyRef] as const);
  const { name = '', key = '', optional = false } = (ref ?? {}) as KeyRef;
  const value = dataOf(kind, name, pod, scope)?.[key];
  if (value === undefined && !optional) throw missing(kind, name, key);
  return value;
}

/** Source: https://kubernetes.io/docs/concepts/workloads/pods/downward-api/#available-fields */
export function fieldOf(path: string, { metadata, spec, status }: Pod): string | undefined {
  const [, map, key = ''] = /^metadata\.(labels|annotations)\['([^']+)'\]$/.exec(path) ?? [];
  if (map !== undefined) return metadata[map as 'labels' | 'annotations']?.[key];
  const fields: Readonly<Record<string, string | undefined>> = {
    'metadata.name': metadata.name,
    'metadata.namespace': metadata.namespace,
    'metadata.uid': metadata.uid,
    'spec.nodeName': spec.nodeName,
    'spec.serviceAccountName': spec.serviceAccountName,
    'status.hostIP': status?.hostIP,
    'status.podIP': status?.podIP,
    'status.podIPs': status?.podIP,
  };
  return fields[path];
}

function allOf(source: Readonly<Record<string, unknown>>, pod: Pod, scope: ClusterScope): [string, string][] {
  const kind = source['secretRef'] ? 'Secret' : 'ConfigMap';
  const { name = '', optional = false } = (source['secretRef'] ?? source['configMapRef'] ?? {}) as KeyRef;
  const data = dataOf(kind, name, pod, scope);
  if (!data && !optional) throw missing(kind, name);
  const prefix = typeof source['prefix'] === 'string' ? source['prefix'] : '';
  return Object.entries(data ?? {}).map(([key, value]) => [prefix + key, value]);
}

function dataOf(
  kind: 'Secret' | 'ConfigMap',
  name: string,
  { metadata }: Pod,
  { cache }: ClusterScope,
): Readonly<Record<string, string>> | undefined {
  if (kind === 'ConfigMap') return cache.find(CONFIG_MAP, name, metadata.namespace)?.data;
  const secret = cache.find(SECRET, name, metadata.namespace);
  if (!secret) return undefined;
  const texts = Object.entries(secret.data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]);
  return Object.fromEntries(texts) as Record<string, string>;
}
