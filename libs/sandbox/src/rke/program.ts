import { parseCommandLine, type Command } from './command-line.js';
import { SANDBOX_URL_VARIABLE, sandboxUrl } from './config.js';
import { RKE_KUBERNETES_VERSIONS, RKE_VERSION } from './kubernetes-versions.js';
import { RemoveCommand } from './remove-command.js';
import { RkeError } from './rke-error.js';
import { RkeLog } from './rke-log.js';
import { RunClient } from './run-client.js';
import { SnapshotCommand } from './snapshot-command.js';
import { UpCommand } from './up-command.js';

const HELP = `NAME:
   rke - Rancher Kubernetes Engine, as the Crate sandbox simulates it

USAGE:
   rke [global options] command [command options] [arguments...]

COMMANDS:
   up                     Bring the cluster up
   remove                 Teardown the cluster and clean cluster nodes
   etcd snapshot-save     Take snapshot on all etcd hosts
   etcd snapshot-restore  Restore existing snapshot
   config --list-version  List the default kubernetes version, with --all all supported ones

OPTIONS:
   --config value  Specify an alternate cluster YAML file (default: "cluster.yml")
   --force         Force removal of the cluster
   --update-only   Skip idempotent deployment of control and etcd plane
   --name value    Name of the snapshot
   --version, -v   print the version
   --help, -h      show help
`;

const log = new RkeLog((line) => process.stdout.write(line));

async function run(command: Command): Promise<void> {
  switch (command.name) {
    case 'up':
      return new UpCommand(sandbox(), log).run(command.config, command.isUpdateOnly);
    case 'remove':
      return new RemoveCommand(sandbox(), log).run(command.config, command.isForced);
    case 'snapshot-save':
    case 'snapshot-restore':
      return new SnapshotCommand(sandbox(), log).run(command.name, command.config, command.snapshot);
    case 'list-version':
      process.stdout.write(`${RKE_KUBERNETES_VERSIONS.slice(0, command.isAll ? undefined : 1).join('\n')}\n`);
      return;
    case 'version':
      process.stdout.write(`rke version ${RKE_VERSION}\n`);
      return;
    case 'help':
      process.stdout.write(HELP);
  }
}

function sandbox(): RunClient {
  const url = sandboxUrl();
  if (url === undefined) throw new RkeError(`${SANDBOX_URL_VARIABLE} is not set: start this program by its wrapper`);
  return new RunClient(url);
}

try {
  await run(parseCommandLine(process.argv.slice(2)));
} catch (error) {
  // What is not the engine's own failure is a defect of the sandbox: show where it came from.
  if (!(error instanceof RkeError)) process.stderr.write(`${error instanceof Error ? (error.stack ?? '') : ''}\n`);
  log.fatal(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
