import {
  addOnAt,
  CHANGE,
  changedDocument,
  documentOf,
  keyAt,
  projectName,
  watchedKeyAt,
  type Dataset,
} from './dataset.js';
import { nowMicroseconds, SENT } from './watcher.js';

/** What is measured by itself. `write` is a mix of writes of a kind that no admission and no reconciler looks at. */
export const OPERATIONS = ['get', 'list', 'create', 'update', 'patch', 'apply', 'write'] as const;
export type MeasuredOperation = (typeof OPERATIONS)[number];

/** `touch` changes an object that is watched, and says when; `mixed` is a little of everything that leaves the number of objects alone. */
export type Operation = MeasuredOperation | 'touch' | 'mixed';

const MIX: readonly Operation[] = [
  ...Array.from({ length: 13 }, () => 'get' as const),
  ...(['touch', 'touch', 'touch', 'patch', 'update', 'apply', 'list'] as const),
];

export interface BenchRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  readonly path: string;
  readonly contentType?: string;
  readonly body?: string;
}

export const LIFECYCLE = '/apis/lifecycle.crate.dev/v1alpha1';
export const PAGE_SIZE = 500;

/** Kept apart from the stored objects, so that lists of those stay as they are. */
export const CREATED_PROJECT = 'bench-new';

/** Of so many writes of the mix, one creates. */
export const WRITES_PER_CREATE = 4;

/** The request of this number. Numbers must not come twice in the life of a platform. */
export function requestOf(operation: Operation, dataset: Dataset, index: number): BenchRequest {
  const { namespace, name } = keyAt(dataset, index);
  const path = `${LIFECYCLE}/namespaces/${namespace}/clusters/${name}`;
  switch (operation) {
    case 'get':
      return { method: 'GET', path };
    case 'list':
      return {
        method: 'GET',
        path: `${LIFECYCLE}/namespaces/${projectName(index % dataset.projects)}/clusters?limit=${PAGE_SIZE}`,
      };
    case 'create':
      return post(
        `${LIFECYCLE}/namespaces/${CREATED_PROJECT}/clusters`,
        documentOf(dataset, CREATED_PROJECT, `new-${index}`),
      );
    case 'update':
      return { ...json(changedDocument(dataset, index)), method: 'PUT', path };
    case 'patch':
      return mergePatch(path, { metadata: { annotations: { [CHANGE]: String(index) } } });
    case 'mixed':
      return requestOf(MIX[index % MIX.length] ?? 'get', dataset, index);
    case 'touch':
      return touch(dataset, index);
    case 'apply':
      return {
        method: 'PATCH',
        path: `${path}?fieldManager=bench&force=true`,
        contentType: 'application/apply-patch+yaml',
        body: JSON.stringify(changedDocument(dataset, index)),
      };
    case 'write':
      return addOnWrite(dataset, index);
  }
}

function touch(dataset: Dataset, index: number): BenchRequest {
  const { namespace, name } = watchedKeyAt(dataset, index);
  const annotations = { [CHANGE]: String(index), [SENT]: String(nowMicroseconds()) };
  return mergePatch(`${LIFECYCLE}/namespaces/${namespace}/clusters/${name}`, { metadata: { annotations } });
}

/** One new add-on, then three changes of stored ones. */
function addOnWrite(dataset: Dataset, index: number): BenchRequest {
  if (index % WRITES_PER_CREATE > 0) {
    return mergePatch(`${LIFECYCLE}/addons/${addOnAt(dataset, index)}`, {
      metadata: { annotations: { [CHANGE]: String(index) } },
    });
  }
  const { apiVersion, kind, spec } = dataset.addOn;
  return post(`${LIFECYCLE}/addons`, { apiVersion, kind, metadata: { name: `bench-new-${index}` }, spec });
}

function post(path: string, document: unknown): BenchRequest {
  return { ...json(document), method: 'POST', path };
}

function mergePatch(path: string, patch: unknown): BenchRequest {
  return { method: 'PATCH', path, contentType: 'application/merge-patch+json', body: JSON.stringify(patch) };
}

function json(document: unknown): { readonly contentType: string; readonly body: string } {
  return { contentType: 'application/json', body: JSON.stringify(document) };
}
