import { MACHINE_STOPPED } from '@crate/api';
import { PlatformError } from '@crate/errors';
import { nameSome, settled, type Outcome } from '@crate/reconcile';
import { readStateObjects, type TerraformState } from '@crate/terraform';
import type { InfrastructureScope } from './infrastructure.scope.js';

const MACHINE = 'aws_instance';
const STOPPED = 'stopped';

/**
 * The machines that are stopped, for people. Terraform leaves them so: they are what was asked for, but for their being on. Either somebody
 * has stopped them, or the provider could stop them for a change and had no room to start them again.
 */
export function stoppedMachines({ bytes }: Pick<TerraformState, 'bytes'>): readonly string[] {
  return [...readStateObjects(bytes).values()]
    .filter(({ type, attributes }) => type === MACHINE && attributes['instance_state'] === STOPPED)
    .map(({ name, attributes }) => `${name} (${String(attributes['id'])})`)
    .sort();
}

/** Those of them that a plan has found stopped still. Pure. */
export function stillStopped(
  stopped: readonly string[],
  { resource_drift: drift }: Readonly<Record<string, unknown>>,
): readonly string[] {
  const moved = (Array.isArray(drift) ? (drift as readonly MachineDrift[]) : [])
    .filter(({ type, change }) => type === MACHINE && change.after?.instance_state !== STOPPED)
    .map(({ name, change }) => `${name} (${change.before?.id})`);
  return stopped.filter((one) => !moved.includes(one));
}

interface MachineDrift {
  readonly type: string;
  readonly name: string;
  readonly change: {
    readonly before?: { readonly id?: string };
    readonly after?: { readonly instance_state?: string };
  };
}

/** Throws Unavailable while a machine is stopped. Comes after what was applied is published: the rest is there, and can be used. */
export function machinesRunPhase(scope: InfrastructureScope): Promise<Outcome> {
  const { stoppedMachines: named = [] } = scope;
  const [one] = named;
  // All work is done, also where there was none: a later run does not mend it by itself.
  scope.stage = 'work';
  if (one === undefined) return Promise.resolve(settled);
  const message = named.length === 1 ? `Machine ${one} is stopped` : `Machines are stopped: ${nameSome(named)}`;
  const remedy =
    'Start what the message names at the provider; where that has no capacity for it, set another machine type first';
  return Promise.reject(new PlatformError('Unavailable', message, { details: { reason: MACHINE_STOPPED, remedy } }));
}
