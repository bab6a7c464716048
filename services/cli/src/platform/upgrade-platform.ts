import { UPGRADE_PLAN_PATH, type Component, type UpgradePlan, type UpgradePlanStep } from '@crate/api';
import { badRequest, conflict, isPlatformError, PlatformError } from '@crate/errors';
import type { ApiClient } from '../client/api-client.js';
import { askToGoOn } from '../clusters/ask.js';
import { listComponents, setVersion } from '../components/component-client.js';
import { EXIT_CODES } from '../exit-codes.js';
import { whileItGoesOn } from '../interruption.js';
import { printAs, type OutputFormat } from '../output/print.js';
import { oneLine } from '../output/visible.js';
import { awaitUpgrade } from './await-upgrade.js';
import { refusalOf, upgradePlanLines } from './upgrade-plan-text.js';
import { endLine, outcomeOf } from './upgrade-progress.js';

export interface UpgradeOptions {
  /** Absent: the newest that is offered. */
  readonly to?: string;
  /** Show what it leads to, and change nothing. */
  readonly plan?: true;
  readonly yes?: true;
  readonly wait?: true;
  readonly timeout: number;
  readonly output: OutputFormat;
}

/** Shows what a version leads to, asks, sets it, and waits where it is wanted. Throws Conflict for what would be refused. */
export async function upgradePlatform(api: ApiClient, options: UpgradeOptions): Promise<void> {
  if (!options.plan && options.output !== 'text') throw badRequest('-o is for what a plan says: give --plan as well');
  const query = options.to === undefined ? '' : `?to=${encodeURIComponent(options.to)}`;
  const plan = await api.get<UpgradePlan>(`${UPGRADE_PLAN_PATH}${query}`);
  printAs(options.output, plan, () => upgradePlanLines(plan));
  if (options.plan) {
    if (refusalOf(plan)) process.exitCode = EXIT_CODES.refused;
    return;
  }
  requireAllowed(plan);
  const toSet = stepsToSet(plan, (await listComponents(api)).items);
  if (toSet.length > 0) {
    await askToGoOn(`Bring all services of the platform to ${plan.to}?`, options);
    await setAll(api, toSet);
    console.error(`All services are asked for ${plan.to}`);
  }
  const isDone = toSet.length === 0 && plan.steps.every(({ action }) => action === 'Stay');
  if (isDone) return;
  if (options.wait) return waitForEnd(api, plan.to, options.timeout);
  console.error('See how it comes along with: crate components -w');
}

async function waitForEnd(api: ApiClient, to: string, timeoutMs: number): Promise<void> {
  const note = `The platform goes on with its upgrade to ${to}; follow it with: crate components -w`;
  tellEnd(to, await whileItGoesOn(note, async () => awaitUpgrade(api, { to, timeoutMs })));
}

function requireAllowed(plan: UpgradePlan): void {
  const refusal = refusalOf(plan);
  if (!refusal) return;
  const { reason, message, remedy, components } = refusal;
  throw conflict(`${plan.to} is refused by ${components.join(', ')}: ${reason}: ${message}`, { reason, remedy });
}

/** Those that do not ask for it yet, or have failed with it. */
function stepsToSet({ steps, to }: UpgradePlan, components: readonly Component[]): readonly UpgradePlanStep[] {
  const wanted = new Map(components.map(({ metadata, spec }) => [metadata.name, spec.version]));
  return steps.filter(({ component, action, hasFailed }) => {
    const version = wanted.get(component);
    return hasFailed || (version !== to && !(action === 'Stay' && version === undefined));
  });
}

async function setAll(api: ApiClient, steps: readonly UpgradePlanStep[]): Promise<void> {
  for (const [index, { component, to, hasFailed }] of steps.entries()) {
    try {
      // What has failed is tried again only when the spec has changed.
      if (hasFailed) await setVersion(api, component, null);
      await setVersion(api, component, to);
    } catch (error) {
      throw partly(error, component, steps.slice(0, index));
    }
  }
}

/** Whoever reads it has to know what is set already. */
function partly(error: unknown, component: string, done: readonly UpgradePlanStep[]): unknown {
  if (!isPlatformError(error) || done.length === 0) return error;
  const names = done.map((step) => step.component).join(', ');
  const message = `${component} was not set: ${error.message}. ${names} are set already, and go on`;
  return new PlatformError(error.code, message, { details: error.details, cause: error });
}

function tellEnd(to: string, components: readonly Component[]): void {
  for (const each of components) console.log(oneLine(endLine(each, to)));
  if (components.every((each) => outcomeOf(each, to) === 'Done')) return;
  process.exitCode = EXIT_CODES.rolledBack;
  const [newest] = components.filter((each) => outcomeOf(each, to) === 'Done');
  const mixed = newest ? ' Services of both versions go on beside each other meanwhile.' : '';
  console.error(
    `Not all services have ${to}.${mixed} Mend what it says, and run it again; the log of the service says more.`,
  );
}
