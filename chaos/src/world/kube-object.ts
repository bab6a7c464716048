/** A condition as any client sees it. */
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly observedGeneration?: number;
}

/** An object of the API or of a service's table, as JSON. */
export interface KubeObject {
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly generation?: number;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly uid: string; readonly kind: string }[];
  };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition[];
    readonly [field: string]: unknown;
  };
}

export function conditionOf(object: KubeObject, type: string): Condition | undefined {
  return object.status?.conditions?.find((condition) => condition.type === type);
}

/** What says why an object is not as asked, if anything does. */
export function explanationOf(object: KubeObject): Condition | undefined {
  return conditionOf(object, object.metadata.deletionTimestamp === undefined ? 'Ready' : 'Deleting');
}

/** Ready, and at its newest spec. */
export function isReady(object: KubeObject): boolean {
  const ready = conditionOf(object, 'Ready');
  return ready?.status === 'True' && (ready.observedGeneration ?? 0) >= (object.metadata.generation ?? 1);
}

/** `Cluster team-a/demo`, for messages. */
export function nameOf({ kind, metadata }: KubeObject): string {
  return `${kind ?? 'object'} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`;
}
