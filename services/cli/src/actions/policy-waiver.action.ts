import { apiVersionOf, POLICY_WAIVER, type PolicyWaiver } from '@crate/api';
import type { ApiClient } from '../client/api-client.js';
import { askToGoOn } from '../clusters/ask.js';
import { waiverLines } from '../policy/waiver-text.js';
import { contextOf } from '../client/context.js';
import { apiFlags, type ApiOptions, type NamespaceOption } from '../commands/api-options.js';
import { printObject } from '../objects/object-output.js';
import { say, type OutputFormat } from '../output/print.js';
import { get, type GetOptions } from './get.action.js';

interface RequestOptions extends ApiOptions, NamespaceOption {
  readonly output: OutputFormat;
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
  readonly output: OutputFormat;
}

export async function runList(names: readonly string[], options: GetOptions): Promise<void> {
  await get([`${POLICY_WAIVER.plural}.${POLICY_WAIVER.group}`, ...names], options);
}

export async function runShow(name: string, options: ApiOptions & NamespaceOption): Promise<void> {
  const { api, path } = await waiverAt(name, options);
  console.log(waiverLines(await api.get<PolicyWaiver>(path)).join('\n'));
}

export async function runRequest(name: string, options: RequestOptions): Promise<void> {
  const { api, namespace, path, which } = await waiverAt(name, options);
  const collection = path.slice(0, path.lastIndexOf('/'));
  const query = options.dryRun ? '&dryRun=All' : '';
  const document = documentOf(name, namespace, options);
  const asked = await api.create<PolicyWaiver>(`${collection}?fieldManager=crate-cli${query}`, document);
  const how = `another person approves it with:\n  crate policy waiver approve ${which}`;
  const state = options.dryRun ? 'could be asked for (dry run)' : `is asked for; ${how}`;
  printObject(options.output, asked, `Waiver "${name}" ${state}`);
}

export async function runApprove(name: string, options: DecisionOptions): Promise<void> {
  const { api, path, which } = await waiverAt(name, options);
  const waiver = await api.get<PolicyWaiver>(path);
  say(options.output, `${waiverLines(waiver).join('\n')}\n`);
  await askToGoOn('Approve it?', options);
  const decided = await decide(api, `${path}/approve`, waiver);
  const isEnough = decided.status?.approvedBy !== undefined;
  const state = isEnough ? 'is in force' : `is approved by you; see crate policy waiver show ${which}`;
  printObject(options.output, decided, `Waiver "${name}" ${state}`);
}

export async function runRevoke(name: string, options: DecisionOptions): Promise<void> {
  const { api, path } = await waiverAt(name, options);
  const decided = await decide(api, `${path}/revoke`, await api.get<PolicyWaiver>(path));
  printObject(options.output, decided, `Waiver "${name}" is taken back; the rules hold again`);
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

/** About the one that was read, and none that took its place. */
async function decide(api: ApiClient, path: string, { metadata: { uid } }: PolicyWaiver): Promise<PolicyWaiver> {
  return api.create<PolicyWaiver>(path, { uid });
}

interface WaiverAt {
  readonly api: ApiClient;
  readonly namespace: string;
  readonly path: string;
  /** Which waiver, in a line to copy. */
  readonly which: string;
}

async function waiverAt(name: string, options: ApiOptions & NamespaceOption): Promise<WaiverAt> {
  const { api, namespace } = await contextOf(options);
  const scope = `/apis/${apiVersionOf(POLICY_WAIVER)}/namespaces/${encodeURIComponent(namespace)}`;
  return {
    api,
    namespace,
    path: `${scope}/${POLICY_WAIVER.plural}/${encodeURIComponent(name)}`,
    which: `${name} -n ${namespace}${apiFlags(options)}`,
  };
}
