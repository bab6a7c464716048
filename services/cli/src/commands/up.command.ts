import { Command, InvalidArgumentError, Option } from 'commander';
import { badRequest } from '@crate/errors';
import { SERVICE_ORDER, type LocalService } from '../up/service-order.js';
import { dataDirOption } from './common-options.js';
import { lazily } from './lazily.js';

/** Every platform has its database; alone it is there for what services must not be beside. */
const DATABASE_ALONE = 'postgres';

/** `crate up`: the whole platform on this computer, until Ctrl-C. */
export function upCommand(): Command {
  return new Command('up')
    .description('Run the whole platform on this computer, with a sandbox instead of a cloud')
    .addOption(dataDirOption('where everything is kept'))
    .option('--port <number>', 'port of the API (default: 6440, or a free one)', parsePort)
    .option('--detach', 'return once the API is ready, and keep running')
    .option('--no-example', 'do not create the example cluster')
    .addOption(
      new Option(
        '--only <services>',
        `run just these, separated by commas: ${SERVICE_ORDER.join(', ')}; ${DATABASE_ALONE}: none of them, to restore its database`,
      )
        .argParser(parseServices)
        .default([...SERVICE_ORDER], 'all'),
    )
    .option('--replicas <number>', 'processes of each service', parseReplicas, 1)
    .option('--all-in-one', 'all services in one process: for small machines')
    .option(
      '--sandbox-url <url>',
      'simulated cloud that runs already ("crate sandbox serve"), instead of one of its own',
    )
    .option(
      '--in-cluster <kubeconfig>',
      'look after this one cluster, in the place of a sandbox: for edge, with --all-in-one',
    )
    .option('--issuers-file <file>', 'YAML file that lists OpenID Connect issuers of people, besides the local one')
    .option(
      '--database-url-file <file>',
      'file with the URL of a PostgreSQL of your own, as a user who may create roles',
    )
    .option(
      '--otlp-endpoint <url>',
      'OpenTelemetry collector that services send traces to, such as http://localhost:4318',
    )
    .option('--service-settings <file>', 'file of CRATE_… settings for every service, one NAME=value a line')
    .addHelpText('after', '\nCtrl-C stops everything and keeps the data; the next start continues where it was.')
    .action(lazily(async () => (await import('../actions/up.action.js')).runUp));
}

function parsePort(value: string): number {
  const port = Number(value);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new InvalidArgumentError('Expected 1 to 65535.');
  return port;
}

function parseReplicas(value: string): number {
  const replicas = Number(value);
  if (!Number.isInteger(replicas) || replicas < 1 || replicas > 5) throw new InvalidArgumentError('Expected 1 to 5.');
  return replicas;
}

function parseServices(value: string): LocalService[] {
  if (value.trim() === DATABASE_ALONE) return [];
  const names = value.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !(SERVICE_ORDER as readonly string[]).includes(name));
  if (unknown.length > 0) throw badRequest(`Unknown service ${unknown.join(', ')}; known: ${SERVICE_ORDER.join(', ')}`);
  return names as LocalService[];
}
