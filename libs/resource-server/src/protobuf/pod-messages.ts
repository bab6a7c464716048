import { list, map, message, one } from './message-schema.js';
import { OBJECT_META } from './meta-messages.js';

const CONTAINER_PORT = message({
  1: one('name'),
  2: one('hostPort', 'int'),
  3: one('containerPort', 'int'),
  4: one('protocol'),
  5: one('hostIP'),
});

const RESOURCES = message({ 1: map('limits', 'quantity'), 2: map('requests', 'quantity') });
const ENVIRONMENT = message({ 1: one('name'), 2: one('value') });
const VOLUME_MOUNT = message({
  1: one('name'),
  2: one('readOnly', 'bool'),
  3: one('mountPath'),
  4: one('subPath'),
});

const CONTAINER = message({
  1: one('name'),
  2: one('image'),
  3: list('command'),
  4: list('args'),
  5: one('workingDir'),
  6: list('ports', CONTAINER_PORT),
  7: list('env', ENVIRONMENT),
  8: one('resources', RESOURCES),
  9: list('volumeMounts', VOLUME_MOUNT),
  13: one('terminationMessagePath'),
  14: one('imagePullPolicy'),
  16: one('stdin', 'bool'),
  17: one('stdinOnce', 'bool'),
  18: one('tty', 'bool'),
  20: one('terminationMessagePolicy'),
});

/** What clients state of a pod without files of their own; volumes and the like are sent as JSON. */
export const POD_SPEC = message({
  2: list('containers', CONTAINER),
  3: one('restartPolicy'),
  4: one('terminationGracePeriodSeconds', 'int?'),
  5: one('activeDeadlineSeconds', 'int?'),
  6: one('dnsPolicy'),
  7: map('nodeSelector'),
  8: one('serviceAccountName'),
  9: one('serviceAccount'),
  10: one('nodeName'),
  11: one('hostNetwork', 'bool'),
  12: one('hostPID', 'bool'),
  13: one('hostIPC', 'bool'),
  14: one('securityContext', message({})),
  16: one('hostname'),
  17: one('subdomain'),
  19: one('schedulerName'),
  20: list('initContainers', CONTAINER),
  24: one('priorityClassName'),
});

export const POD_TEMPLATE = message({ 1: one('metadata', OBJECT_META), 2: one('spec', POD_SPEC) });
