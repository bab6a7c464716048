import { parse, stringify } from 'yaml';

/** A Cluster that is being put together: exactly the document that would be applied. */
export interface Draft {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name?: string; readonly namespace?: string; readonly [key: string]: unknown };
  readonly spec: DraftSpec;
}

export type DraftSpec = Readonly<Record<string, unknown>> & {
  readonly accountRef?: { readonly name?: string };
  /** null: none, whatever the Project has by default. */
  readonly classRef?: { readonly name?: string } | null;
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly nodePools?: readonly DraftPool[];
  readonly addOns?: readonly DraftAddOn[];
};

/** An add-on as far as somebody has stated it. */
export interface DraftAddOn {
  readonly name: string;
  readonly version?: string;
  /** false: not installed, though the cloud or the class brings it along. */
  readonly enabled?: boolean;
  readonly values?: Readonly<Record<string, unknown>>;
}

/** A node pool as far as somebody has stated it. */
export interface DraftPool {
  readonly name: string;
  readonly replicas?: number;
  readonly machineType?: string;
  readonly diskGiB?: number;
}

const HEAD = { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'Cluster' } as const;

/** What a draft begins with: of a class next to nothing, from scratch one pool of workers. */
export function newDraft(from: {
  readonly project?: string | undefined;
  readonly className?: string | undefined;
  readonly version: string;
}): Draft {
  const { project, className, version } = from;
  const spec: DraftSpec =
    className === undefined
      ? {
          classRef: null,
          kubernetes: { version },
          nodePools: [{ name: 'workers', replicas: 3, machineType: 'm5.large' }],
        }
      : { classRef: { name: className } };
  return { ...HEAD, metadata: project === undefined ? {} : { namespace: project }, spec };
}

/** The document as a person writes it. */
export function draftYaml({ apiVersion, kind, metadata, spec }: Draft): string {
  // kubectl and GitOps tools read YAML 1.1: "yes" is no text there.
  return stringify({ apiVersion, kind, metadata, spec }, { compat: 'yaml-1.1' });
}

/** Reads what somebody typed; undefined when it is not a Cluster in YAML. */
export function parseDraft(text: string): Draft | undefined {
  try {
    const read: unknown = parse(text);
    if (typeof read !== 'object' || read === null) return undefined;
    const { apiVersion, kind, metadata, spec } = read as Partial<Draft>;
    if (kind !== HEAD.kind || apiVersion !== HEAD.apiVersion || !isMap(metadata) || !isMap(spec)) return undefined;
    return { apiVersion, kind, metadata, spec };
  } catch {
    return undefined;
  }
}

function isMap<T>(value: T | undefined): value is T & object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
