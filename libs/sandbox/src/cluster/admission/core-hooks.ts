import type { AdmissionHook } from '@crate/resource-server';
import type { Job } from '../kinds/batch.js';
import type { Secret } from '../kinds/core.js';
import type { Pod } from '../kinds/pod.js';
import type { PersistentVolumeClaim } from '../kinds/storage.js';
import type { BindingObject } from '../kinds/rbac.js';
import type { Service } from '../kinds/service.js';
import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from '../kinds/workloads.js';
import type { ClusterScope } from '../runtime/cluster-scope.js';
import { completeDefinition, completeSecret, dataIsKept, definitionIsSound } from './configuration-rules.js';
import { namespaceHooks, serviceAccountExists } from './namespace-hooks.js';
import { completePod, podIsFixed, podSpecViolations, withTemplateDefaults } from './pod-rules.js';
import { quotaAllows } from './quota-hooks.js';
import { complete, enforce, immutable, type Rule } from './rules.js';
import { addressIsFixed, completeService, portsAreSound } from './service-rules.js';
import {
  completeDeployment,
  fixedStatefulSetPart,
  restartsAlways,
  restartsUntilDone,
  selectsItsPods,
  templateIsSound,
} from './workload-rules.js';

type Workload = Deployment | ReplicaSet | DaemonSet | StatefulSet;

const selectorIsFixed = immutable<Workload>('spec.selector', ({ spec }) => spec.selector);
const bindingIsFixed = immutable<BindingObject>('roleRef', ({ roleRef }) => roleRef);
const withTemplate = complete<Workload>((workload) => {
  return {
    ...workload,
    spec: { ...workload.spec, template: withTemplateDefaults(workload.spec.template) },
  } as Workload;
});
const workloadRules = enforce<Workload>(
  ...([selectsItsPods, templateIsSound, restartsAlways] as unknown as Rule<Workload>[]),
  selectorIsFixed,
);
const podIsSound: Rule<Pod> = ({ spec }) => podSpecViolations(spec, 'spec');

const BY_KIND: Readonly<Record<string, readonly AdmissionHook[]>> = {
  '/Namespace': namespaceHooks,
  '/ConfigMap': [enforce(dataIsKept)],
  '/Secret': [
    complete(completeSecret),
    enforce<Secret>(
      dataIsKept,
      immutable('type', ({ type }) => type),
    ),
  ],
  '/PersistentVolumeClaim': [
    enforce<PersistentVolumeClaim>(
      immutable('spec.accessModes', ({ spec }) => [spec.accessModes, spec.storageClassName]),
    ),
  ],
  'apps/Deployment': [complete(completeDeployment), withTemplate, workloadRules],
  'apps/ReplicaSet': [withTemplate, workloadRules],
  'apps/DaemonSet': [withTemplate, workloadRules],
  'apps/StatefulSet': [withTemplate, workloadRules, enforce<StatefulSet>(immutable('spec', fixedStatefulSetPart))],
  'batch/Job': [
    complete<Job>((job) => ({ ...job, spec: { ...job.spec, template: withTemplateDefaults(job.spec.template) } })),
    enforce<Job>(
      restartsUntilDone,
      templateIsSound,
      immutable('spec.template', ({ spec }) => spec.template.spec),
    ),
  ],
  'rbac.authorization.k8s.io/RoleBinding': [enforce(bindingIsFixed)],
  'rbac.authorization.k8s.io/ClusterRoleBinding': [enforce(bindingIsFixed)],
  'apiextensions.k8s.io/CustomResourceDefinition': [enforce(definitionIsSound), complete(completeDefinition)],
};

/** The rules and completions of one core kind. `scope` is asked for at each call: it exists only once the cluster runs. */
export function coreHooks(group: string, kind: string, scope: () => ClusterScope): readonly AdmissionHook[] {
  const hooks = BY_KIND[`${group}/${kind}`] ?? [];
  if (kind === 'PersistentVolumeClaim') return [...hooks, quotaAllows(scope)];
  if (group !== '') return hooks;
  if (kind === 'Pod') return [complete(completePod), serviceAccountExists(scope), enforce(podIsSound, podIsFixed)];
  if (kind !== 'Service') return hooks;
  return [
    complete<Service>((service, before) => completeService(service, before, scope())),
    enforce(portsAreSound, addressIsFixed),
    quotaAllows(scope),
  ];
}
