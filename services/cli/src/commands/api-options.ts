import type { Command } from 'commander';

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

/** Adds `-n`, for commands whose objects lie in a Project; absent, the context says which. */
export function withNamespaceOption(command: Command): Command {
  return command.option('-n, --namespace <project>', 'Project; default: the one of the context, or "default"');
}

export interface NamespaceOption {
  readonly namespace?: string;
}
