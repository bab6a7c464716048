import type { AdmissionBinding, AdmissionPolicy, Selector } from './admission-policy.js';
import type { Unsupported } from './unsupported.js';

type Json = Readonly<Record<string, unknown>>;
type Metadata = {
  readonly name?: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
};

/** The object that a policy has its params from, as it is in the same documents; empty for a policy without params. */
export function paramsFor(
  { spec }: AdmissionPolicy,
  binding: AdmissionBinding | undefined,
  documents: readonly Json[],
  unsupported: Unsupported,
): Json {
  const { paramKind } = spec;
  if (!paramKind) return {};
  const { name, namespace, selector } = binding?.spec.paramRef ?? {};
  const fitting = documents.filter(({ apiVersion, kind, metadata }) => {
    const about = (metadata ?? {}) as Metadata;
    const isNamed = name === undefined || about.name === name;
    const isThere = namespace === undefined || about.namespace === undefined || about.namespace === namespace;
    const isOfKind = apiVersion === paramKind.apiVersion && kind === paramKind.kind;
    return isOfKind && isNamed && isThere && selects(selector, about.labels ?? {});
  });
  const [params, ...more] = fitting;
  if (params && more.length === 0) return params;
  const what = `${paramKind.kind} ${name === undefined ? 'that it has its params from' : `"${name}"`}`;
  const count = params ? `${fitting.length} fit, give one` : 'give it in the same files';
  unsupported.refuse('spec.paramKind', `The ${what} must be known: ${count}`);
  return {};
}

/** Other operators are for the person to resolve. */
function selects(selector: Selector | undefined, labels: Readonly<Record<string, string>>): boolean {
  return Object.entries(selector?.matchLabels ?? {}).every(([key, value]) => labels[key] === value);
}
