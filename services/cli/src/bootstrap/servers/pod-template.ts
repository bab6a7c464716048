import type { ServerImage } from './server-images.js';

/** What pods of both servers have in common: they may run where the Pod Security Standard `restricted` is enforced. */
export interface ServerPod extends ServerImage {
  readonly name: string;
  /** User and group of the image. */
  readonly user: number;
  readonly args: readonly string[];
  readonly env: readonly object[];
  readonly ports: Readonly<Record<string, number>>;
  readonly resources: object;
  readonly mounts: Readonly<Record<string, string>>;
  readonly volumes: readonly object[];
  readonly graceSeconds: number;
  readonly labels: Readonly<Record<string, string>>;
}

/** Container and pod of a server, which is asked over TCP whether it is there. */
export function podTemplate(pod: ServerPod): object {
  const { name, image, args, env, ports, resources, mounts, labels, user } = pod;
  const [port] = Object.keys(ports);
  const probe = { tcpSocket: { port }, periodSeconds: 5, timeoutSeconds: 5 };
  const container = {
    ...{ name, image, args, env, resources },
    ports: Object.entries(ports).map(([named, containerPort]) => ({ name: named, containerPort })),
    securityContext: {
      ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
      capabilities: { drop: ['ALL'] },
    },
    // A database that reads its log after a crash may take long for it.
    startupProbe: { ...probe, failureThreshold: 240 },
    readinessProbe: probe,
    livenessProbe: { ...probe, periodSeconds: 20, failureThreshold: 6 },
    volumeMounts: Object.entries(mounts).map(([volume, mountPath]) => ({ name: volume, mountPath })),
  };
  const podSpec = {
    ...{ automountServiceAccountToken: false, enableServiceLinks: false },
    terminationGracePeriodSeconds: pod.graceSeconds,
    securityContext: {
      ...{ runAsNonRoot: true, runAsUser: user, runAsGroup: user, fsGroup: user },
      fsGroupChangePolicy: 'OnRootMismatch',
      seccompProfile: { type: 'RuntimeDefault' },
    },
    ...(pod.pullSecrets.length > 0 ? { imagePullSecrets: pod.pullSecrets } : {}),
    affinity: apart(labels),
    containers: [container],
    volumes: pod.volumes,
  };
  return { metadata: { labels: { ...labels, 'app.kubernetes.io/part-of': 'crate' } }, spec: podSpec };
}

/** On machines of their own as far as there are enough. */
function apart(matchLabels: Readonly<Record<string, string>>): object {
  const podAffinityTerm = { labelSelector: { matchLabels }, topologyKey: 'kubernetes.io/hostname' };
  const preferredDuringSchedulingIgnoredDuringExecution = [{ weight: 100, podAffinityTerm }];
  return { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution } };
}
