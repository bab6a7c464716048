import type { JsonSchema } from '../kinds/json-schema.js';
import { atomicMap, fields, listMap, set } from './built-in-schema.js';
import { CONDITIONS, POD_SPEC, POD_STATUS, POD_TEMPLATE } from './built-in-pod.js';

const SELECTOR = { selector: atomicMap };
const WORKLOAD = fields({
  spec: fields({ ...SELECTOR, template: POD_TEMPLATE }),
  status: fields({ conditions: CONDITIONS }),
});
const CONDITIONED = fields({ status: fields({ conditions: CONDITIONS }) });
const ROLE_BINDING = fields({ roleRef: atomicMap });

/**
 * Where Kubernetes' own kinds differ from "objects merge, lists are replaced whole".
 * Source: the `+listType`, `+listMapKey` and `+structType` markers of https://github.com/kubernetes/api
 */
const BODIES: Readonly<Record<string, JsonSchema>> = {
  '/Pod': fields({ spec: POD_SPEC, status: POD_STATUS }),
  '/PodTemplate': fields({ template: POD_TEMPLATE }),
  '/ReplicationController': fields({
    spec: fields({ selector: atomicMap, template: POD_TEMPLATE }),
    status: fields({ conditions: CONDITIONS }),
  }),
  '/Service': fields({
    spec: fields({ ...SELECTOR, ports: listMap(['port', 'protocol'], {}, { protocol: 'TCP' }) }),
    status: fields({ conditions: CONDITIONS }),
  }),
  '/ServiceAccount': fields({ secrets: listMap(['name']) }),
  '/Namespace': CONDITIONED,
  '/Node': fields({
    spec: fields({ podCIDRs: set }),
    status: fields({ conditions: CONDITIONS, addresses: listMap(['type']) }),
  }),
  '/PersistentVolumeClaim': fields({
    spec: fields({ ...SELECTOR, dataSource: atomicMap }),
    status: fields({ conditions: CONDITIONS }),
  }),
  'apps/Deployment': WORKLOAD,
  'apps/ReplicaSet': WORKLOAD,
  'apps/DaemonSet': WORKLOAD,
  'apps/StatefulSet': WORKLOAD,
  'batch/Job': WORKLOAD,
  'batch/CronJob': fields({
    spec: fields({ jobTemplate: fields({ spec: fields({ ...SELECTOR, template: POD_TEMPLATE }) }) }),
  }),
  'rbac.authorization.k8s.io/RoleBinding': ROLE_BINDING,
  'rbac.authorization.k8s.io/ClusterRoleBinding': ROLE_BINDING,
  'policy/PodDisruptionBudget': fields({
    spec: fields({ ...SELECTOR }),
    status: fields({ conditions: CONDITIONS }),
  }),
  'networking.k8s.io/Ingress': fields({ spec: fields({ defaultBackend: fields({ resource: atomicMap }) }) }),
  'networking.k8s.io/NetworkPolicy': fields({ spec: fields({ podSelector: atomicMap }) }),
  'apiextensions.k8s.io/CustomResourceDefinition': CONDITIONED,
  'apiregistration.k8s.io/APIService': CONDITIONED,
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': fields({ webhooks: listMap(['name']) }),
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': fields({ webhooks: listMap(['name']) }),
  'autoscaling/HorizontalPodAutoscaler': fields({ status: fields({ conditions: CONDITIONS }) }),
};

/** The body schema of one of Kubernetes' own kinds, as far as merging needs it; undefined for other kinds. */
export function builtInBody(group: string, kind: string): JsonSchema | undefined {
  return BODIES[`${group}/${kind}`];
}
