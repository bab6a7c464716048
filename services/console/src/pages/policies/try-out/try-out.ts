import type { Cluster, Policy, PolicyImpact, PolicyImpactReview, PolicyStage } from '@crate/api';
import { stringify } from 'yaml';
import { ApiError, type Cause } from '../../../api/api-error.js';
import { apiFetch, apiJson } from '../../../api/http.js';
import { collectionPath, KINDS, objectPath } from '../../../api/paths.js';
import { warningsOf } from '../../../api/warnings.js';
import { documentOf } from '../../../components/yaml-editor/document-of.js';

const APPLY_PATCH = 'application/apply-patch+yaml';

type Document = Readonly<Record<string, unknown>>;

/** What the platform says of a document that was not written. */
export interface DocumentVerdict {
  readonly warnings: readonly string[];
  /** Why it would not be taken; absent: it would. */
  readonly refusal?: { readonly message: string; readonly causes: readonly Cause[] };
}

const CLUSTER: Document = {
  apiVersion: `${KINDS.cluster.group}/${KINDS.cluster.version}`,
  kind: KINDS.cluster.kind,
  metadata: { name: 'try-out' },
  spec: {
    accountRef: { name: 'sandbox' },
    region: 'us-east-1',
    kubernetes: { version: 'v1.31.4' },
    controlPlane: { replicas: 1 },
    nodePools: [{ name: 'workers', replicas: 2, machineType: 'm5.large' }],
  },
};

/** A cluster to begin with: as one that the Project has, for rules fire for nothing that is not whole. Pure. */
export function exampleCluster(own: Cluster | undefined): string {
  if (!own) return stringify(CLUSTER);
  const { labels } = own.metadata;
  const metadata = { name: 'try-out', ...(labels === undefined ? {} : { labels }) };
  return stringify({ ...CLUSTER, metadata, spec: own.spec });
}

/** Documents to begin with where a rule has no example. */
export const BEGINNINGS: Readonly<Record<PolicyStage, Document>> = {
  ClusterSpec: CLUSTER,
  TerraformPlan: { resource_changes: [] },
  EngineConfig: { services: {} },
  Manifest: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'try-out' }, spec: { containers: [] } },
};

/** A rule to begin with. */
export const EXAMPLE_RULE = stringify({
  metadata: { name: 'only-frankfurt' },
  spec: {
    title: 'Clusters are in Frankfurt',
    level: 'must',
    match: { stages: ['ClusterSpec'] },
    validations: [{ expression: "object.spec.region == 'eu-central-1'", field: 'spec.region' }],
    remedy: 'Use eu-central-1',
  },
});

/** What people edit of a rule. Pure. */
export function ruleText({ metadata, spec }: Policy): string {
  return stringify({ metadata: { name: metadata.name }, spec });
}

/**
 * Has a cluster judged as if it were written, whether or not there is one of its name. Throws ApiError when nobody judged, and Error
 * when the text is no YAML.
 */
export async function judgeDocument(project: string, text: string): Promise<DocumentVerdict> {
  const document = documentOf(text);
  const stated = document['metadata'] as { readonly name?: string } | undefined;
  const metadata = { ...stated, namespace: project };
  const name = stated?.name ?? '';
  const path = objectPath(KINDS.cluster, name, project);
  try {
    const { headers } = await apiFetch(`${path}?dryRun=All&force=true&fieldManager=crate-console-try`, {
      method: 'PATCH',
      contentType: APPLY_PATCH,
      body: { ...document, metadata },
    });
    return { warnings: warningsOf(headers) };
  } catch (error) {
    if (!(error instanceof ApiError) || !isVerdict(error)) throw error;
    return { warnings: [], refusal: error };
  }
}

/** What a rule would change for all that is there; `isRemoval`: what taking it away would. Throws ApiError, and Error for no YAML. */
export async function judgeRule(text: string, { isRemoval = false } = {}): Promise<PolicyImpact> {
  const { metadata, spec } = documentOf(text) as { metadata?: { name?: string }; spec?: unknown };
  const { group, version, kind } = KINDS.policyImpactReview;
  const { status } = await apiJson<PolicyImpactReview>(collectionPath(KINDS.policyImpactReview), {
    method: 'POST',
    body: {
      apiVersion: `${group}/${version}`,
      kind,
      metadata: { name: 'question' },
      spec: {
        ...(metadata?.name === undefined ? {} : { name: metadata.name }),
        ...(isRemoval ? {} : { policy: spec }),
      },
    },
  });
  if (!status) throw new ApiError(500, 'NoAnswer', 'The review came back without a status');
  return status;
}

/** A rule names what it objects to; who may not write clusters at all is told no cause. */
function isVerdict({ status, causes }: ApiError): boolean {
  return status === 422 || (status === 403 && causes.length > 0);
}
