import type { TerraformState } from '@crate/terraform';

type Json = Readonly<Record<string, unknown>>;

/** A resource as a state file has it, version 4. */
interface StateEntry {
  readonly module?: string;
  readonly mode?: string;
  readonly type: string;
  readonly name: string;
  readonly provider?: string;
  readonly instances?: readonly StateInstance[];
}

interface StateInstance {
  readonly index_key?: string | number;
  readonly attributes?: Json | null;
  readonly sensitive_attributes?: readonly (readonly PathStep[])[];
}

/** A step of a path to a sensitive value: a member, or an element. */
interface PathStep {
  readonly value?: string | { readonly value?: string | number };
}

const MASK = '(sensitive value)';
/** A state does not say of every value that its provider calls sensitive that it is; such names do. */
const SECRET_NAME =
  /^(.*_)?(password(_data)?|secret|secret_key|secret_access_key|secret_string|private_key(_.*)?|token|credentials)$/;

/**
 * What is in place, in the shape of a plan that changes nothing, with sensitive values masked: rules judge it as they judged what was
 * planned, with what was not known then. Pure.
 */
export function standingPlan({ bytes }: Pick<TerraformState, 'bytes'>): Json {
  const state = JSON.parse(Buffer.from(bytes).toString('utf8')) as {
    readonly terraform_version?: string;
    readonly resources?: readonly StateEntry[];
  };
  const managed = (state.resources ?? []).filter(({ mode }) => mode === 'managed');
  return {
    format_version: '1.2',
    ...(state.terraform_version === undefined ? {} : { terraform_version: state.terraform_version }),
    resource_changes: managed.flatMap((entry) => (entry.instances ?? []).map((instance) => unchanged(entry, instance))),
  };
}

function unchanged(
  entry: StateEntry,
  { index_key: index, attributes, sensitive_attributes: paths = [] }: StateInstance,
): Json {
  const { module, mode, type, name, provider } = entry;
  const address = `${module === undefined ? '' : `${module}.`}${type}.${name}${indexText(index)}`;
  const after = paths.reduce<unknown>(masked, withoutSecrets(attributes ?? {}));
  return {
    ...{ address, mode, type, name },
    ...(index === undefined ? {} : { index }),
    ...(provider === undefined ? {} : { provider_name: /"(.*)"/.exec(provider)?.[1] ?? provider }),
    change: { actions: ['no-op'], after, after_unknown: {} },
  };
}

function indexText(index: string | number | undefined): string {
  return index === undefined ? '' : `[${JSON.stringify(index)}]`;
}

/** The value with what stands at the path masked. */
function masked(value: unknown, [step, ...rest]: readonly PathStep[]): unknown {
  if (step === undefined) return MASK;
  if (typeof value !== 'object' || value === null) return value;
  const key = typeof step.value === 'object' ? step.value.value : step.value;
  if (key === undefined) return MASK;
  const entries = Object.entries(value).map(([name, member]): [string, unknown] =>
    name === String(key) ? [name, masked(member, rest)] : [name, member],
  );
  return Array.isArray(value) ? entries.map(([, member]) => member) : Object.fromEntries(entries);
}

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, isSecret(name, member) ? MASK : withoutSecrets(member)]),
  );
}

function isSecret(name: string, value: unknown): boolean {
  return typeof value === 'string' && value !== '' && SECRET_NAME.test(name);
}
