import { Command, InvalidArgumentError } from 'commander';
import { lazily } from './lazily.js';

/** Context, user and cluster in the kubeconfig, unless told otherwise. */
export const DEFAULT_CONTEXT = 'crate';

/** `crate login`: signs in at the issuer that the platform names, and has kubectl stay signed in. */
export function loginCommand(): Command {
  return new Command('login')
    .description('Sign in to a platform, and write a kubeconfig context that stays signed in')
    .requiredOption('--server <url>', 'the API, such as https://crate.example.com')
    .option(
      '--ca-file <file>',
      'PEM file with the authorities of the API; default: those of the sign-in before, or the well-known ones',
    )
    .option('--issuer <name>', 'where to sign in, when the platform offers several')
    .option('--device', 'show a code to enter on another device, instead of opening a browser here')
    .option('--no-browser', 'print the address instead of opening it')
    .option('--redirect-port <port>', 'port that the browser comes back to; default: a free one', parsePort)
    .option('--context <name>', 'name in the kubeconfig', DEFAULT_CONTEXT)
    .option('--kubeconfig <file>', 'default: $KUBECONFIG, or ~/.kube/config')
    .action(lazily(async () => (await import('../actions/login.action.js')).login));
}

function parsePort(value: string): number {
  const port = Number(value);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new InvalidArgumentError('Expected 1 to 65535.');
  return port;
}
