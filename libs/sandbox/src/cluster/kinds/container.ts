import { z } from 'zod';
import { anyObject, intOrString, keyed, quantities } from './fields.js';

const envVariable = z.strictObject({
  name: z.string().min(1),
  value: z.string().optional(),
  valueFrom: z
    .strictObject({
      fieldRef: anyObject.optional(),
      resourceFieldRef: anyObject.optional(),
      configMapKeyRef: anyObject.optional(),
      secretKeyRef: anyObject.optional(),
      fileKeyRef: anyObject.optional(),
    })
    .optional(),
});

const containerPort = z.strictObject({
  name: z.string().optional(),
  containerPort: z.int().min(1).max(65_535),
  hostPort: z.int().min(0).max(65_535).optional(),
  hostIP: z.string().optional(),
  protocol: z.enum(['TCP', 'UDP', 'SCTP']).default('TCP'),
});

const volumeMount = z.strictObject({
  name: z.string().min(1),
  mountPath: z.string().min(1),
  readOnly: z.boolean().optional(),
  recursiveReadOnly: z.string().optional(),
  subPath: z.string().optional(),
  subPathExpr: z.string().optional(),
  mountPropagation: z.string().optional(),
});

const action = {
  exec: z.strictObject({ command: z.array(z.string()).optional() }).optional(),
  httpGet: z
    .strictObject({
      path: z.string().default('/'),
      port: intOrString,
      host: z.string().optional(),
      scheme: z.enum(['HTTP', 'HTTPS']).default('HTTP'),
      httpHeaders: z.array(anyObject).optional(),
    })
    .optional(),
  tcpSocket: z.strictObject({ port: intOrString, host: z.string().optional() }).optional(),
};

const probe = z.strictObject({
  ...action,
  grpc: anyObject.optional(),
  initialDelaySeconds: z.int().min(0).optional(),
  timeoutSeconds: z.int().min(1).default(1),
  periodSeconds: z.int().min(1).default(10),
  successThreshold: z.int().min(1).default(1),
  failureThreshold: z.int().min(1).default(3),
  terminationGracePeriodSeconds: z.int().min(1).optional(),
});

const handler = z.strictObject({ ...action, sleep: anyObject.optional() });

const resources = z.strictObject({
  limits: quantities.optional(),
  requests: quantities.optional(),
  claims: z.array(anyObject).optional(),
});

/** A container of a pod. Source: https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#Container */
export const container = z.strictObject({
  name: z
    .string()
    .max(63)
    .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'must be a DNS label: lower-case letters, digits and "-"'),
  image: z.string().min(1, 'Required value'),
  command: z.array(z.string()).optional(),
  args: z.array(z.string()).optional(),
  workingDir: z.string().optional(),
  ports: z.array(containerPort).meta(keyed('containerPort', 'protocol')).optional(),
  env: z.array(envVariable).meta(keyed('name')).optional(),
  envFrom: z.array(anyObject).optional(),
  resources: resources.prefault({}),
  resizePolicy: z.array(anyObject).optional(),
  restartPolicy: z.string().optional(),
  restartPolicyRules: z.array(anyObject).optional(),
  volumeMounts: z.array(volumeMount).meta(keyed('mountPath')).optional(),
  volumeDevices: z.array(anyObject).optional(),
  livenessProbe: probe.optional(),
  readinessProbe: probe.optional(),
  startupProbe: probe.optional(),
  lifecycle: z
    .strictObject({ postStart: handler.optional(), preStop: handler.optional(), stopSignal: z.string().optional() })
    .optional(),
  terminationMessagePath: z.string().default('/dev/termination-log'),
  terminationMessagePolicy: z.enum(['File', 'FallbackToLogsOnError']).default('File'),
  imagePullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']).optional(),
  securityContext: anyObject.optional(),
  stdin: z.boolean().optional(),
  stdinOnce: z.boolean().optional(),
  tty: z.boolean().optional(),
});

export type Container = z.output<typeof container>;
