import {
  API_KEY,
  apiKeyTokenRequest,
  apiVersionOf,
  parseLifetime,
  type ApiKey,
  type KubeObject,
  type Project,
} from '@crate/api';
import { badRequest, conflict, forbidden } from '@crate/errors';
import type { CallContext, ResourceRef, SubresourceWrite, TypedClient } from '@crate/resource-client';
import { isKeyCaller } from './api-key.caller.js';
import type { ApiKeyTokens } from './api-key.repository.js';
import { makeToken, tokenPrefix } from './api-key.token.js';

export interface ApiKeyIssuerOptions {
  readonly tokens: ApiKeyTokens;
  readonly projects: Pick<TypedClient<Project>, 'find'>;
  /** For keys that state none. */
  readonly defaultLifetimeMs: number;
  /** Told that the key has another token now. */
  readonly onIssue: (key: { readonly project: string; readonly name: string }) => Promise<void>;
  readonly now?: () => number;
}

/** Answers the `token` subresource. */
export class ApiKeyIssuer {
  private readonly now: () => number;

  constructor(private readonly options: ApiKeyIssuerOptions) {
    this.now = options.now ?? Date.now;
  }

  /** Issues a token, and has the one before end, at once unless an overlap was asked for. */
  async issue(
    object: KubeObject,
    _ref: ResourceRef,
    write: SubresourceWrite,
    { caller }: CallContext,
  ): Promise<unknown> {
    // A stolen key must not be able to outlive its discovery by making itself others.
    if (isKeyCaller(caller)) throw forbidden('An API key cannot be used to issue tokens; a person has to');
    const key = object as ApiKey;
    const overlapMs = overlapOf(write.body);
    const now = this.now();
    const expiresAt = this.expiryOf(key, now);
    if (write.dryRun) return answer(key, { expiresAt });
    const { name, namespace: project = '' } = key.metadata;
    const owner = await this.options.projects.find(project);
    if (!owner) throw conflict(`Project "${project}" is gone`);
    const { token, id, digest } = makeToken();
    await this.options.tokens.add(
      {
        ...{ id, digest, project, name, expiresAt },
        ...{ projectUid: owner.metadata.uid, keyUid: key.metadata.uid, issuedBy: caller.user, issuedAt: new Date(now) },
      },
      new Date(now + overlapMs),
    );
    await this.options.onIssue({ project, name });
    return answer(key, { token, tokenPrefix: tokenPrefix(id), expiresAt });
  }

  private expiryOf({ spec, metadata }: ApiKey, now: number): Date {
    const of = `API key "${metadata.name}"`;
    if (metadata.deletionTimestamp) throw conflict(`${of} is being deleted`);
    if (spec.disabled) throw conflict(`${of} is disabled; set spec.disabled to false first`);
    const lifetimeMs = spec.lifetime === undefined ? undefined : parseLifetime(spec.lifetime);
    const end = spec.expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(spec.expiresAt);
    if (end <= now) throw conflict(`${of} has expired; set spec.expiresAt to a later time first`);
    return new Date(Math.min(end, now + (lifetimeMs ?? this.options.defaultLifetimeMs)));
  }
}

function overlapOf(body: unknown): number {
  const request = apiKeyTokenRequest.safeParse(body ?? {});
  if (request.success) return parseLifetime(request.data.spec.overlap ?? '') ?? 0;
  const lines = request.error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`);
  throw badRequest(`The request for a token is malformed: ${lines.join('; ')}`);
}

interface Issued {
  readonly token?: string;
  readonly tokenPrefix?: string;
  readonly expiresAt: Date;
}

function answer({ metadata: { name, namespace } }: ApiKey, { expiresAt, ...issued }: Issued): unknown {
  return {
    apiVersion: apiVersionOf(API_KEY),
    kind: 'APIKeyToken',
    metadata: { name, namespace },
    status: { ...issued, expirationTimestamp: expiresAt.toISOString() },
  };
}
