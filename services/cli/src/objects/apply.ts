import type { KubeObject } from '@crate/api';
import { conflict, isPlatformError, type PlatformError } from '@crate/errors';
import type { ApiClient } from '../client/api-client.js';
import type { Manifest } from './manifests.js';

/** What came of applying a document. */
export interface Applied {
  readonly object: KubeObject;
  readonly outcome: 'created' | 'configured' | 'unchanged';
}

export interface ApplySettings {
  readonly dryRun: boolean;
  /** Takes over fields that belong to others. */
  readonly force: boolean;
}

/** Server-side apply of one document. Throws Conflict that names whose fields it would change. */
export async function applyManifest(api: ApiClient, manifest: Manifest, settings: ApplySettings): Promise<Applied> {
  const { before, object, isNew } = await appliedTo(api, manifest, settings);
  // A dry run says 200 of what it would create.
  if (isNew || before === undefined) return { object, outcome: 'created' };
  return { object, outcome: isSame(before, object) ? 'unchanged' : 'configured' };
}

/** What a document would make of its object, by a dry run; `before` is undefined when there is none. Throws as `applyManifest`. */
export async function previewOf(
  api: ApiClient,
  manifest: Manifest,
  { force }: Pick<ApplySettings, 'force'>,
): Promise<{ readonly before: KubeObject | undefined; readonly after: KubeObject }> {
  const { before, object } = await appliedTo(api, manifest, { dryRun: true, force });
  return { before, after: object };
}

async function appliedTo(
  api: ApiClient,
  manifest: Manifest,
  settings: ApplySettings,
): Promise<{ readonly before: KubeObject | undefined; readonly object: KubeObject; readonly isNew: boolean }> {
  const before = await api.find<KubeObject>(manifest.path);
  try {
    return { before, ...(await api.applied(manifest.path, manifest.document, settings)) };
  } catch (error) {
    throw explained(error);
  }
}

/** But for what every write changes, and for what Crate itself writes meanwhile. */
function isSame(before: KubeObject, after: KubeObject): boolean {
  return JSON.stringify(asked(before)) === JSON.stringify(asked(after));
}

/** What people ask for, in an order of its own. */
export function asked({ status: _status, ...object }: KubeObject): unknown {
  const { managedFields: _fields, resourceVersion: _version, generation: _generation, ...metadata } = object.metadata;
  return sorted({ ...object, metadata });
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, sorted(member)]));
}

/** A conflict over fields tells whose they are, and what the person can do. */
function explained(error: unknown): unknown {
  if (!isPlatformError(error) || error.code !== 'Conflict') return error;
  const owned = (error.details.causes ?? []).filter(({ reason }) => reason === 'FieldManagerConflict');
  return owned.length === 0 ? error : belongsToOthers(error, owned);
}

function belongsToOthers(error: PlatformError, owned: NonNullable<PlatformError['details']['causes']>): PlatformError {
  const fields = owned.map(({ field = '', message }) => {
    const manager = /conflict with "([^"]*)"/.exec(message)?.[1] ?? 'somebody else';
    return `  ${field.replace(/^\./, '')}: set by "${manager}"`;
  });
  const remedy =
    'Leave these out of the file and they stay as they are, write the values that they have now, or take them over with --force-conflicts';
  const count = owned.length === 1 ? 'a field belongs' : `${owned.length} fields belong`;
  return conflict([`${count} to somebody else and would get another value:`, ...fields].join('\n'), {
    ...error.details,
    causes: [],
    remedy,
  });
}
