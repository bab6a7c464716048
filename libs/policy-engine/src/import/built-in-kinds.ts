/** Kinds of Kubernetes by API group and plural. Source: https://kubernetes.io/docs/reference/kubernetes-api/ */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  '': [
    'Binding ConfigMap Endpoints Event LimitRange Namespace Node PersistentVolume PersistentVolumeClaim Pod PodTemplate',
    'ReplicationController ResourceQuota Secret Service ServiceAccount',
  ],
  apps: ['ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet'],
  autoscaling: ['HorizontalPodAutoscaler'],
  batch: ['CronJob Job'],
  'admissionregistration.k8s.io': [
    'MutatingWebhookConfiguration ValidatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding',
    'MutatingAdmissionPolicy MutatingAdmissionPolicyBinding',
  ],
  'apiextensions.k8s.io': ['CustomResourceDefinition'],
  'apiregistration.k8s.io': ['APIService'],
  'certificates.k8s.io': ['CertificateSigningRequest ClusterTrustBundle'],
  'coordination.k8s.io': ['Lease'],
  'discovery.k8s.io': ['EndpointSlice'],
  'events.k8s.io': ['Event'],
  'flowcontrol.apiserver.k8s.io': ['FlowSchema PriorityLevelConfiguration'],
  'gateway.networking.k8s.io': ['Gateway GatewayClass GRPCRoute HTTPRoute ReferenceGrant'],
  'networking.k8s.io': ['Ingress IngressClass IPAddress NetworkPolicy ServiceCIDR'],
  'node.k8s.io': ['RuntimeClass'],
  policy: ['PodDisruptionBudget'],
  'rbac.authorization.k8s.io': ['ClusterRole ClusterRoleBinding Role RoleBinding'],
  'resource.k8s.io': ['DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice'],
  'scheduling.k8s.io': ['PriorityClass'],
  'storage.k8s.io': ['CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment VolumeAttributesClass'],
};

interface KnownKind {
  readonly group: string;
  readonly kind: string;
}

const BY_PLURAL = new Map<string, readonly KnownKind[]>();

for (const [group, lines] of Object.entries(KINDS)) {
  for (const kind of lines.flatMap((line) => line.split(' '))) {
    const plural = pluralOf(kind.toLowerCase());
    BY_PLURAL.set(plural, [...(BY_PLURAL.get(plural) ?? []), { group, kind }]);
  }
}

/** Kinds that a plural stands for, in any group. */
export function kindsOfPlural(plural: string): readonly KnownKind[] {
  return BY_PLURAL.get(plural) ?? [];
}

/** As the API server does it. */
function pluralOf(kind: string): string {
  if (kind === 'endpoints') return kind;
  if (/(s|x|ch|sh)$/.test(kind)) return `${kind}es`;
  return kind.endsWith('y') && !/[aeiou]y$/.test(kind) ? `${kind.slice(0, -1)}ies` : `${kind}s`;
}
