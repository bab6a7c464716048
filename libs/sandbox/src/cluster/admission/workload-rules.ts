import type { KubeObject } from '@crate/api';
import { matchesSelector } from '../label-selector.js';
import type { Job } from '../kinds/batch.js';
import type { LabelSelector } from '../kinds/fields.js';
import type { PodTemplate } from '../kinds/pod-spec.js';
import type { Deployment, StatefulSet } from '../kinds/workloads.js';
import { podSpecViolations } from './pod-rules.js';
import type { Rule, Violation } from './rules.js';

type Workload = KubeObject & { readonly spec: { readonly selector: LabelSelector; readonly template: PodTemplate } };

/** A workload must select the pods it makes, and nothing but a selector can tell which those are. */
export const selectsItsPods: Rule<Workload> = ({ spec }) => {
  const labels = spec.template.metadata?.labels ?? {};
  const isEmpty = !spec.selector.matchLabels && !spec.selector.matchExpressions;
  if (isEmpty) {
    return [{ field: 'spec.selector', message: 'Invalid value: {}: empty selector is invalid for deployment' }];
  }
  if (matchesSelector(spec.selector, labels)) return [];
  const message = `Invalid value: ${JSON.stringify(labels)}: \`selector\` does not match template \`labels\``;
  return [{ field: 'spec.template.metadata.labels', message }];
};

type Templated = KubeObject & {
  readonly spec: { readonly template: PodTemplate } & Pick<StatefulSet['spec'], 'volumeClaimTemplates'>;
};

/** Rules of the pods that a workload makes; those of a StatefulSet get a volume of each claim, too. */
export const templateIsSound: Rule<Templated> = ({ spec }) => {
  const claimed = (spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name);
  return podSpecViolations(spec.template.spec, 'spec.template.spec', claimed);
};

/** Pods of long-running workloads are always started again. */
export const restartsAlways: Rule<Workload> = ({ spec }) => restartPolicy(spec.template, ['Always']);

/** Pods of jobs end. */
export const restartsUntilDone: Rule<Job> = ({ spec }) => restartPolicy(spec.template, ['OnFailure', 'Never']);

/** The rolling-update numbers that Kubernetes fills in. */
export function completeDeployment(deployment: Deployment): Deployment {
  const { strategy } = deployment.spec;
  if (strategy.type !== 'RollingUpdate' || strategy.rollingUpdate) return deployment;
  const rollingUpdate = { maxUnavailable: '25%', maxSurge: '25%' };
  return { ...deployment, spec: { ...deployment.spec, strategy: { ...strategy, rollingUpdate } } };
}

/** The part of a StatefulSet that never changes. */
export function fixedStatefulSetPart({ spec }: StatefulSet): unknown {
  const { selector, serviceName, podManagementPolicy, volumeClaimTemplates } = spec;
  return { selector, serviceName, podManagementPolicy, volumeClaimTemplates };
}

function restartPolicy(template: PodTemplate, allowed: readonly string[]): readonly Violation[] {
  const { restartPolicy: policy } = template.spec;
  if (allowed.includes(policy)) return [];
  const supported = allowed.map((value) => JSON.stringify(value)).join(', ');
  const message = `Unsupported value: "${policy}": supported values: ${supported}`;
  return [{ field: 'spec.template.spec.restartPolicy', message }];
}
