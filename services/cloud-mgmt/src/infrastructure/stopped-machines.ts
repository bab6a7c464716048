import { PlatformError } from '@crate/errors';
import { nameSome } from '@crate/reconcile';
import { readStateObjects, type TerraformState } from '@crate/terraform';

const MACHINE = 'aws_instance';
const STOPPED = 'stopped';

/**
 * Throws Unavailable while a machine is stopped. Terraform leaves it so: it is what was asked for, but for its being on. Either somebody has
 * stopped it, or the provider could stop it for a change and had no room to start it again.
 */
export function checkMachinesRun({ bytes }: TerraformState): void {
  const stopped = [...readStateObjects(bytes).values()].filter(
    ({ type, attributes }) => type === MACHINE && attributes['instance_state'] === STOPPED,
  );
  if (stopped.length === 0) return;
  const named = stopped.map(({ name, attributes }) => `${name} (${String(attributes['id'])})`).sort();
  const [one] = named;
  const message = stopped.length === 1 ? `Machine ${one} is stopped` : `Machines are stopped: ${nameSome(named)}`;
  const remedy =
    'Start what the message names at the provider; where that has no capacity for it, set another machine type first';
  throw new PlatformError('Unavailable', message, { details: { reason: 'MachineStopped', remedy } });
}
