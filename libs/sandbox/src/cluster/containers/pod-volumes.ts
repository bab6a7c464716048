import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { badRequest } from '@crate/errors';
import { CONFIG_MAP, SECRET, SERVICE_ACCOUNT } from '../kinds/core.js';
import type { Pod } from '../kinds/pod.js';
import { PERSISTENT_VOLUME_CLAIM } from '../kinds/storage.js';
import type { ClusterScope } from '../runtime/cluster-scope.js';
import { fieldOf } from './container-environment.js';
import { missing } from './missing-source.js';

type Volume = NonNullable<Pod['spec']['volumes']>[number];
type Files = readonly { readonly path: string; readonly content: Buffer; readonly mode: number }[];

interface FileSource {
  readonly items?:
    readonly { readonly key: string; readonly path: string; readonly mode?: number | undefined }[] | undefined;
  readonly defaultMode?: number | undefined;
  readonly optional?: boolean | undefined;
}

const DEFAULT_MODE = 0o644;
/** Nothing writes the file anew before a token ends, so it is good for the year that Kubernetes extends tokens of pods to. */
const TOKEN_SECONDS = 31_536_000;
/** Of this machine's users only the one that runs the sandbox is meant. */
const OWNER = 0o700;

export interface VolumeDirectories {
  /** Gone with the pod. */
  readonly ofPod: string;
  /** Of claims; stays. */
  readonly ofClaims: string;
}

/**
 * Makes the directories that a pod's volumes are, with the files they hold, and gives each one's path by the name of the volume.
 * Throws NotFound for a source that is not there and not optional, and BadRequest for one that nothing here stands for.
 */
export async function writeVolumes(
  pod: Pod,
  scope: ClusterScope,
  { ofPod, ofClaims }: VolumeDirectories,
): Promise<ReadonlyMap<string, string>> {
  const written = new Map<string, string>();
  for (const volume of pod.spec.volumes ?? []) {
    const claim = volume.persistentVolumeClaim && claimOf(volume.persistentVolumeClaim.claimName, pod, scope);
    const directory = claim === undefined ? join(ofPod, volume.name) : join(ofClaims, claim);
    await mkdir(directory, { recursive: true, mode: OWNER });
    if (claim === undefined && !volume.emptyDir) await writeFiles(directory, filesOf(volume, pod, scope));
    written.set(volume.name, directory);
  }
  return written;
}

function claimOf(name: string, { metadata }: Pod, { cache }: ClusterScope): string {
  const uid = cache.find(PERSISTENT_VOLUME_CLAIM, name, metadata.namespace)?.metadata.uid;
  if (uid === undefined) throw badRequest(`There is no PersistentVolumeClaim ${name}`);
  return uid;
}

async function writeFiles(directory: string, files: Files): Promise<void> {
  for (const { path, content, mode } of files) {
    const file = resolve(directory, path);
    if (!file.startsWith(directory + sep)) throw badRequest(`${path} leads out of its volume`);
    await mkdir(dirname(file), { recursive: true, mode: OWNER });
    await rm(file, { force: true });
    await writeFile(file, content, { mode: 0o600 });
    await chmod(file, mode & OWNER);
  }
}

function filesOf(volume: Volume, pod: Pod, scope: ClusterScope): Files {
  const { secret, configMap, projected, downwardAPI } = volume;
  if (secret) return secretFiles(secret.secretName ?? '', secret, pod, scope);
  if (configMap) return configMapFiles(configMap.name ?? '', configMap, pod, scope);
  if (downwardAPI) return fieldFiles(downwardAPI, pod);
  if (!projected) {
    throw badRequest(`The sandbox has nothing that volume ${volume.name} could be`);
  }
  const sources = (projected['sources'] ?? []) as readonly Readonly<
    Record<string, FileSource & { name?: string; path?: string }>
  >[];
  return sources.flatMap((source) => {
    const name = source['secret']?.name ?? source['configMap']?.name ?? '';
    if (source['secret']) return secretFiles(name, source['secret'], pod, scope);
    if (source['configMap']) return configMapFiles(name, source['configMap'], pod, scope);
    if (source['downwardAPI']) return fieldFiles(source['downwardAPI'] as Readonly<Record<string, unknown>>, pod);
    if (source['serviceAccountToken']) return tokenFiles(source['serviceAccountToken'], pod, scope);
    throw badRequest(`Volume ${volume.name} projects what the sandbox does not have`);
  });
}

function secretFiles(name: string, source: FileSource, { metadata }: Pod, { cache }: ClusterScope): Files {
  const data = cache.find(SECRET, name, metadata.namespace)?.data;
  if (!data && !source.optional) throw missing('Secret', name);
  return chosen(
    'Secret',
    name,
    source,
    mapped(data ?? {}, (text) => Buffer.from(text, 'base64')),
  );
}

function configMapFiles(name: string, source: FileSource, { metadata }: Pod, { cache }: ClusterScope): Files {
  const found = cache.find(CONFIG_MAP, name, metadata.namespace);
  if (!found && !source.optional) throw missing('ConfigMap', name);
  const texts = mapped(found?.data ?? {}, (text) => Buffer.from(text));
  return chosen(
    'ConfigMap',
    name,
    source,
    new Map([...texts, ...mapped(found?.binaryData ?? {}, (text) => Buffer.from(text, 'base64'))]),
  );
}

function mapped(data: Readonly<Record<string, string>>, read: (text: string) => Buffer): Map<string, Buffer> {
  return new Map(Object.entries(data).map(([key, text]) => [key, read(text)]));
}

function chosen(
  kind: 'Secret' | 'ConfigMap',
  name: string,
  { items, defaultMode = DEFAULT_MODE, optional = false }: FileSource,
  data: ReadonlyMap<string, Buffer>,
): Files {
  if (!items) return [...data].map(([path, content]) => ({ path, content, mode: defaultMode }));
  return items.flatMap(({ key, path, mode = defaultMode }) => {
    const content = data.get(key);
    if (!content && !optional) throw missing(kind, name, key);
    return content ? [{ path, content, mode }] : [];
  });
}

function fieldFiles(source: Readonly<Record<string, unknown>>, pod: Pod): Files {
  const items = (source['items'] ?? []) as readonly {
    readonly path: string;
    readonly fieldRef?: { readonly fieldPath: string };
  }[];
  return items.map(({ path, fieldRef }) => ({
    path,
    content: Buffer.from(fieldOf(fieldRef?.fieldPath ?? '', pod) ?? ''),
    mode: DEFAULT_MODE,
  }));
}

/** Source: https://kubernetes.io/docs/concepts/storage/projected-volumes/#serviceaccounttoken */
function tokenFiles(source: { readonly path?: string }, { metadata, spec }: Pod, scope: ClusterScope): Files {
  const { namespace = '' } = metadata;
  const name = spec.serviceAccountName ?? 'default';
  const account = scope.cache.find(SERVICE_ACCOUNT, name, namespace);
  if (!account) throw missing('ServiceAccount', name);
  const token = scope.tokens.issue({ namespace, name, uid: account.metadata.uid }, TOKEN_SECONDS, new Date());
  return [{ path: source.path ?? 'token', content: Buffer.from(token), mode: 0o600 }];
}
