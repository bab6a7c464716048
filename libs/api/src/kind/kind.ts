import { planJsonSchema } from '../cloud/plan.js';
import { driftReportJsonSchema } from '../cloud/drift.js';
import { z } from 'zod';
import { formatApiVersion, type KubeObject, type Resource } from '../object/object.js';

/** A column of `kubectl get`. `jsonPath` is the simple dotted form (`.status.phase`, `.status.conditions[?(@.type=="Ready")].status`). */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean' | 'date';
  readonly jsonPath: string;
  /** Looked at where there is nothing at the first. */
  readonly otherwise?: string;
  readonly description?: string;
  /** 0 shows always; above 0 only with `-o wide`. */
  readonly priority?: number;
}

/** What can be done to objects of a kind. Source: https://kubernetes.io/docs/reference/using-api/api-concepts/ */
export type ResourceVerb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

/** A subresource beyond `status`. */
export interface SubresourceDefinition {
  readonly name: string;
  readonly verbs: readonly ('create' | 'get' | 'patch' | 'update')[];
  /** Text that grows, such as a run log: `get` may follow it. */
  readonly isLog?: boolean;
  /** Holds a secret: reading it is audited, and needs more than the right to read the object. */
  readonly isSecret?: boolean;
  /** A sentence for the API reference. */
  readonly description?: string;
  /** Query parameters that `get` takes; others do not reach the owner. */
  readonly parameters?: readonly SubresourceParameter[];
  /** What `get` answers. Absent: text for a log, else any object. */
  readonly answers?: SubresourceContent;
  /** What a write takes and answers. Absent: any object. */
  readonly takes?: SubresourceContent;
  readonly gives?: SubresourceContent;
}

/** A query parameter of a subresource. */
export interface SubresourceParameter {
  readonly name: string;
  /** A sentence for the API reference. */
  readonly description: string;
  /** Absent: any text. */
  readonly values?: readonly string[];
}

/** What is sent in one direction, for the API reference. */
export interface SubresourceContent {
  /** Such as `text/csv`; `application/json`: a document, in JSON and in YAML. */
  readonly mediaType: string;
  /** JSON schema. Absent: anything. */
  readonly schema?: Readonly<Record<string, unknown>>;
  readonly example?: unknown;
}

/** Everything a server needs to serve one kind, and a client to speak of it. */
export interface KindDefinition<T extends KubeObject = KubeObject> {
  /** API group, empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly description: string;
  /** Validates and defaults the object without `apiVersion`, `kind` and `metadata`. */
  readonly body: z.ZodType;
  readonly printerColumns: readonly PrinterColumn[];
  /** Whether writes to the main resource ignore `status` and a `/status` subresource exists. */
  readonly hasStatus: boolean;
  /** JSON paths usable in field selectors besides `metadata.name` and `metadata.namespace`. */
  readonly selectableFields: readonly string[];
  /** Subresources beyond `status`, such as `kubeconfig` and `scale`. */
  readonly subresources: readonly SubresourceDefinition[];
  /** Absent: all. */
  readonly verbs?: readonly ResourceVerb[];
  /** What to do in place of a verb that is not offered; told to whoever tries. */
  readonly instead?: string;
  /** Fields of the spec that a stored object always has, but a document may leave to defaults of its Project or class. */
  readonly filledIn?: readonly string[];
  /**
   * The field of the spec that shows which secrets are stored, of those that are `writeOnly`. It belongs to who applies any: whoever
   * compares by what is its own, as Argo CD does, then sees that its document states others.
   */
  readonly secretsShownAs?: string;
  /** An object's body as a person writes it, for the API reference; valid by `body`. */
  readonly example?: Readonly<Record<string, unknown>>;
  /** Never present; carries the object type for inference. */
  readonly objectType?: T;
}

/** What sets a kind apart from others; fields that `KindDefinition` has too mean the same. An absent list is empty, absent `verbs` are all. */
export interface KindOptions<S extends z.ZodType, T extends z.ZodType> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly namespaced: boolean;
  readonly description: string;
  readonly spec: S;
  readonly status: T;
  readonly printerColumns?: readonly PrinterColumn[];
  readonly selectableFields?: readonly string[];
  readonly subresources?: readonly SubresourceDefinition[];
  readonly verbs?: readonly ResourceVerb[];
  readonly instead?: string;
  readonly filledIn?: readonly (keyof z.input<S> & string)[];
  readonly secretsShownAs?: keyof z.output<S> & string;
  /** A spec as a person writes it, for the API reference. */
  readonly example?: z.input<S>;
}

