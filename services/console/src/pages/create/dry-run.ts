import type { Cluster } from '@crate/api';
import { ApiError, type Cause } from '../../api/api-error.js';
import { apiFetch, jsonOf } from '../../api/http.js';
import { collectionPath, KINDS } from '../../api/paths.js';
import { warningsOf } from '../../api/warnings.js';
import type { Draft } from './draft.js';

interface JudgedWell {
  readonly isAllowed: true;
  /** As it was when the server was asked: somebody may have gone on since. */
  readonly draft: Draft;
  readonly cluster: Cluster;
  readonly warnings: readonly string[];
}

/** What the server says of a draft: the Cluster that it would become and what that leads to, or what stands against it. */
export type Judgement =
  JudgedWell | { readonly isAllowed: false; readonly message: string; readonly causes: readonly Cause[] };

/** Asks what would become of a draft, without making anything. Throws ApiError when the server could not say. */
export async function judge(draft: Draft, signal?: AbortSignal): Promise<Judgement> {
  try {
    const response = await send(draft, '?dryRun=All&fieldValidation=Strict', signal);
    const cluster = await jsonOf<Cluster>(response, signal);
    return { isAllowed: true, draft, cluster, warnings: warningsOf(response.headers) };
  } catch (error) {
    if (!(error instanceof ApiError) || error.isPassing || error.status === 401) throw error;
    return { isAllowed: false, message: error.message, causes: causesOf(error) };
  }
}

/** Makes the cluster. Throws ApiError. */
export async function create(draft: Draft): Promise<void> {
  await send(draft, '?fieldValidation=Strict');
}

function send(draft: Draft, query: string, signal?: AbortSignal): Promise<Response> {
  const path = `${collectionPath(KINDS.cluster, draft.metadata.namespace ?? '')}${query}`;
  return apiFetch(path, { method: 'POST', body: draft, signal });
}

/** A name that is taken is said of the name; what names no field stands for the whole. */
function causesOf({ status, causes, message }: ApiError): readonly Cause[] {
  if (status === 409) return [{ field: 'metadata.name', message }];
  return causes.length > 0 ? causes : [{ message }];
}
