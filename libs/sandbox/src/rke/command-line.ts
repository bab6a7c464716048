import { parseArgs } from 'node:util';
import { RkeError } from './rke-error.js';

/** What the executable was asked to do. */
export type Command =
  | { readonly name: 'up'; readonly config: string; readonly isUpdateOnly: boolean }
  | { readonly name: 'remove'; readonly config: string; readonly isForced: boolean }
  | { readonly name: 'snapshot-save' | 'snapshot-restore'; readonly config: string; readonly snapshot: string }
  | { readonly name: 'list-version'; readonly isAll: boolean }
  | { readonly name: 'version' }
  | { readonly name: 'help' };

/** Flags are accepted by every command, as the engine's own parser is about as lenient for the common ones. */
const options = {
  config: { type: 'string' },
  name: { type: 'string' },
  force: { type: 'boolean' },
  all: { type: 'boolean', short: 'a' },
  'list-version': { type: 'boolean', short: 'l' },
  'update-only': { type: 'boolean' },
  'disable-port-check': { type: 'boolean' },
  'ignore-docker-version': { type: 'boolean' },
  'ssh-agent-auth': { type: 'boolean' },
  debug: { type: 'boolean', short: 'd' },
  quiet: { type: 'boolean', short: 'q' },
  version: { type: 'boolean', short: 'v' },
  help: { type: 'boolean', short: 'h' },
} as const;

type Values = ReturnType<typeof parse>['values'];

const COMMANDS: Readonly<Record<string, (config: string, values: Values) => Command | undefined>> = {
  '': () => ({ name: 'help' }),
  help: () => ({ name: 'help' }),
  up: (config, values) => ({ name: 'up', config, isUpdateOnly: values['update-only'] ?? false }),
  remove: (config, values) => ({ name: 'remove', config, isForced: values.force ?? false }),
  'etcd snapshot-save': (config, { name: snapshot = newSnapshotName() }) => ({
    name: 'snapshot-save',
    config,
    snapshot,
  }),
  'etcd snapshot-restore': (config, { name: snapshot = '' }) => ({ name: 'snapshot-restore', config, snapshot }),
  config: (_config, values) =>
    values['list-version'] ? { name: 'list-version', isAll: values.all ?? false } : undefined,
};

/** Throws RkeError for a command or flag that is not known. */
export function parseCommandLine(args: readonly string[]): Command {
  const { values, positionals } = parse(args);
  if (values.version) return { name: 'version' };
  if (values.help) return { name: 'help' };
  if (values['ssh-agent-auth']) throw new RkeError('Failed to set up SSH agent auth: the sandbox has no SSH agent');
  const command = positionals.join(' ');
  const found = Object.hasOwn(COMMANDS, command) && COMMANDS[command]?.(values.config ?? 'cluster.yml', values);
  if (found) return found;
  throw new RkeError(`No help topic for '${command}'`);
}

function parse(
  args: readonly string[],
): ReturnType<typeof parseArgs<{ options: typeof options; allowPositionals: true }>> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    const flag = /'(-[^' ]+)/.exec(String(error))?.[1] ?? '';
    throw new RkeError(`flag provided but not defined: ${flag}`, { cause: error });
  }
}

function newSnapshotName(): string {
  return `rke_etcd_snapshot_${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}`;
}
