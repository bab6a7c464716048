import { hasCode, isPlatformError, PlatformError } from '@crate/errors';
import { type ApiKey, type KubeList, withoutUndefined } from '@crate/api';
import { formatTable } from '../progress/table.js';
import { apiOf } from '../client/context.js';
import { apiFlags, type ApiOptions } from '../commands/api-options.js';
import { argument } from '../output/argument.js';
import { printAs, type OutputFormat } from '../output/print.js';

interface Common extends ApiOptions {
  readonly namespace: string;
}

interface Printed extends Common {
  readonly output: OutputFormat;
}

interface CreateOptions extends Printed {
  readonly role: string;
  readonly lifetime?: string;
  readonly expiresAt?: string;
  readonly description?: string;
  readonly resources?: string;
  readonly verbs?: string;
}

interface Issued {
  readonly status: { readonly token: string; readonly expirationTimestamp: string };
}

export async function runCreate(name: string, options: CreateOptions): Promise<void> {
  const api = await apiOf(options);
  const issue = issueLine(name, options);
  const key = { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'APIKey', metadata: { name }, spec: specOf(options) };
  await api.create(collection(options), key).catch((error: unknown) => {
    // Perhaps of an earlier try that got no further.
    const remedy = `For a new token of it, which ends the one that it has: ${issue}`;
    throw hasCode(error, 'AlreadyExists') ? withRemedy(error, remedy) : error;
  });
  const issued = await api.create<Issued>(`${object(options, name)}/token`, {}).catch((error: unknown) => {
    throw withRemedy(error, `Issue one with: ${issue}`, `Key ${name} is made, but nobody has a token of it: `);
  });
  printToken(issued, options);
}

/** What a person copies to get a token of it, from the same platform: a key of that name elsewhere would lose its own. */
function issueLine(name: string, options: Common): string {
  return `crate keys issue ${argument(name)} -n ${argument(options.namespace)}${apiFlags(options)}`;
}

/** Whoever reads it has to know that the key is there, and that making it again does not help. */
function withRemedy(error: unknown, remedy: string, prefix = ''): unknown {
  if (!isPlatformError(error)) return error;
  const { code, message, details, cause } = error;
  return new PlatformError(code, `${prefix}${message}`, { details: { ...details, remedy }, cause });
}

export async function runIssue(name: string, options: Printed & { readonly overlap?: string }): Promise<void> {
  const { overlap } = options;
  const body = overlap === undefined ? {} : { spec: { overlap } };
  printToken(await (await apiOf(options)).create<Issued>(`${object(options, name)}/token`, body), options);
}

export async function runList(options: Printed): Promise<void> {
  const { items } = await (await apiOf(options)).get<KubeList<ApiKey>>(collection(options));
  const rows = items.map(({ metadata, spec, status }) => [
    ...[metadata.name, spec.role, status?.conditions?.find(({ type }) => type === 'Ready')?.reason ?? '-'],
    ...[status?.expiresAt ?? '-', status?.lastUsedAt ?? '-', status?.createdBy ?? '-'],
  ]);
  const header = ['NAME', 'ROLE', 'STATE', 'EXPIRES', 'LAST-USED', 'CREATED-BY'];
  printAs(options.output, items, () => formatTable(header, rows));
}

export async function runRevoke(name: string, options: Common & { readonly disable?: boolean }): Promise<void> {
  const api = await apiOf(options);
  const path = object(options, name);
  if ((await api.find(path)) === undefined) {
    throw new PlatformError('NotFound', `Project ${options.namespace} has no key "${name}"`);
  }
  if (options.disable) await api.merge(path, { spec: { disabled: true } });
  else await api.remove(path);
  console.log(`Key ${name} is ${options.disable ? 'disabled' : 'gone'}`);
}

function specOf({ role, lifetime, expiresAt, description, resources, verbs }: CreateOptions): object {
  const scope = { ...listOf('resources', resources), ...listOf('verbs', verbs) };
  const stated = withoutUndefined({ lifetime, expiresAt, description });
  return { role, ...stated, ...(Object.keys(scope).length > 0 ? { scope } : {}) };
}

function listOf(field: string, value: string | undefined): object {
  return value === undefined ? {} : { [field]: value.split(',').map((item) => item.trim()) };
}

/** The token alone, or data, goes to standard output, so that a pipe takes it and nothing else. */
function printToken(issued: Issued, { output }: Printed): void {
  const { token, expirationTimestamp } = issued.status;
  console.error(`Keep it now, it is not shown again; good until ${expirationTimestamp}`);
  printAs(output, issued, () => [token]);
}

function collection({ namespace }: Common): string {
  return `/apis/lifecycle.crate.dev/v1alpha1/namespaces/${encodeURIComponent(namespace)}/apikeys`;
}

function object(options: Common, name: string): string {
  return `${collection(options)}/${encodeURIComponent(name)}`;
}
