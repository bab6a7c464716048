import type { InventoryItem, SandboxControl } from '../platform/sandbox-control.js';
import type { Meddling } from './schedule.js';

interface Target {
  readonly type: string;
  readonly isMeant?: (object: InventoryItem) => boolean;
  readonly act: (sandbox: SandboxControl, object: InventoryItem) => Promise<void>;
}

const remove: Target['act'] = (sandbox, object) => sandbox.removeObject(object);

const TARGETS: Readonly<Record<Meddling, Target>> = {
  'changes a network': {
    type: 'aws_vpc',
    act: (sandbox, object) => sandbox.changeObject(object, { enable_dns_support: false }),
  },
  'removes a worker': {
    type: 'aws_instance',
    isMeant: ({ tags }) => (tags['Name'] ?? '').includes('-workers-'),
    act: remove,
  },
  'removes a rule': { type: 'aws_vpc_security_group_ingress_rule', act: remove },
};

/** Does something in the simulated cloud as people do in its console, to one of what there is. `onChosen` is told its id before. */
export async function meddle(
  sandbox: SandboxControl,
  { how, nth }: { readonly how: Meddling; readonly nth: number },
  onChosen: (id: string) => void,
): Promise<void> {
  const { type, isMeant = () => true, act } = TARGETS[how];
  const objects = (await sandbox.inventory(type)).filter(isMeant);
  const chosen = objects[nth % Math.max(1, objects.length)];
  if (!chosen) return;
  onChosen(chosen.id);
  await act(sandbox, chosen);
}
