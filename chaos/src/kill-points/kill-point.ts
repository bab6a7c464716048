/** What is done to a cluster while something dies, with its API away where it says so. */
export const OPERATIONS = [
  'create',
  'scale',
  'shrink',
  'resize',
  'change',
  'install-away',
  'delete',
  'delete-away',
] as const;
export type Operation = (typeof OPERATIONS)[number];

/** A step is held before it is done, once it is done and not answered, or let go and followed at once. */
export const PHASES = ['before', 'during', 'after'] as const;
export type Phase = (typeof PHASES)[number];

/** A cloud in which rke's calls are: stages of its runs on the hosts. */
export const RKE = 'rke';

/**
 * One step of an operation, as it can be seen from outside: the nth commit of a name, or the nth call of the cloud. Stages of runs of rke
 * count as calls, too: `cloud:up:rke#3`.
 */
export type Step =
  | { readonly at: 'commit'; readonly user: string; readonly label: string; readonly nth: number }
  | { readonly at: 'cloud'; readonly action: string; readonly type: string; readonly nth: number };

/** Where something dies. Its address says all of it, so that it can be replayed alone. */
export interface KillPoint {
  readonly operation: Operation;
  readonly step: Step;
  readonly phase: Phase;
  /** A process of the platform, or `terraform` or `rke` for the process groups of all runs. */
  readonly victim: string;
}

const ADDRESS = /^([\w-]+)\/(commit|cloud):([\w-]+):(.+)#(\d+)\/(\w+)\/([\w-]+)$/;

/** Such as `create/cloud:create:aws_vpc#1/during/terraform`. */
export function addressOf({ operation, step, phase, victim }: KillPoint): string {
  return `${operation}/${formatStep(step)}/${phase}/${victim}`;
}

/** Throws for what is no address. */
export function parseAddress(address: string): KillPoint {
  const [, operation, at, first, second, nth, phase, victim] = ADDRESS.exec(address) ?? [];
  const isKnown = OPERATIONS.some((one) => one === operation) && PHASES.some((one) => one === phase);
  if (!isKnown || first === undefined || second === undefined || victim === undefined) {
    throw new Error(
      `"${address}" is no address of a kill point, such as create/cloud:create:aws_vpc#1/during/terraform`,
    );
  }
  const step: Step =
    at === 'commit'
      ? { at: 'commit', user: first, label: second, nth: Number(nth) }
      : { at: 'cloud', action: first, type: second, nth: Number(nth) };
  return { operation: operation as Operation, step, phase: phase as Phase, victim };
}

const CLOUD_VICTIMS = ['cloud-mgmt', 'terraform', 'sandbox'];

/** Types of which a cluster that goes takes away what its workloads had: cluster-mgmt has it do so. */
const OF_CLUSTERS = ['aws_lb', 'aws_lb_listener', 'aws_lb_target_group', 'aws_security_group', 'aws_ebs_volume'];

/** Everything that may die at a step: who does it, and who it is done with. */
export function victimsOf(step: Step): readonly string[] {
  if (step.at === 'cloud') return victimsOfCall(step);
  const service = step.user.replaceAll('_', '-');
  if (!/secret_versions|_runs/.test(step.label)) return [service, 'postgres'];
  return [service, service === 'cloud-mgmt' ? 'terraform' : 'rke', 'postgres'];
}

function victimsOfCall({ action, type }: Extract<Step, { at: 'cloud' }>): readonly string[] {
  if (type === RKE) return ['cluster-mgmt', 'rke', 'sandbox'];
  return action === 'delete' && OF_CLUSTERS.includes(type) ? [...CLOUD_VICTIMS, 'cluster-mgmt'] : CLOUD_VICTIMS;
}

/** Every point of the steps of an operation, in their order. */
export function pointsOf(operation: Operation, steps: readonly Step[]): readonly KillPoint[] {
  return steps.flatMap((step) =>
    phasesOf(step).flatMap((phase) => victimsOf(step).map((victim) => ({ operation, step, phase, victim }))),
  );
}

/** Before a stage of rke is after the one before it. */
function phasesOf(step: Step): readonly Phase[] {
  return step.at === 'cloud' && step.type === RKE ? ['during', 'after'] : PHASES;
}

function formatStep(step: Step): string {
  return step.at === 'commit'
    ? `commit:${step.user}:${step.label}#${step.nth}`
    : `cloud:${step.action}:${step.type}#${step.nth}`;
}