/** The subresource that reads and sets a number of replicas (autoscaling/v1 Scale). */
export const SCALE_SUBRESOURCE: SubresourceDefinition = {
  name: 'scale',
  verbs: ['get', 'patch', 'update'],
  description: 'The number of replicas, as every workload has it.',
};

/** How long a kubeconfig that is handed out may be good for: ten minutes to a year, a day unless it is asked for. */
export const KUBECONFIG_SECONDS = { least: 600, default: 86_400, most: 365 * 86_400 } as const;

/** Credentials for a cluster. */
export const KUBECONFIG_SUBRESOURCE: SubresourceDefinition = {
  name: 'kubeconfig',
  verbs: ['get'],
  isSecret: true,
  description:
    'Credentials for the cluster, as a kubeconfig file: a client certificate for who asks, which is kept nowhere and ends after `expirationSeconds` (600 to 31536000; a day unless it says another).',
  parameters: [
    {
      name: 'expirationSeconds',
      description: `After how many seconds the certificate ends, at the latest with the authority of the cluster: ${KUBECONFIG_SECONDS.least} to ${KUBECONFIG_SECONDS.most}; default ${KUBECONFIG_SECONDS.default}`,
    },
  ],
  answers: {
    mediaType: 'application/json',
    schema: {
      type: 'object',
      required: ['apiVersion', 'kind'],
      properties: { apiVersion: { type: 'string' }, kind: { type: 'string', enum: ['Config'] } },
      'x-kubernetes-preserve-unknown-fields': true,
    },
    example: { apiVersion: 'v1', kind: 'Config' },
  },
};

/** The log of the runs that made an object what it is. */
export const LOGS_SUBRESOURCE: SubresourceDefinition = {
  name: 'logs',
  verbs: ['get'],
  isLog: true,
  description:
    'What the runs that made the object what it is have printed. `follow=true` goes on until the work is done; `tailLines`, `sinceTime`, `sinceSeconds` and `timestamps` are as for Pods.',
};

/** Of content that the door also writes as text. */
export const TEXT_FORMAT: SubresourceParameter = {
  name: 'format',
  description: 'json, unless it says another; text is for people',
  values: ['json', 'text'],
};

/** What the newest run would change, or changed, in the cloud. */
export const PLAN_SUBRESOURCE: SubresourceDefinition = {
  name: 'plan',
  verbs: ['get'],
  description: 'What the newest run changes, or has changed, in the cloud; `format=text` is for people.',
  parameters: [TEXT_FORMAT],
  answers: { mediaType: 'application/json', schema: planJsonSchema },
};

/** What comparisons with the cloud have found. */
export const DRIFT_SUBRESOURCE: SubresourceDefinition = {
  name: 'drift',
  verbs: ['get'],
  description:
    'How the cloud differs from what was applied, when it was compared, and when it is next; `format=text` is for people.',
  parameters: [TEXT_FORMAT],
  answers: { mediaType: 'application/json', schema: driftReportJsonSchema },
};

/** Defines a kind with the usual spec/status split. The two schemas are the one source of types, validation, defaults and OpenAPI. */
export function defineKind<S extends z.ZodType, T extends z.ZodType>(
  options: KindOptions<S, T>,
): KindDefinition<Resource<z.output<S>, z.output<T>>> {
  const { spec, status, example, ...rest } = options;
  return {
    ...rest,
    ...(example === undefined ? {} : { example: { spec: example } }),
    singular: options.kind.toLowerCase(),
    shortNames: options.shortNames ?? [],
    categories: options.categories ?? [],
    body: z.strictObject({ spec, status: status.optional() }),
    printerColumns: options.printerColumns ?? [],
    hasStatus: true,
    selectableFields: options.selectableFields ?? [],
    subresources: options.subresources ?? [],
  };
}

/** `group/version` of a kind as `apiVersion` has it. */
export function apiVersionOf(kind: Pick<KindDefinition, 'group' | 'version'>): string {
  return formatApiVersion(kind.group, kind.version);
}

/** The object type a definition describes. */
export type ObjectOf<K> = K extends KindDefinition<infer T> ? T : never;
