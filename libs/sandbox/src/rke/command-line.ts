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

/** Throws RkeError for a command or flag that is not known. */
export function parseCommandLine(args: readonly string[]): Command {
  const { values, positionals } = parse(args);
  const config = values.config ?? 'cluster.yml';
  const command = positionals.join(' ');
  if (values.version) return { name: 'version' };
  if (values.help || command === '' || command === 'help') return { name: 'help' };
  if (values['ssh-agent-auth']) throw new RkeError('Failed to set up SSH agent auth: the sandbox has no SSH agent');
  if (command === 'up') return { name: 'up', config, isUpdateOnly: values['update-only'] ?? false };
  if (command === 'remove') return { name: 'remove', config, isForced: values.force ?? false };
  if (command === 'etcd snapshot-save' || command === 'etcd snapshot-restore') {
    const name = command === 'etcd snapshot-save' ? 'snapshot-save' : 'snapshot-restore';
    return { name, config, snapshot: values.name ?? newSnapshotName() };
  }
  if (command === 'config' && values['list-version']) return { name: 'list-version', isAll: values.all ?? false };
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
