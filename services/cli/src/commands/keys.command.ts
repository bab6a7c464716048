import { Command, Option } from 'commander';
import { PlatformError } from '@crate/errors';
import type { ApiKey, KubeList } from '@crate/api';
import { formatTable } from '../progress/table.js';
import { apiOf, withApiOptions, type ApiOptions } from './api-options.js';
import { formatOption, printAs, type OutputFormat } from '../output/print.js';

interface Common extends ApiOptions {
  readonly namespace: string;
}

interface CreateOptions extends Common {
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

/** `crate keys`: API keys for machines. */
export function keysCommand(): Command {
  return new Command('keys')
    .description('API keys for machines')
    .addCommand(createCommand())
    .addCommand(issueCommand())
    .addCommand(listCommand())
    .addCommand(revokeCommand());
}

function createCommand(): Command {
  return common(new Command('create').description('Make a key, and print its token: it is shown this once'))
    .argument('<name>', 'name of the key')
    .addOption(
      new Option('--role <role>', 'what it may do').choices(['viewer', 'operator', 'admin']).makeOptionMandatory(),
    )
    .option('--lifetime <time>', 'how long a token is good, such as 12h or 90d')
    .option('--expires-at <time>', 'when the key ends, such as 2027-01-31T00:00:00Z')
    .option('--description <text>', 'what uses it')
    .option('--resources <names>', 'just these resources, separated by commas')
    .option('--verbs <verbs>', 'just these verbs, separated by commas')
    .action(async (name: string, options: CreateOptions) => {
      const api = await apiOf(options);
      const spec = specOf(options);
      await api.create(collection(options), {
        apiVersion: 'lifecycle.crate.dev/v1alpha1',
        kind: 'APIKey',
        metadata: { name },
        spec,
      });
      printToken(await api.create<Issued>(`${object(options, name)}/token`, {}));
    });
}

function issueCommand(): Command {
  return common(
    new Command('issue').description('Replace the token of a key, and print the new one: it is shown this once'),
  )
    .argument('<name>', 'name of the key')
    .option('--overlap <time>', 'how long the old token stays good, such as 1h; default: it ends at once')
    .action(async (name: string, options: Common & { readonly overlap?: string }) => {
      const { overlap } = options;
      const body = overlap === undefined ? {} : { spec: { overlap } };
      printToken(await (await apiOf(options)).create<Issued>(`${object(options, name)}/token`, body));
    });
}

function listCommand(): Command {
  return common(new Command('list').description('List the keys of a Project'))
    .addOption(formatOption('table'))
    .action(async (options: Common & { readonly output: OutputFormat }) => {
      const { items } = await (await apiOf(options)).get<KubeList<ApiKey>>(collection(options));
      const rows = items.map(({ metadata, spec, status }) => [
        ...[metadata.name, spec.role, status?.conditions?.find(({ type }) => type === 'Ready')?.reason ?? '-'],
        ...[status?.expiresAt ?? '-', status?.lastUsedAt ?? '-', status?.createdBy ?? '-'],
      ]);
      const header = ['NAME', 'ROLE', 'STATE', 'EXPIRES', 'LAST-USED', 'CREATED-BY'];
      printAs(options.output, items, () => formatTable(header, rows));
    });
}

function revokeCommand(): Command {
  return common(new Command('revoke').description('Delete a key; its token is refused within two seconds'))
    .argument('<name>', 'name of the key')
    .option('--disable', 'keep it, but refuse its token; it can be enabled again by setting spec.disabled to false')
    .action(async (name: string, options: Common & { readonly disable?: boolean }) => {
      const api = await apiOf(options);
      const path = object(options, name);
      if ((await api.find(path)) === undefined) {
        throw new PlatformError('NotFound', `Project ${options.namespace} has no key "${name}"`);
      }
      if (options.disable) await api.merge(path, { spec: { disabled: true } });
      else await api.remove(path);
      console.log(`Key ${name} is ${options.disable ? 'disabled' : 'gone'}`);
    });
}

function common(command: Command): Command {
  return withApiOptions(command).requiredOption('-n, --namespace <project>', 'Project of the key');
}

function specOf({ role, lifetime, expiresAt, description, resources, verbs }: CreateOptions): object {
  const scope = { ...listOf('resources', resources), ...listOf('verbs', verbs) };
  const stated = Object.entries({ lifetime, expiresAt, description }).filter(([, value]) => value !== undefined);
  return { role, ...Object.fromEntries(stated), ...(Object.keys(scope).length > 0 ? { scope } : {}) };
}

function listOf(field: string, value: string | undefined): object {
  return value === undefined ? {} : { [field]: value.split(',').map((item) => item.trim()) };
}

/** The token alone goes to standard output, so that a pipe takes it and nothing else. */
function printToken({ status: { token, expirationTimestamp } }: Issued): void {
  console.error(`Keep it now, it is not shown again; good until ${expirationTimestamp}`);
  console.log(token);
}

function collection({ namespace }: Common): string {
  return `/apis/lifecycle.crate.dev/v1alpha1/namespaces/${encodeURIComponent(namespace)}/apikeys`;
}

function object(options: Common, name: string): string {
  return `${collection(options)}/${encodeURIComponent(name)}`;
}
