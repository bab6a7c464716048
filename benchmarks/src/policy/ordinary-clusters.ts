import type { PolicyReviewRequest } from '@crate/api';
import { GOOD_CLUSTER } from '@crate/policy-engine';

type Json = Readonly<Record<string, unknown>>;

const REGIONS = ['us-east-1', 'us-west-2', 'eu-central-1', 'eu-west-1'];
const MACHINES = ['m5.large', 'm5.xlarge', 'm5.2xlarge', 'r5.xlarge'];

/** So many questions about clusters as people change them, the same again whenever they are asked for: lifecycle asks like this. */
export function clusterReviews(count: number): readonly PolicyReviewRequest[] {
  return Array.from({ length: count }, (_, index) => {
    const name = `cluster-${index}`;
    const document = clusterOf(name, index, 2 + (index % 5));
    const subject = { namespace: 'team-a', name, cluster: name, provider: 'aws', engine: 'rke' };
    const oldDocument = clusterOf(name, index, 2);
    const userInfo = { username: 'ada', groups: ['team-a'] };
    return { stage: 'ClusterSpec', operation: 'UPDATE', document, oldDocument, subject, userInfo };
  });
}

/** The same about a cluster whose etcd could not tell a majority. */
export const BROKEN_REVIEW: PolicyReviewRequest = {
  stage: 'ClusterSpec',
  operation: 'UPDATE',
  document: {
    ...GOOD_CLUSTER,
    spec: { ...(GOOD_CLUSTER['spec'] as Json), controlPlane: { replicas: 2, machineType: 'm5.large', diskGiB: 50 } },
  },
  subject: { namespace: 'team-a', name: 'demo', cluster: 'demo', provider: 'aws', engine: 'rke' },
};

function clusterOf(name: string, index: number, workers: number): Json {
  const { metadata, spec } = GOOD_CLUSTER as Readonly<Record<'metadata' | 'spec', Json>>;
  const pool = (pools: number): Json => ({
    name: `workers-${pools}`,
    replicas: workers,
    machineType: MACHINES[(index + pools) % MACHINES.length],
    diskGiB: 50 + 10 * (index % 5),
    labels: { tier: `tier-${pools}` },
  });
  const nodePools = Array.from({ length: 1 + (index % 3) }, (_, pools) => pool(pools));
  const region = REGIONS[index % REGIONS.length];
  return { ...GOOD_CLUSTER, metadata: { ...metadata, name }, spec: { ...spec, region, nodePools } };
}
