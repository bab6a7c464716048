import { Command } from 'commander';
import { apiVersionOf, POLICY_WAIVER, type PolicyWaiver } from '@crate/api';
import type { ApiClient } from '../client/api-client.js';
import { askToGoOn } from '../clusters/ask.js';
import { parseWaiverEnd } from '../policy/waiver-end.js';
import { waiverLines } from '../policy/waiver-text.js';
import {
  contextOf,
  withApiOptions,
  withNamespaceOption,
  type ApiOptions,
  type NamespaceOption,
} from './api-options.js';
import { get, withGetOptions, type GetOptions } from './get.command.js';

interface RequestOptions extends ApiOptions, NamespaceOption {
  readonly policy: readonly string[];
  readonly cluster?: readonly string[];
  readonly field?: readonly string[];
  readonly reason: string;
  readonly until: string;
  readonly ticket?: string;
  readonly dryRun?: true;
}

interface DecisionOptions extends ApiOptions, NamespaceOption {
  readonly yes?: true;
}

/** `crate policy waiver`: has rules not hold somewhere for a time, which takes two people. */
export function policyWaiverCommand(): Command {
  return new Command('waiver')
    .description('Ask for waivers of rules, approve them and take them back')
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(requestCommand())
    .addCommand(approveCommand())
    .addCommand(revokeCommand());
}

function listCommand(): Command {
  return withGetOptions(new Command('list').description('List waivers; the same as: crate get policywaivers'))
    .argument('[name...]', 'only these')
    .action(async (names: readonly string[], options: GetOptions) =>
      get([`${POLICY_WAIVER.plural}.${POLICY_WAIVER.group}`, ...names], options),
    );
}

function showCommand(): Command {
  return onWaiver('show', 'Show what a waiver is about, and how it stands').action(
    async (name: string, options: DecisionOptions) => {
      const { api, path } = await waiverAt(name, options);
      console.log(waiverLines(await api.get<PolicyWaiver>(path)).join('\n'));
    },
  );
}

function requestCommand(): Command {
  return onWaiver('request', 'Ask for a waiver; it counts once another person has approved it')
    .requiredOption('--policy <names...>', 'rules; aws-iam-* is a family of them')
    .option('--cluster <names...>', 'clusters of the Project; test-* is a family; default: all')
    .option('--field <paths...>', 'fields, as violations name them; default: all')
    .requiredOption('--reason <text>', 'why the rules need not hold there')
    .requiredOption(
      '--until <time>',
      'its end: a day such as 2027-03-31, a time, or how long, such as 30d',
      (text: string) => parseWaiverEnd(text),
    )
    .option('--ticket <id>', 'where it was decided')
    .option('--dry-run', 'check it, and ask for nothing')
    .action(async (name: string, options: RequestOptions) => {
      const { api, namespace, path } = await waiverAt(name, options);
      const collection = path.slice(0, path.lastIndexOf('/'));
      const query = options.dryRun ? '&dryRun=All' : '';
      await api.create(`${collection}?fieldManager=crate-cli${query}`, documentOf(name, namespace, options));
      if (options.dryRun) return console.log(`Waiver "${name}" could be asked for (dry run)`);
      console.log(`Waiver "${name}" is asked for; another person approves it with:`);
      console.log(`  crate policy waiver approve ${name} -n ${namespace}`);
    });
}

function documentOf(name: string, namespace: string, options: RequestOptions): object {
  const { policy, cluster, field, reason, until, ticket } = options;
  const spec = {
    policies: policy,
    ...(cluster === undefined ? {} : { clusters: cluster }),
    ...(field === undefined ? {} : { fields: field }),
    reason,
    expiresAt: until,
    ...(ticket === undefined ? {} : { ticket }),
  };
  return { apiVersion: apiVersionOf(POLICY_WAIVER), kind: POLICY_WAIVER.kind, metadata: { name, namespace }, spec };
}

function approveCommand(): Command {
  return onWaiver('approve', 'Show a waiver that somebody else asked for, ask, and approve what was shown')
    .option('-y, --yes', 'do not ask')
    .action(async (name: string, options: DecisionOptions) => {
      const { api, path } = await waiverAt(name, options);
      const waiver = await api.get<PolicyWaiver>(path);
      console.log(`${waiverLines(waiver).join('\n')}\n`);
      await askToGoOn('Approve it?', options);
      const decided = await decide(api, `${path}/approve`, waiver);
      const isEnough = decided.status?.approvedBy !== undefined;
      console.log(
        isEnough
          ? `Waiver "${name}" is in force`
          : `Waiver "${name}" is approved by you; see crate policy waiver show ${name}`,
      );
    });
}

function revokeCommand(): Command {
  return onWaiver('revoke', 'Take a waiver back, or refuse it, at once and for good').action(
    async (name: string, options: DecisionOptions) => {
      const { api, path } = await waiverAt(name, options);
      await decide(api, `${path}/revoke`, await api.get<PolicyWaiver>(path));
      console.log(`Waiver "${name}" is taken back; the rules hold again`);
    },
  );
}

/** About the one that was read, and none that took its place. */
async function decide(api: ApiClient, path: string, { metadata: { uid } }: PolicyWaiver): Promise<PolicyWaiver> {
  return api.create<PolicyWaiver>(path, { uid });
}

function onWaiver(name: string, description: string): Command {
  return withApiOptions(withNamespaceOption(new Command(name).description(description))).argument(
    '<name>',
    'name of the waiver',
  );
}

async function waiverAt(
  name: string,
  options: ApiOptions & NamespaceOption,
): Promise<{ readonly api: ApiClient; readonly namespace: string; readonly path: string }> {
  const { api, namespace } = await contextOf(options);
  const scope = `/apis/${apiVersionOf(POLICY_WAIVER)}/namespaces/${encodeURIComponent(namespace)}`;
  return { api, namespace, path: `${scope}/${POLICY_WAIVER.plural}/${encodeURIComponent(name)}` };
}
