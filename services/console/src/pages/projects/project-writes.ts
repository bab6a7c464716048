import type { ApiKey, CloudAccount, Project } from '@crate/api';
import i18next from 'i18next';
import { ApiError } from '../../api/api-error.js';
import { apiFetch, apiJson } from '../../api/http.js';
import { collectionPath, KINDS, objectPath, type ApiKind } from '../../api/paths.js';

import type { AllowList } from './allow-lists.js';

const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';

type Member = Project['spec']['members'][number];
type Quotas = Project['spec']['quotas'];
type Credentials = NonNullable<CloudAccount['spec']['credentials']>;

/** What a request for a token answers, once. */
export interface IssuedToken {
  readonly status: { readonly token: string; readonly expirationTimestamp?: string };
}

/** Throws ApiError. */
export function createProject(name: string, spec: Partial<Project['spec']>): Promise<Project> {
  return create(KINDS.project, { name }, spec);
}

/** Refused when somebody else changed the Project since it was read: a list of members is written whole. Throws ApiError. */
export function saveMembers({ metadata }: Project, members: readonly Member[]): Promise<unknown> {
  return patch(KINDS.project, metadata.name, undefined, {
    metadata: { resourceVersion: metadata.resourceVersion },
    spec: { members },
  });
}

/** A null takes a limit away; refused when somebody else changed the quotas since `opened`. Throws ApiError. */
export function saveQuotas(opened: Project, quotas: Readonly<Record<keyof Quotas, number | null>>): Promise<unknown> {
  return savePart(opened, 'quotas', quotas);
}

/** The lists are written whole, a null allows all; refused when somebody else changed them since `opened`. Throws ApiError. */
export function saveAllowed(
  opened: Project,
  allowed: Readonly<Record<AllowList, readonly string[] | null>>,
): Promise<unknown> {
  return savePart(opened, 'allowed', allowed);
}

/** An empty text takes a default away; refused when somebody else changed one since `opened`. Throws ApiError. */
export function saveDefaults(
  opened: Project,
  { accountRef, region, classRef }: Readonly<Record<'accountRef' | 'region' | 'classRef', string>>,
): Promise<unknown> {
  const refTo = (text: string): { readonly name: string } | null => (text.trim() === '' ? null : { name: text.trim() });
  const defaults = { accountRef: refTo(accountRef), region: region.trim() || null, classRef: refTo(classRef) };
  return savePart(opened, 'defaults', defaults);
}

/** The test is of what the person saw: anything else of the Project may have changed meanwhile. */
async function savePart(
  { metadata, spec }: Project,
  part: 'quotas' | 'allowed' | 'defaults',
  changes: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const path = `/spec/${part}`;
  const members = Object.entries({ ...spec[part], ...changes }).filter(([, value]) => value !== null);
  const body = [
    { op: 'test', path, value: spec[part] },
    { op: 'replace', path, value: Object.fromEntries(members) },
  ];
  try {
    return await apiJson(objectPath(KINDS.project, metadata.name), { method: 'PATCH', contentType: JSON_PATCH, body });
  } catch (error) {
    throw isChangedMeanwhile(error) ? new ApiError(409, 'Conflict', i18next.t('projects:changedMeanwhile')) : error;
  }
}

/** The server says which operation of the patch failed, which tells people nothing. */
function isChangedMeanwhile(error: unknown): boolean {
  return error instanceof ApiError && error.status === 422 && error.message.includes('test operation failed');
}

/** What a person fills in for a new account; empty texts say nothing. */
export interface AccountWish {
  readonly provider: CloudAccount['spec']['provider'];
  readonly name: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly secret: string;
  readonly boundary: string;
}

/** Throws ApiError. */
export function createAccount(project: string, wish: AccountWish): Promise<unknown> {
  const { provider, name, accountId, keyId, secret, boundary } = wish;
  return create(
    KINDS.cloudAccount,
    { name, namespace: project },
    {
      provider,
      ...(accountId === '' ? {} : { accountId }),
      ...(keyId === '' && secret === '' ? {} : { credentials: { accessKeyId: keyId, secretAccessKey: secret } }),
      ...(boundary === '' ? {} : { permissionsBoundary: boundary }),
    },
  );
}

/** Of the account that was read, and no other of its name. Throws ApiError. */
export function removeAccount({ metadata }: CloudAccount): Promise<unknown> {
  return remove(KINDS.cloudAccount, metadata);
}

/** Throws ApiError. */
export function replaceCredentials({ metadata }: CloudAccount, credentials: Credentials): Promise<unknown> {
  return patch(KINDS.cloudAccount, metadata.name, metadata.namespace, { spec: { credentials } });
}

/** Throws ApiError. */
export function createKey(project: string, name: string, spec: Partial<ApiKey['spec']>): Promise<ApiKey> {
  return create(KINDS.apiKey, { name, namespace: project }, spec);
}

/** Issues a token, which nobody can read again. Throws ApiError. */
export function issueToken(project: string, name: string, overlap?: string): Promise<IssuedToken> {
  return apiJson<IssuedToken>(objectPath(KINDS.apiKey, name, project, 'token'), {
    method: 'POST',
    body: { spec: overlap === undefined ? {} : { overlap } },
  });
}

/** Throws ApiError. */
export function revokeKey({ metadata }: ApiKey): Promise<unknown> {
  return remove(KINDS.apiKey, metadata);
}

function remove(of: ApiKind, { name, namespace, uid }: ApiKey['metadata']): Promise<unknown> {
  return apiFetch(objectPath(of, name, namespace), { method: 'DELETE', body: { preconditions: { uid } } });
}

function create<T>(of: ApiKind, metadata: { name: string; namespace?: string }, spec: unknown): Promise<T> {
  return apiJson<T>(collectionPath(of, metadata.namespace), {
    method: 'POST',
    body: { apiVersion: `${of.group}/${of.version}`, kind: of.kind, metadata, spec },
  });
}

function patch(of: ApiKind, name: string, namespace: string | undefined, body: unknown): Promise<unknown> {
  return apiJson(objectPath(of, name, namespace), { method: 'PATCH', contentType: MERGE_PATCH, body });
}
