import type { KubeObject } from '@crate/api';

/** Objects that the measurements work on: `objects` paused clusters, spread evenly over `projects`. */
export interface Dataset {
  readonly objects: number;
  readonly projects: number;
  /** A settled cluster, as the API gives it; all others are like it. */
  readonly template: KubeObject;
  /** The same for `addOns` stored add-ons. */
  readonly addOn: KubeObject;
  readonly addOns: number;
}

/** A prime, so that requests in sequence go all over the data. */
const STRIDE = 7919;

export const TEMPLATE_NAME = 'template';

export function projectName(index: number): string {
  return `bench-${String(index).padStart(3, '0')}`;
}

export function clusterName(index: number): string {
  return `cluster-${String(index).padStart(6, '0')}`;
}

/** Namespace and name of a stored object, another one for each of many numbers in sequence. */
export function keyAt(
  { objects, projects }: Dataset,
  index: number,
): { readonly namespace: string; readonly name: string } {
  const position = (index * STRIDE) % objects;
  return { namespace: projectName(position % projects), name: clusterName(position) };
}

/** The same for objects of the first Project alone. */
export function watchedKeyAt(
  { objects, projects }: Dataset,
  index: number,
): { readonly namespace: string; readonly name: string } {
  const inProject = Math.floor(objects / projects);
  return { namespace: projectName(0), name: clusterName(((index * STRIDE) % inProject) * projects) };
}

/** Name of a stored add-on, another one for each of many numbers in sequence. */
export function addOnAt({ addOns }: Dataset, index: number): string {
  return addOnName((index * STRIDE) % addOns);
}

export function addOnName(index: number): string {
  return `bench-${String(index).padStart(6, '0')}`;
}

/** What a person would write of the template: no status, nothing that the server keeps. */
export function documentOf({ template }: Dataset, namespace: string, name: string): Record<string, unknown> {
  const { apiVersion, kind } = template;
  return { apiVersion, kind, metadata: { name, namespace }, spec: template['spec'] };
}

/** The document with something changed in spec and metadata that differs from one number to the next. */
export function changedDocument(dataset: Dataset, index: number): Record<string, unknown> {
  const { namespace, name } = keyAt(dataset, index);
  const document = documentOf(dataset, namespace, name);
  const spec = document['spec'] as { readonly nodePools: readonly object[] };
  const nodePools = spec.nodePools.map((pool) => ({ ...pool, replicas: (index % 5) + 1 }));
  const metadata = { name, namespace, annotations: { [CHANGE]: String(index) } };
  return { ...document, metadata, spec: { ...spec, nodePools } };
}

/** Annotation that makes each write a change. */
export const CHANGE = 'bench.crate.dev/change';
