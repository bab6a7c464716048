import { apiVersionOf, parseLifetime, PROJECT, type ApiKey, type KubeObject, type Project } from '@crate/api';
import { invalidSpec, type ErrorCause } from '@crate/errors';
import type { TypedClient } from '@crate/resource-client';
import type { AdmissionHook, AdmissionRequest } from '@crate/resource-server';
import { machineRefusal } from './api-key.machine.js';

/** Annotation that says who made a key; nobody can change it. */
export const CREATED_BY = 'lifecycle.crate.dev/created-by';

export interface ApiKeyAdmissionOptions {
  readonly projects: Pick<TypedClient<Project>, 'find'>;
  readonly maxLifetimeMs: number;
  readonly now?: () => number;
}

/** Bounds how long a key lives and what keys may do to keys, records who made it, and ties it to its Project, with which it goes. */
export function apiKeyAdmission(options: ApiKeyAdmissionOptions): AdmissionHook {
  return async (request) => {
    if (request.operation === 'DELETE') return undefined;
    const key = request.object as ApiKey;
    const before = request.oldObject as ApiKey | undefined;
    const refusal = machineRefusal(key, before, request.context.caller);
    if (refusal) throw refusal;
    const causes = timeCauses(key, before, options);
    if (causes.length > 0) throw invalid(key, causes);
    return { object: await tied(request, options.projects) };
  };
}

function timeCauses(key: ApiKey, before: ApiKey | undefined, options: ApiKeyAdmissionOptions): ErrorCause[] {
  const { maxLifetimeMs, now = Date.now } = options;
  const { lifetime, expiresAt } = key.spec;
  const causes: ErrorCause[] = [];
  if (lifetime !== undefined && (parseLifetime(lifetime) ?? 0) > maxLifetimeMs) {
    causes.push(cause('spec.lifetime', `must be at most ${inDays(maxLifetimeMs)}`));
  }
  // What has passed meanwhile must not stop other changes.
  if (expiresAt !== undefined && expiresAt !== before?.spec.expiresAt && Date.parse(expiresAt) <= now()) {
    causes.push(cause('spec.expiresAt', 'must be in the future; to end a key now, set spec.disabled or delete it'));
  }
  return causes;
}

async function tied(request: AdmissionRequest, projects: ApiKeyAdmissionOptions['projects']): Promise<KubeObject> {
  const { object, oldObject, context } = request;
  const { metadata } = object;
  const project = await projects.find(metadata.namespace ?? '');
  const createdBy = oldObject ? oldObject.metadata.annotations?.[CREATED_BY] : context.caller.user;
  return {
    ...object,
    metadata: {
      ...metadata,
      annotations: { ...metadata.annotations, [CREATED_BY]: createdBy ?? '' },
      // To that alone: whatever else owned the key would keep it beyond its Project.
      ...(project ? { ownerReferences: [ownerOf(project)] } : {}),
    },
  };
}

function ownerOf({ metadata: { name, uid } }: Project): {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
} {
  return { apiVersion: apiVersionOf(PROJECT), kind: PROJECT.kind, name, uid };
}

function cause(field: string, message: string): ErrorCause {
  return { reason: 'FieldValueInvalid', field, message };
}

function invalid({ metadata: { name } }: ApiKey, causes: readonly ErrorCause[]): Error {
  const lines = causes.map(({ field, message }) => `${field}: ${message}`).join(', ');
  const details = { group: 'lifecycle.crate.dev', kind: 'APIKey', name };
  return invalidSpec(`APIKey.lifecycle.crate.dev "${name}" is invalid: ${lines}`, causes, details);
}

function inDays(milliseconds: number): string {
  const days = milliseconds / 86_400_000;
  return Number.isInteger(days) ? `${days}d` : `${Math.floor(milliseconds / 60_000)}m`;
}
