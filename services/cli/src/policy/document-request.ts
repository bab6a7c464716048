import {
  CLUSTER,
  withoutUndefined,
  type PolicyOperation,
  type PolicyReviewRequest,
  type PolicyStage,
  type PolicySubject,
} from '@crate/api';
import { badRequest } from '@crate/errors';
import { statedEngine } from '@crate/policy-engine';
import { z } from 'zod';
import { withDefaults, type Schema } from './schema-defaults.js';
import { mappingOf } from './yaml-files.js';

type Json = Readonly<Record<string, unknown>>;

/** What a person says of a document, over what it says itself. */
export interface Circumstances {
  readonly stage?: PolicyStage | undefined;
  readonly operation?: PolicyOperation | undefined;
  readonly subject?: { readonly [member in keyof PolicySubject]?: PolicySubject[member] | undefined } | undefined;
  readonly oldDocument?: unknown;
}

/** Members that configurations of engines begin with. RKE: `cluster.yml`; RKE2: `config.yaml`. */
const RKE_MEMBERS = ['nodes', 'services', 'rke', 'kubernetes_version', 'cluster_name', 'authentication'];
const RKE2_MEMBERS = [
  'kube-apiserver-arg',
  'kubelet-arg',
  'cni',
  'profile',
  'token-file',
  'write-kubeconfig-mode',
  'etcd-arg',
];

/** The Project when nobody names one. */
const NO_PROJECT = 'default';

/** The question that a document stands for. Throws BadRequest when it cannot be told what kind of document it is. */
export function requestFor(given: unknown, circumstances: Circumstances = {}): PolicyReviewRequest {
  const stage = circumstances.stage ?? stageOf(given);
  const document = stage === 'ClusterSpec' ? asStored(given) : given;
  const { oldDocument, operation = oldDocument === undefined ? 'CREATE' : 'UPDATE' } = circumstances;
  return {
    stage,
    operation,
    document,
    ...(oldDocument === undefined
      ? {}
      : { oldDocument: stage === 'ClusterSpec' ? asStored(oldDocument) : oldDocument }),
    subject: subjectOf(document, stage, circumstances.subject ?? {}),
  };
}

/** What kind of document it is, by what it looks like. Throws BadRequest when that says nothing. */
export function stageOf(value: unknown): PolicyStage {
  const document = mappingOf(value) ?? {};
  const { apiVersion, kind } = document;
  if (typeof apiVersion === 'string' && typeof kind === 'string')
    return kind === CLUSTER.kind && apiVersion.startsWith(`${CLUSTER.group}/`) ? 'ClusterSpec' : 'Manifest';
  if ('resource_changes' in document || 'planned_values' in document) return 'TerraformPlan';
  if ([...RKE_MEMBERS, ...RKE2_MEMBERS].some((member) => member in document)) return 'EngineConfig';
  throw badRequest('Cannot tell what the document is: say so with --stage (of a test: stage)');
}

/** With the defaults that the API fills in before rules see it, as far as they can be: it may be one that the API would refuse. */
function asStored(value: unknown): unknown {
  const document = mappingOf(value);
  const parsed = CLUSTER.body.safeParse({ spec: document?.['spec'] });
  if (parsed.success) return { ...document, spec: (parsed.data as { readonly spec: unknown }).spec };
  return withDefaults(value, z.toJSONSchema(CLUSTER.body, { io: 'input', unrepresentable: 'any' }) as Schema);
}

/** What the API would refuse a Cluster for before it asks any rule; none for other documents. */
export function mistakesOfDocument({ stage, document }: PolicyReviewRequest): readonly string[] {
  if (stage !== 'ClusterSpec') return [];
  const { error } = CLUSTER.body.safeParse({ spec: mappingOf(document)?.['spec'] });
  return (error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
}

function subjectOf(value: unknown, stage: PolicyStage, said: NonNullable<Circumstances['subject']>): PolicySubject {
  const document = mappingOf(value) ?? {};
  const metadata = mappingOf(document['metadata']) ?? {};
  const own = stage === 'ClusterSpec' ? textOf(metadata['namespace']) : undefined;
  const engine = said.engine ?? (stage === 'EngineConfig' ? engineOf(document) : statedEngine(stage, value));
  const stated = { ...said, ...(engine === undefined ? {} : { engine }) };
  const name = textOf(metadata['name']) ?? textOf(document['cluster_name']) ?? '';
  return { namespace: own ?? NO_PROJECT, name, ...withoutUndefined(stated) };
}

function engineOf(document: Json): string {
  return RKE_MEMBERS.some((member) => member in document) ? 'rke' : 'rke2';
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
