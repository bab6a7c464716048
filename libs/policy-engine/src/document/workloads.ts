import { isJsonObject } from '@crate/api';
type Json = Readonly<Record<string, unknown>>;

/** The pod that a manifest is, or makes. */
export interface PodOfManifest {
  /** Path of the pod's `spec` in the manifest. */
  readonly field: string;
  readonly metadata: Json;
  readonly spec: Json;
}

/** A container of that pod. */
export interface ContainerOfManifest {
  /** Path in the manifest, such as `spec.template.spec.containers[0]`. */
  readonly field: string;
  readonly type: 'container' | 'init' | 'ephemeral';
  readonly container: Json;
}

/** Where kinds of Kubernetes keep the template of their pods. */
const TEMPLATES: ReadonlyMap<unknown, string> = new Map([
  ['Deployment', 'spec.template'],
  ['ReplicaSet', 'spec.template'],
  ['StatefulSet', 'spec.template'],
  ['DaemonSet', 'spec.template'],
  ['ReplicationController', 'spec.template'],
  ['Job', 'spec.template'],
  ['CronJob', 'spec.jobTemplate.spec.template'],
  ['PodTemplate', 'template'],
]);

const LISTS = { containers: 'container', initContainers: 'init', ephemeralContainers: 'ephemeral' } as const;

/** The pod of a manifest; none for what runs nothing. A list, so that rules can go over it. */
export function podsOf(manifest: unknown): readonly PodOfManifest[] {
  const kind = member(manifest, 'kind');
  const path = kind === 'Pod' ? '' : TEMPLATES.get(kind);
  if (path === undefined) return [];
  const template = path.split('.').filter(Boolean).reduce<unknown>(member, manifest);
  const [metadata, spec] = [member(template, 'metadata'), member(template, 'spec')];
  if (!isJsonObject(spec)) return [];
  return [{ field: path === '' ? 'spec' : `${path}.spec`, metadata: isJsonObject(metadata) ? metadata : {}, spec }];
}

/** All containers of a manifest's pod, init and ephemeral ones included. */
export function containersOf(manifest: unknown): readonly ContainerOfManifest[] {
  return podsOf(manifest).flatMap(({ field, spec }) =>
    Object.entries(LISTS).flatMap(([list, type]) => {
      const containers = member(spec, list);
      if (!Array.isArray(containers)) return [];
      return containers.flatMap((container: unknown, index) =>
        isJsonObject(container) ? [{ field: `${field}.${list}[${index}]`, type, container }] : [],
      );
    }),
  );
}

function member(value: unknown, name: string): unknown {
  return isJsonObject(value) ? value[name] : undefined;
}
