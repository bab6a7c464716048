import { invariant } from '@crate/errors';
import { z } from 'zod';

const selector = z.looseObject({
  matchLabels: z.record(z.string(), z.string()).optional(),
  matchExpressions: z
    .array(z.object({ key: z.string(), operator: z.string(), values: z.array(z.string()).optional() }))
    .optional(),
});

const resourceRule = z.looseObject({
  apiGroups: z.array(z.string()).default(['*']),
  resources: z.array(z.string()).default(['*']),
  operations: z.array(z.enum(['CREATE', 'UPDATE', 'DELETE', 'CONNECT', '*'])).default(['*']),
  resourceNames: z.array(z.string()).default([]),
});

const matchResources = z.looseObject({
  resourceRules: z.array(resourceRule).default([]),
  excludeResourceRules: z.array(resourceRule).default([]),
  namespaceSelector: selector.optional(),
  objectSelector: selector.optional(),
});

const named = z.looseObject({ name: z.string(), expression: z.string() });

const metadata = z.looseObject({
  name: z.string(),
  namespace: z.string().optional(),
  labels: z.record(z.string(), z.string()).optional(),
  annotations: z.record(z.string(), z.string()).optional(),
});

/** Source of both shapes: https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/ */
const admissionPolicy = z.looseObject({
  metadata,
  spec: z.looseObject({
    paramKind: z.object({ apiVersion: z.string(), kind: z.string() }).optional(),
    matchConstraints: matchResources.prefault({}),
    matchConditions: z.array(named).default([]),
    variables: z.array(named).default([]),
    validations: z
      .array(
        z.looseObject({
          expression: z.string(),
          message: z.string().optional(),
          messageExpression: z.string().optional(),
        }),
      )
      .default([]),
    auditAnnotations: z.array(z.looseObject({ key: z.string(), valueExpression: z.string() })).default([]),
    failurePolicy: z.enum(['Fail', 'Ignore']).default('Fail'),
  }),
});

const admissionBinding = z.looseObject({
  metadata,
  spec: z.looseObject({
    policyName: z.string(),
    paramRef: z
      .looseObject({ name: z.string().optional(), namespace: z.string().optional(), selector: selector.optional() })
      .optional(),
    validationActions: z.array(z.enum(['Deny', 'Warn', 'Audit'])).default([]),
    matchResources: matchResources.optional(),
  }),
});

export type AdmissionPolicy = z.output<typeof admissionPolicy>;
export type AdmissionBinding = z.output<typeof admissionBinding>;
export type MatchResources = z.output<typeof matchResources>;
export type Selector = z.output<typeof selector>;

type Json = Readonly<Record<string, unknown>>;

/** What a set of documents has of admission policies; `others` may be their params. */
export interface AdmissionDocuments {
  readonly policies: readonly AdmissionPolicy[];
  readonly bindings: readonly AdmissionBinding[];
  readonly others: readonly Json[];
}

/** Sorts documents, items of lists included. Throws Invariant that names every malformed field. */
export function admissionDocumentsIn(documents: readonly unknown[]): AdmissionDocuments {
  const objects = documents.flatMap(itemsOf);
  const ofKind = (kind: string): readonly Json[] => objects.filter((object) => object['kind'] === kind);
  return {
    policies: ofKind('ValidatingAdmissionPolicy').map((object) => parsed(admissionPolicy, object)),
    bindings: ofKind('ValidatingAdmissionPolicyBinding').map((object) => parsed(admissionBinding, object)),
    others: objects.filter(({ kind }) => !String(kind).startsWith('ValidatingAdmissionPolicy')),
  };
}

function itemsOf(document: unknown): readonly Json[] {
  if (typeof document !== 'object' || document === null) return [];
  const { kind, items } = document as { readonly kind?: unknown; readonly items?: unknown };
  return String(kind).endsWith('List') && Array.isArray(items) ? items.flatMap(itemsOf) : [document as Json];
}

function parsed<T>(schema: z.ZodType<T>, object: Json): T {
  const result = schema.safeParse(object);
  if (result.success) return result.data;
  const { name = 'without a name' } = (object['metadata'] ?? {}) as { readonly name?: string };
  const causes = result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw invariant(`${String(object['kind'])} ${name} is malformed: ${causes.join('; ')}`, result.error);
}
