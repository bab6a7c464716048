import type { PolicyReviewRequest, PolicyReviewResponse, PolicyViolation } from '@crate/api';
import { badRequest } from '@crate/errors';
import { z } from 'zod';

/** kubectl cuts longer ones off. Source: https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#response */
const WARNING_LENGTH = 256;

const OPERATIONS = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'] as const;

const objects = z.record(z.string(), z.unknown()).nullish();

const reviewSchema = z.object({
  apiVersion: z.literal('admission.k8s.io/v1'),
  kind: z.literal('AdmissionReview'),
  request: z.object({
    uid: z.string().min(1),
    kind: z.object({ group: z.string(), version: z.string(), kind: z.string() }),
    subResource: z.string().optional(),
    name: z.string().optional(),
    namespace: z.string().optional(),
    operation: z.enum(OPERATIONS),
    userInfo: z.object({ username: z.string().optional(), groups: z.array(z.string()).nullish() }).optional(),
    object: objects,
    oldObject: objects,
    dryRun: z.boolean().nullish(),
  }),
});

/** What an API server asks. Source: https://kubernetes.io/docs/reference/config-api/apiserver-admission.v1/ */
export type AdmissionRequest = z.output<typeof reviewSchema>['request'];

/** Which cluster asks, as the address says that it was given. */
export interface AskingCluster {
  readonly project: string;
  readonly cluster: string;
}

/** Throws BadRequest, naming every bad field. */
export function parseAdmissionReview(body: unknown): AdmissionRequest {
  const result = reviewSchema.safeParse(body);
  if (result.success) return result.data.request;
  const issues = result.error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`);
  throw badRequest(`Not an AdmissionReview of admission.k8s.io/v1: ${issues.join(', ')}`);
}

/** What rules are asked; undefined where there is no object to judge: a connection, or a subresource such as `scale`. */
export function reviewOf(
  { kind, name, namespace, operation, userInfo, subResource, ...request }: AdmissionRequest,
  { project, cluster }: AskingCluster,
): PolicyReviewRequest | undefined {
  const { object, oldObject, dryRun } = request;
  const document = object ?? oldObject;
  if (operation === 'CONNECT' || !document || isForeign(subResource)) return undefined;
  return {
    stage: kind.group === 'lifecycle.crate.dev' && kind.kind === 'Cluster' ? 'ClusterSpec' : 'Manifest',
    operation,
    document: named(document, namespace),
    ...(oldObject ? { oldDocument: named(oldObject, namespace) } : {}),
    subject: { namespace: project, name: name ?? nameOf(document), kind, cluster },
    userInfo: whoOf(userInfo),
    dryRun: dryRun ?? false,
  };
}

function whoOf({ username = '', groups }: NonNullable<AdmissionRequest['userInfo']> = {}): {
  readonly username: string;
  readonly groups: readonly string[];
} {
  return { username, groups: groups ?? [] };
}

/** Ephemeral containers come as a subresource whose object is the whole Pod. */
function isForeign(subResource: string | undefined): boolean {
  return subResource !== undefined && subResource !== '' && subResource !== 'ephemeralcontainers';
}

/** A new object may leave its namespace to the address that it was sent to. */
function named(
  object: Readonly<Record<string, unknown>>,
  namespace: string | undefined,
): Readonly<Record<string, unknown>> {
  const metadata = (object['metadata'] ?? {}) as Readonly<Record<string, unknown>>;
  if (!namespace || metadata['namespace'] !== undefined) return object;
  return { ...object, metadata: { ...metadata, namespace } };
}

function nameOf(object: Readonly<Record<string, unknown>>): string {
  const { name, generateName } = (object['metadata'] ?? {}) as Readonly<Record<string, unknown>>;
  const stated = name ?? generateName;
  return typeof stated === 'string' ? stated : '';
}

/** The answer that an API server understands. */
export function admissionReview(uid: string, verdict: PolicyReviewResponse): Readonly<Record<string, unknown>> {
  const denials = verdict.violations.filter(({ effect }) => effect === 'deny');
  const warnings = verdict.violations.filter(({ effect }) => effect !== 'deny').map(warningOf);
  const response = {
    uid,
    allowed: verdict.allowed,
    ...(denials.length > 0 ? { status: refusal(denials) } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
    ...annotationsOf(verdict),
  };
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response };
}

function refusal(denials: readonly PolicyViolation[]): Readonly<Record<string, unknown>> {
  const causes = denials.map(({ policy, level, field, message, remedy }) => ({
    reason: 'PolicyViolation',
    field,
    message: `${message} (policy ${policy}, level ${level}): ${remedy}`,
  }));
  const message = `denied by policy: ${causes.map((cause) => `${cause.field}: ${cause.message}`).join('; ')}`;
  return { status: 'Failure', reason: 'Forbidden', code: 403, message, details: { causes } };
}

function warningOf({ policy, field, message, remedy }: PolicyViolation): string {
  const text = `${policy}: ${field}: ${message}: ${remedy}`.replace(/\s+/g, ' ');
  return text.length > WARNING_LENGTH ? `${text.slice(0, WARNING_LENGTH - 1)}…` : text;
}

/** What nobody is told stands in the cluster's audit log. */
function annotationsOf({ recorded = [] }: PolicyReviewResponse): Readonly<Record<string, unknown>> {
  if (recorded.length === 0) return {};
  const policies = [...new Set(recorded.map(({ policy }) => policy))];
  return { auditAnnotations: { 'recorded-violations': policies.join(',') } };
}
