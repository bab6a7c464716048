import type { Command } from 'commander';
import { argument } from '../output/argument.js';

/** Which API a command talks to, and as whom. */
export interface ApiOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly dataDir?: string;
}

/** Adds the options that choose an API. */
export function withApiOptions(command: Command): Command {
  return command
    .option('--kubeconfig <file>', 'default: $KUBECONFIG, or ~/.kube/config')
    .option('--context <name>', 'default: the current one')
    .option('--data-dir <dir>', 'as the administrator of the local platform on this directory');
}

/** The same options, as a line to copy ends with them: it has to ask the same platform. Empty where none was given. */
export function apiFlags({ kubeconfig, context, dataDir }: ApiOptions): string {
  return Object.entries({ kubeconfig, context, 'data-dir': dataDir })
    .map(([option, value]) => (value === undefined ? '' : ` --${option} ${argument(value)}`))
    .join('');
}

/** Adds `-n`, for commands whose objects lie in a Project; absent, the context says which. */
export function withNamespaceOption(command: Command): Command {
  return command.option('-n, --namespace <project>', 'Project; default: the one of the context, or "default"');
}

export interface NamespaceOption {
  readonly namespace?: string;
}
