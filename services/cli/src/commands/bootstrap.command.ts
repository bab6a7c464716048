import { Command, InvalidArgumentError, Option } from 'commander';
import { durationOption, parseList } from './common-options.js';
import { formatOption } from './format-option.js';
import { lazily } from './lazily.js';

const HELP = `
It may be interrupted at any time: run it again and it goes on. --status says how far it is; until the platform in the
cluster has taken over, --rollback takes everything back, and afterwards "crate remove" does. Guide: docs/install/bootstrap.md
`;
const NEWEST_KUBERNETES = 'v1.32.4';

/** `crate bootstrap`: a platform in a cluster of its own, made by a temporary one on this machine. */
export function bootstrapCommand(): Command {
  return new Command('bootstrap')
    .description('Set up the platform in a cluster that it makes for itself')
    .addCommand(awsCommand())
    .addCommand(sandboxCommand());
}

function awsCommand(): Command {
  return common(
    new Command('aws').description(
      'In an account of AWS; AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are its access key',
    ),
  )
    .option('--account <id>', 'number of the account; must be said to begin', parseAccount)
    .option('--permissions-boundary <arn>', 'policy that the roles of machines are bounded by')
    .option(
      '--marketplace-product-code <code>',
      'of the offer of AWS Marketplace that use is metered for, by both platforms; default: nothing is metered',
      parseProductCode,
    )
    .option('--rke <file>', 'the engine; default: rke in PATH')
    .option('--in-place', 'the temporary platform runs on this machine, as it does in any case')
    .action(
      lazily(async () => {
        const { runBootstrap } = await import('../actions/bootstrap.action.js');
        return (options: Parameters<typeof runBootstrap>[1]) => runBootstrap('aws', options);
      }),
    );
}

function sandboxCommand(): Command {
  return common(new Command('sandbox').description('In a simulated cloud, to try it out'))
    .option('--account <id>', 'number of the account', parseAccount, '000000000000')
    .option('--sandbox-url <url>', 'the simulated cloud, as "crate sandbox serve" says it')
    .action(
      lazily(async () => {
        const { runBootstrap } = await import('../actions/bootstrap.action.js');
        return (options: Parameters<typeof runBootstrap>[1]) => runBootstrap('sandbox', options);
      }),
    );
}

function common(command: Command): Command {
  return command
    .requiredOption('--data <dir>', 'where steps, keys and the temporary platform are kept: back it up')
    .option('--name <name>', 'name of the platform cluster', parseName, 'platform')
    .option('--region <region>', 'region of the platform cluster', 'us-east-1')
    .option(
      '--management-networks <cidrs>',
      'who may reach the platform and its cluster, separated by commas',
      parseList,
      [],
    )
    .option('--kubernetes-version <version>', 'of the platform cluster', NEWEST_KUBERNETES)
    .option('--control-plane <number>', 'control-plane machines', parseCount, 3)
    .option('--nodes <number>', 'worker machines', parseCount, 3)
    .option('--machine-type <type>', 'of worker machines', 'm5.xlarge')
    .option(
      '--database-url-file <file>',
      'file with the URL of a PostgreSQL of your own, as a user who may create roles; default: one in the cluster',
    )
    .option('--storage-class <name>', "of all volumes of the platform; default: the cluster's")
    .option('--nats-url <url>', 'NATS servers of your own; default: some in the cluster')
    .option('--nats-passwords-file <file>', 'their CRATE_NATS_PASSWORD_… variables, one NAME=value a line')
    .option(
      '--server-registry <registry>',
      'where PostgreSQL and NATS in the cluster come from, by the paths that they have in docker.io; default: there',
      parseRegistry,
    )
    .option('--host <names>', 'names of the API in its certificate, separated by commas', parseList, [])
    .option('--values <file>', 'YAML: values of the chart, over those chosen here')
    .option('--objects <file>', 'YAML: objects that the chart needs, such as Secrets with authorities')
    .option(
      '--releases-index <url>',
      'signed index that the platform knows newer versions from; default: it knows of none',
      parseIndex,
    )
    .option('--releases-public-key <file>', 'PEM of the key that the index is signed with')
    .option(
      '--self-upgrade',
      'the platform may install versions of the index: its lifecycle may then patch what its services run as',
    )
    .addOption(durationOption('--timeout <duration>', 'how long each step may take', '1h'))
    .addOption(durationOption('--drain-timeout <duration>', 'how long work at hand may go on before the move', '30m'))
    .option('--result <file>', 'write name, address and version there, as JSON')
    .addOption(new Option('--status', 'only say how far it is').conflicts('rollback'))
    .option('--rollback', 'take away what was made')
    .addOption(formatOption('table'))
    .addHelpText('after', HELP);
}

function parseName(value: string): string {
  // As admission says, but before there is a temporary platform to say it.
  const [, word] = /^(internal|sg)(-|$)/.exec(value) ?? [];
  if (word) throw new InvalidArgumentError(`Expected no name that begins with "${word}", which AWS keeps for itself.`);
  if (/^[a-z]([a-z0-9-]{0,28}[a-z0-9])?$/.test(value)) return value;
  throw new InvalidArgumentError('Expected up to 30 small letters, digits and dashes, a letter first.');
}

function parseRegistry(value: string): string {
  if (/^[a-z0-9][a-z0-9._:/-]*[a-z0-9]$/.test(value) && !value.includes('://')) return value;
  throw new InvalidArgumentError('Expected a registry without a scheme, such as registry.example.com/mirror.');
}

function parseProductCode(value: string): string {
  if (/^[A-Za-z0-9]{1,64}$/.test(value)) return value;
  throw new InvalidArgumentError('Expected the letters and digits of a product code.');
}

function parseIndex(value: string): string {
  if (/^(https:\/\/|\/)./.test(value)) return value;
  throw new InvalidArgumentError('Expected an https URL, or a path that the pods of lifecycle have.');
}

function parseAccount(value: string): string {
  if (/^\d{12}$/.test(value)) return value;
  throw new InvalidArgumentError('Expected the 12-digit number of the account.');
}

function parseCount(value: string): number {
  const count = Number(value);
  if (Number.isInteger(count) && count >= 1 && count <= 50) return count;
  throw new InvalidArgumentError('Expected 1 to 50.');
}
