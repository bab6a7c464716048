import { list, map, message, type MessageSchema, one } from './message-schema.js';
import { POD_SPEC, POD_TEMPLATE } from './pod-messages.js';
import { LABEL_SELECTOR, OBJECT_META } from './meta-messages.js';

const metadata = one('metadata', OBJECT_META);

const POLICY_RULE = message({
  1: list('verbs'),
  2: list('apiGroups'),
  3: list('resources'),
  4: list('resourceNames'),
  5: list('nonResourceURLs'),
});

const SUBJECT = message({ 1: one('kind'), 2: one('apiGroup'), 3: one('name'), 4: one('namespace') });
const ROLE_REF = message({ 1: one('apiGroup'), 2: one('kind'), 3: one('name') });
const ROLE_BINDING = message({ 1: metadata, 2: list('subjects', SUBJECT), 3: one('roleRef', ROLE_REF) });

const SERVICE_PORT = message({
  1: one('name'),
  2: one('protocol'),
  3: one('port', 'int'),
  4: one('targetPort', 'intOrString'),
  5: one('nodePort', 'int'),
  6: one('appProtocol'),
});

const SERVICE_SPEC = message({
  1: list('ports', SERVICE_PORT),
  2: map('selector'),
  3: one('clusterIP'),
  4: one('type'),
  5: list('externalIPs'),
  7: one('sessionAffinity'),
  8: one('loadBalancerIP'),
  10: one('externalName'),
});

const INT_OR_STRING_PAIR = message({ 1: one('maxUnavailable', 'intOrString'), 2: one('maxSurge', 'intOrString') });
const STRATEGY = message({ 1: one('type'), 2: one('rollingUpdate', INT_OR_STRING_PAIR) });

const DEPLOYMENT_SPEC = message({
  1: one('replicas', 'int?'),
  2: one('selector', LABEL_SELECTOR),
  3: one('template', POD_TEMPLATE),
  4: one('strategy', STRATEGY),
  5: one('minReadySeconds', 'int'),
  6: one('revisionHistoryLimit', 'int?'),
  7: one('paused', 'bool'),
  9: one('progressDeadlineSeconds', 'int?'),
});

const JOB_SPEC = message({
  1: one('parallelism', 'int?'),
  2: one('completions', 'int?'),
  3: one('activeDeadlineSeconds', 'int?'),
  4: one('selector', LABEL_SELECTOR),
  5: one('manualSelector', 'bool?'),
  6: one('template', POD_TEMPLATE),
  7: one('backoffLimit', 'int?'),
  8: one('ttlSecondsAfterFinished', 'int?'),
});

const CRON_JOB_SPEC = message({
  1: one('schedule'),
  2: one('startingDeadlineSeconds', 'int?'),
  3: one('concurrencyPolicy'),
  4: one('suspend', 'bool?'),
  5: one('jobTemplate', message({ 1: metadata, 2: one('spec', JOB_SPEC) })),
  6: one('successfulJobsHistoryLimit', 'int?'),
  7: one('failedJobsHistoryLimit', 'int?'),
});

/** Of an object that does not exist yet: nothing but zeros. */
const UNSET_STATUS = message({});

const NAMESPACE_SPEC = message({ 1: list('finalizers') });
const ROLE = message({ 1: metadata, 2: list('rules', POLICY_RULE) });

/**
 * Objects that `kubectl create` sends as protobuf since 1.32.
 * Source: the generated.proto files of https://github.com/kubernetes/api
 */
export const MESSAGES: Readonly<Record<string, MessageSchema>> = {
  'v1/Namespace': message({
    1: metadata,
    2: one('spec', NAMESPACE_SPEC),
    3: one('status', message({ 1: one('phase') })),
  }),
  'v1/ConfigMap': message({ 1: metadata, 2: map('data'), 3: map('binaryData', 'bytes'), 4: one('immutable', 'bool?') }),
  'v1/Secret': message({
    1: metadata,
    2: map('data', 'bytes'),
    3: one('type'),
    4: map('stringData'),
    5: one('immutable', 'bool?'),
  }),
  'v1/ServiceAccount': message({ 1: metadata, 4: one('automountServiceAccountToken', 'bool?') }),
  'v1/Service': message({
    1: metadata,
    2: one('spec', SERVICE_SPEC),
    3: one('status', message({ 1: one('loadBalancer', message({})) })),
  }),
  'v1/Pod': message({ 1: metadata, 2: one('spec', POD_SPEC) }),
  'v1/ResourceQuota': message({
    1: metadata,
    2: one('spec', message({ 1: map('hard', 'quantity'), 2: list('scopes') })),
  }),
  'apps/v1/Deployment': message({ 1: metadata, 2: one('spec', DEPLOYMENT_SPEC), 3: one('status', UNSET_STATUS) }),
  'batch/v1/Job': message({ 1: metadata, 2: one('spec', JOB_SPEC), 3: one('status', UNSET_STATUS) }),
  'batch/v1/CronJob': message({ 1: metadata, 2: one('spec', CRON_JOB_SPEC) }),
  'rbac.authorization.k8s.io/v1/Role': ROLE,
  'rbac.authorization.k8s.io/v1/ClusterRole': ROLE,
  'rbac.authorization.k8s.io/v1/RoleBinding': ROLE_BINDING,
  'rbac.authorization.k8s.io/v1/ClusterRoleBinding': ROLE_BINDING,
};
