import { spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { badRequest, unavailable } from '@crate/errors';
import { readCliEnvironment } from '../config.js';
import { DataDir } from '../up/data-dir.js';
import { lastWords } from '../up/last-words.js';
import { findRunning, refuseRunning, type RunRecord } from '../up/run-file.js';
import type { RunPlatformOptions } from '../up/run-platform.js';
import { builtConsoleDir, SERVICE_ORDER, type LocalService } from '../up/services.js';
import { waitUntil } from '../up/wait.js';
import { stopSignal } from '../up/stop-signal.js';
import { dataDirOption } from './common-options.js';

const DETACH_TIMEOUT_MS = 180_000;

interface UpOptions extends RunPlatformOptions {
  readonly detach?: boolean;
}

/** `crate up`: the whole platform on this computer, until Ctrl-C. */
export function upCommand(): Command {
  const environment = readCliEnvironment();
  return new Command('up')
    .description('Run the whole platform on this computer, with a sandbox instead of a cloud')
    .addOption(dataDirOption('where everything is kept'))
    .option('--port <number>', 'port of the API (default: 6440, or a free one)', parsePort)
    .option('--detach', 'return once the API is ready, and keep running')
    .option('--no-example', 'do not create the example cluster')
    .addOption(
      new Option('--only <services>', `run just these, separated by commas: ${SERVICE_ORDER.join(', ')}`)
        .argParser(parseServices)
        .default([...SERVICE_ORDER], 'all'),
    )
    .option('--replicas <number>', 'processes of each service', parseReplicas, 1)
    .option('--all-in-one', 'all services in one process: for small machines')
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
    .action(async (options: UpOptions) => {
      if (options.detach) return detach(options);
      // Loaded only now, so that every other command answers at once.
      const { runPlatform } = await import('../up/run-platform.js');
      return runPlatform(options, environment.searchPath);
    });
}

/** Starts the same command in the background and waits until its API answers. */
async function detach(options: UpOptions): Promise<void> {
  const dir = new DataDir(options.dataDir);
  await refuseRunning(dir);
  await dir.prepare();
  const signal = stopSignal();
  const log = await open(dir.log('up'), 'w');
  const args = [...process.execArgv, ...process.argv.slice(1).filter((argument) => argument !== '--detach')];
  const child = spawn(process.execPath, args, { detached: true, stdio: ['ignore', log.fd, log.fd] });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await log.close();

  const hasExited = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const findReady = async (): Promise<RunRecord | undefined> => {
    const running = await findRunning(dir);
    return running?.pid === child.pid && running?.readyAt !== undefined ? running : undefined;
  };
  await waitUntil(async () => hasExited() || (await findReady()) !== undefined, DETACH_TIMEOUT_MS, signal);
  const ready = await findReady();
  if (!ready || signal.aborted) {
    child.kill();
    await exited;
    throw unavailable(`The platform did not start: ${await lastWords(dir.log('up'))}`);
  }
  child.unref();
  console.log(`Crate runs in the background (process ${child.pid})`);
  console.log(`  API         ${ready.apiUrl}`);
  if (builtConsoleDir() !== undefined) {
    console.log(`  console     ${ready.apiUrl}/console/ (npm run crate -- console --data-dir ${dir.root})`);
  }
  console.log(`  kubeconfig  ${dir.adminKubeconfig()}`);
  console.log(`  stop it     npm run crate -- down --data-dir ${dir.root}`);
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
  const names = value.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !(SERVICE_ORDER as readonly string[]).includes(name));
  if (unknown.length > 0) throw badRequest(`Unknown service ${unknown.join(', ')}; known: ${SERVICE_ORDER.join(', ')}`);
  return names as LocalService[];
}
