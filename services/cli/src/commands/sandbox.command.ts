import { Command, InvalidArgumentError, Option } from 'commander';
import { badRequest } from '@crate/errors';
import type { Fault } from '@crate/sandbox';
import { dataDirOption } from './common-options.js';
import { addDefault } from './default-command.js';
import { formatOption } from './format-option.js';
import { lazily } from './lazily.js';

/** `crate sandbox`: look at the simulated cloud, and make it fail or slow. */
export function sandboxCommand(): Command {
  return new Command('sandbox')
    .description('Look at the simulated cloud, and make it fail or slow')
    .addCommand(serveCommand())
    .addCommand(inventoryCommand())
    .addCommand(changeCommand())
    .addCommand(createCommand())
    .addCommand(removeCommand())
    .addCommand(faultCommand())
    .addCommand(latencyCommand());
}

/** A cloud that outlives the platforms which use it. */
function serveCommand(): Command {
  return new Command('serve')
    .description("Run a simulated cloud by itself, in whose clusters Crate's own images run")
    .addOption(dataDirOption('where it keeps its world'))
    .option('--port <number>', 'port of its control API; default: a free one', toNumber)
    .action(lazily(async () => (await import('../actions/sandbox-serve.action.js')).runServe));
}

function inventoryCommand(): Command {
  return common(new Command('inventory').description('List what exists in the simulated cloud'))
    .option('--account <id>', 'only this account')
    .option('--type <type>', 'only this type, such as aws_instance')
    .option('--tag <key=value>', 'only objects with this tag; may be repeated', collectTag, {})
    .action(lazily(async () => (await import('../actions/sandbox.action.js')).runInventory));
}

/** What somebody does in the cloud's own console, behind the platform's back. */
function changeCommand(): Command {
  return onObject(new Command('change').description('Change an object behind the back of the platform'))
    .argument('<attribute=value...>', 'attributes as they are from now on; values are JSON, or text', collectAttribute)
    .action(lazily(async () => (await import('../actions/sandbox.action.js')).runChange));
}

/** What somebody makes in the cloud's own console. */
function createCommand(): Command {
  return common(new Command('create').description('Make an object beside the platform'))
    .argument('<type>', 'such as aws_security_group')
    .argument('<attribute=value...>', 'attributes; values are JSON, or text', collectAttribute)
    .option('--account <id>', 'account of the object', '000000000000')
    .option('--region <name>', 'region of the object', 'us-east-1')
    .action(lazily(async () => (await import('../actions/sandbox.action.js')).runCreate));
}

function removeCommand(): Command {
  return onObject(new Command('remove').description('Remove an object behind the back of the platform')).action(
    lazily(async () => (await import('../actions/sandbox.action.js')).runRemove),
  );
}

function onObject(command: Command): Command {
  return common(command)
    .argument('<type>', 'such as aws_vpc')
    .argument('<id>', "the provider's id, such as vpc-0123")
    .option('--account <id>', 'account of the object; where it is not said, the one that has it');
}

function faultCommand(): Command {
  const set = common(new Command('set').description('Put a fault in force'))
    .argument('<name>', 'what you call it, such as no-instances')
    .addOption(new Option('--kind <kind>', 'how the cloud misbehaves').choices(FAULT_KINDS).makeOptionMandatory())
    .option('--account <id>', 'only this account')
    .option('--type <type>', 'only this type, such as aws_instance')
    .option('--limit <number>', 'quota, vcpu-quota: how many there may be', toNumber)
    .option('--machine-type <type>', 'capacity: only this machine type')
    .option('--zone <zone>', 'capacity: only this zone')
    .option('--access-key-id <id>', 'credentials: only this access key')
    .option('--probability <number>', 'throttle, server-error, timeout-after-success: from 0 to 1', toNumber)
    .addOption(
      new Option('--action <action>', 'hold: only these calls; up and remove are stages of rke').choices([
        'create',
        'read',
        'update',
        'delete',
        'up',
        'remove',
      ]),
    )
    .addOption(
      new Option('--moment <moment>', 'hold: before it is done, or before the answer').choices(['before', 'after']),
    )
    .option('--skip <number>', 'hold: how many calls go by first', toNumber)
    .option(
      '--delay-ms <number>',
      'eventual-consistency, slow-deletion: how long new objects are not seen, or objects stay',
      toNumber,
    )
    .option('--remaining <number>', 'goes away after so many hits', toNumber)
    .action(lazily(async () => (await import('../actions/sandbox.action.js')).runFaultSet));
  const list = common(new Command('list').description('List the faults in force')).action(
    lazily(async () => (await import('../actions/sandbox.action.js')).runFaultList),
  );
  const clear = common(new Command('clear').description('Take a fault away, or all of them'))
    .argument('[name]', 'absent: all of them')
    .action(lazily(async () => (await import('../actions/sandbox.action.js')).runFaultClear));
  const fault = new Command('fault').description('Make the simulated cloud fail').addCommand(set);
  return addDefault(fault, list).addCommand(clear);
}

function latencyCommand(): Command {
  return common(new Command('latency').description('Show or set how long the simulated cloud takes'))
    .option('--scale <factor>', '0: no time at all, 1: as usual, 10: ten times slower', toNumber)
    .option('--zero', 'the same as --scale 0')
    .option('--account <id>', 'only this account')
    .action(lazily(async () => (await import('../actions/sandbox.action.js')).runLatency));
}

/** A record, so that a kind that the cloud learns is not forgotten here. */
const FAULT_KINDS = Object.keys({
  quota: true,
  'vcpu-quota': true,
  capacity: true,
  credentials: true,
  unauthorized: true,
  throttle: true,
  'server-error': true,
  'timeout-after-success': true,
  'eventual-consistency': true,
  'slow-deletion': true,
  hold: true,
} satisfies Record<Fault['kind'], true>);

function common(command: Command): Command {
  return command.addOption(dataDirOption('data directory of the platform')).addOption(formatOption('table'));
}

function collectTag(value: string, tags: Record<string, string>): Record<string, string> {
  const split = value.indexOf('=');
  if (split < 1) throw badRequest(`Expected key=value, not "${value}"`);
  return { ...tags, [value.slice(0, split)]: value.slice(split + 1) };
}

function collectAttribute(text: string, attributes: Record<string, unknown> = {}): Record<string, unknown> {
  const split = text.indexOf('=');
  if (split < 1) throw new InvalidArgumentError('Expected attribute=value.');
  return { ...attributes, [text.slice(0, split)]: jsonOr(text.slice(split + 1)) };
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function toNumber(value: string): number {
  const number = Number(value);
  if (!Number.isFinite(number)) throw new InvalidArgumentError('Expected a number.');
  return number;
}
