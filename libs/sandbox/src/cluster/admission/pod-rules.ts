import { isDeepStrictEqual } from 'node:util';
import type { Container } from '../kinds/container.js';
import type { Pod } from '../kinds/pod.js';
import type { PodSpec, PodTemplate } from '../kinds/pod-spec.js';
import { withPodDefaults } from '../workloads/pods.js';
import type { Rule, Violation } from './rules.js';

/** What Kubernetes' defaulting adds to a pod's containers. */
export function withContainerDefaults(spec: PodSpec): PodSpec {
  const containers = spec.containers.map(withPullPolicy);
  const { initContainers } = spec;
  return { ...spec, containers, ...(initContainers ? { initContainers: initContainers.map(withPullPolicy) } : {}) };
}

/** The template with the defaults of its containers. */
export function withTemplateDefaults(template: PodTemplate): PodTemplate {
  return { ...template, spec: withContainerDefaults(template.spec) };
}

/** A pod as admission leaves it. */
export function completePod(pod: Pod): Pod {
  const status = pod.status ?? { phase: 'Pending' as const };
  return { ...pod, spec: withPodDefaults(withContainerDefaults(pod.spec)), status };
}

/** Rules for the spec of a pod or of a template; `path` is where it stands, `claimed` volumes that pods get beside those it names. */
export function podSpecViolations(spec: PodSpec, path: string, claimed: readonly string[] = []): readonly Violation[] {
  const all = [...spec.containers, ...(spec.initContainers ?? [])];
  const volumes = new Set([...claimed, ...(spec.volumes ?? []).map(({ name }) => name)]);
  return [
    ...duplicates(
      all.map(({ name }) => name),
      `${path}.containers`,
    ),
    ...duplicates(
      (spec.volumes ?? []).map(({ name }) => name),
      `${path}.volumes`,
    ),
    ...spec.containers.flatMap((container, index) => unknownMounts(container, volumes, `${path}.containers[${index}]`)),
  ];
}

/** Of a pod that exists only images, tolerations and the deadline may change. */
export const podIsFixed: Rule<Pod> = (pod, before) => {
  if (!before || isDeepStrictEqual(fixedPart(before.spec), fixedPart(pod.spec))) return [];
  const message =
    'Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations)';
  return [{ field: 'spec', message, reason: 'FieldValueForbidden' }];
};

function fixedPart(spec: PodSpec): unknown {
  const { tolerations: _tolerations, activeDeadlineSeconds: _deadline, ...rest } = spec;
  const withoutImage = ({ image: _image, imagePullPolicy: _policy, ...container }: Container): unknown => container;
  return {
    ...rest,
    containers: spec.containers.map(withoutImage),
    initContainers: (spec.initContainers ?? []).map(withoutImage),
  };
}

function withPullPolicy(container: Container): Container {
  if (container.imagePullPolicy !== undefined) return container;
  const tag = /:([^/@]+)$/.exec(container.image)?.[1];
  const isFloating = !container.image.includes('@') && (tag === undefined || tag === 'latest');
  return { ...container, imagePullPolicy: isFloating ? 'Always' : 'IfNotPresent' };
}

function duplicates(names: readonly string[], path: string): readonly Violation[] {
  return names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : [
          {
            field: `${path}[${index}].name`,
            message: `Duplicate value: "${name}"`,
            reason: 'FieldValueDuplicate' as const,
          },
        ],
  );
}

function unknownMounts(container: Container, volumes: ReadonlySet<string>, path: string): readonly Violation[] {
  return (container.volumeMounts ?? []).flatMap(({ name }, index) =>
    volumes.has(name) ? [] : [{ field: `${path}.volumeMounts[${index}].name`, message: `Not found: "${name}"` }],
  );
}
