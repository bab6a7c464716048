import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { ChaosPlatform } from '../platform/chaos-platform.js';
import { openRecord, readKeys, type Keys, type SealedRow } from './sealed-record.js';
import type { Schema } from './records.js';
import { engineStateOf, kubeconfigOf, type KubeconfigBytes } from './engine-state.js';
import type { EngineState, StoredCredentials, StoredState } from './world.js';

const STATE = 'terraform-state';
const ENGINE_STATE = 'rke-state';
const KUBECONFIG = 'kubeconfig';
const CREDENTIALS = 'cloud-credentials/';
/** Services that keep anything encrypted. */
const KEEPERS: Readonly<Record<string, Schema>> = { 'cloud-mgmt': 'cloud_mgmt', 'cluster-mgmt': 'cluster_mgmt' };

export interface StateBytes extends StoredState {
  readonly bytes: Buffer;
}

/** Everything that is stored encrypted, opened. */
export interface Opened {
  readonly states: readonly StateBytes[];
  readonly engineStates: readonly EngineState[];
  readonly kubeconfigs: readonly KubeconfigBytes[];
  readonly credentials: readonly StoredCredentials[];
  readonly unopened: readonly string[];
  readonly owners: readonly string[];
  /** Contents that must not be found anywhere else, by what they are. */
  readonly plain: readonly { readonly kind: string; readonly content: Buffer }[];
}

/** Opens all stored secrets with the services' key files. */
export async function readSecrets(platform: ChaosPlatform): Promise<Opened> {
  const opened: Collected = {
    states: [],
    engineStates: [],
    kubeconfigs: [],
    credentials: [],
    unopened: [],
    owners: [],
    plain: [],
  };
  for (const [service, schema] of Object.entries(KEEPERS)) {
    const keys = await readKeys(join(platform.directory, 'services', service, 'encryption'));
    for (const row of await platform.records.secrets(schema)) collect(opened, row, keys);
  }
  return opened;
}

type Collected = { readonly [K in keyof Opened]: Opened[K][number][] };

function collect(opened: Collected, row: SealedRow, keys: Keys): void {
  opened.owners.push(row.owner_uid);
  try {
    const content = openRecord(row, keys);
    if (row.kind !== STATE) opened.plain.push({ kind: row.kind, content });
    if (row.kind === STATE) opened.states.push(checked(stateOf(row, content), row.facts));
    if (row.kind === ENGINE_STATE) opened.engineStates.push(engineStateOf(row, content));
    if (row.kind === KUBECONFIG) opened.kubeconfigs.push(kubeconfigOf(row, content));
    if (row.kind.startsWith(CREDENTIALS)) opened.credentials.push(credentialsOf(row, content));
  } catch (error) {
    opened.unopened.push(`${row.kind} of ${row.owner_uid}, version ${row.serial}: ${String(error)}`);
  }
}

function credentialsOf({ owner_uid: owner, kind }: SealedRow, content: Buffer): StoredCredentials {
  const { accessKeyId } = JSON.parse(content.toString('utf8')) as { readonly accessKeyId: string };
  return { owner, fingerprint: kind.slice(CREDENTIALS.length), accessKeyId };
}

/** A version that is said to be another state than it is counts as one that does not open. */
function checked(state: StateBytes, facts: SealedRow['facts']): StateBytes {
  const { serial = state.serial, lineage = state.lineage } = facts ?? {};
  if (serial === state.serial && lineage === state.lineage) return state;
  throw new Error(`it says serial ${serial} of ${lineage}, and is ${state.serial} of ${state.lineage}`);
}

interface StateFile {
  readonly serial: number;
  readonly lineage: string;
  readonly outputs?: unknown;
  readonly resources?: readonly {
    readonly mode: string;
    readonly type: string;
    readonly name: string;
    readonly instances?: readonly { readonly attributes?: { readonly id?: string } }[];
  }[];
}

type Whose = Pick<SealedRow, 'owner_uid' | 'serial'> & Partial<Pick<SealedRow, 'facts'>>;

/** What a Terraform state says, of which Infrastructure. */
export function stateOf({ owner_uid, serial, facts }: Whose, bytes: Buffer): StateBytes {
  const file = JSON.parse(bytes.toString('utf8')) as StateFile;
  const managed = (file.resources ?? []).filter(({ mode }) => mode === 'managed');
  const resources = managed.flatMap(({ type, name, instances = [] }) =>
    instances.map(({ attributes }) => ({ address: `${type}.${name}`, type, id: attributes?.id ?? '' })),
  );
  const { lineage } = file;
  return {
    owner: owner_uid,
    version: serial,
    serial: file.serial,
    lineage,
    substance: substanceOf(file),
    resources,
    ...(facts?.['restored'] === undefined ? {} : { restored: Number(facts['restored']) }),
    bytes,
  };
}

function substanceOf({ outputs, resources = [] }: StateFile): string {
  const there = resources.filter(({ instances = [] }) => instances.length > 0);
  return createHash('sha256')
    .update(JSON.stringify([outputs, there]))
    .digest('hex');
}
