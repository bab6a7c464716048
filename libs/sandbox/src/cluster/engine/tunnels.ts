import { isKeyProven } from '../../ssh/proof.js';
import { isSameAuthorizedKey } from '../../ssh/public-key.js';
import type { Machines, SimulatedMachine } from '../machines.js';
import type { RkeNode, TunnelRequest } from '../rke-protocol.js';

/** A host that could be logged in to. */
export interface OpenHost {
  readonly node: RkeNode;
  readonly machine: SimulatedMachine;
}

/** A host that could not, with the reason in the engine's words. */
export interface ClosedHost {
  readonly node: RkeNode;
  readonly reason: string;
}

export interface Tunnels {
  readonly open: readonly OpenHost[];
  readonly closed: readonly ClosedHost[];
}

type Login = Pick<RkeNode, 'authorizedKey' | 'proof'>;

const NO_ROUTE =
  'Please check if the node is up and is accepting SSH connections or check network policies and firewall rules';
const NO_LOGIN =
  'Please check if you are able to SSH to the node using the specified SSH Private Key and if you have configured the correct SSH username';
const REFUSED =
  'ssh: handshake failed: ssh: unable to authenticate, attempted methods [none publickey], no supported methods remain';

/** Tries to log in to every host, through the bastion when there is one. A key is let in only with its proof. */
export function openTunnels(request: TunnelRequest, machines: Machines): Tunnels {
  const gateError = bastionError(request, machines);
  const open: OpenHost[] = [];
  const closed: ClosedHost[] = [];
  for (const node of request.nodes) {
    const machine = machines.findByAddress(node.address, request.bastion?.address);
    const reason = gateError ?? hostError(node, machine, request);
    if (machine && reason === undefined) open.push({ node, machine });
    else closed.push({ node, reason: reason ?? '' });
  }
  return { open, closed };
}

function bastionError({ bastion, challenge }: TunnelRequest, machines: Machines): string | undefined {
  if (!bastion) return undefined;
  const address = `${bastion.address}:22`;
  const machine = machines.findByAddress(bastion.address);
  if (!machine?.isRunning) {
    return `Can't establish dialer connection: Failed to dial ssh using address [${address}]: dial tcp ${address}: i/o timeout`;
  }
  if (isLetIn(bastion, machine, challenge)) return undefined;
  return `Can't establish dialer connection: Failed to dial ssh using address [${address}]: ${REFUSED}`;
}

function hostError(
  node: RkeNode,
  machine: SimulatedMachine | undefined,
  { bastion, challenge }: TunnelRequest,
): string | undefined {
  const address = `${node.address}:22`;
  const unable = `Can't retrieve Docker Info: error during connect: Unable to access node with address [${address}] using SSH.`;
  if (!machine?.isRunning) {
    const cause = bastion ? 'ssh: rejected: connect failed (No route to host)' : `dial tcp ${address}: i/o timeout`;
    return `${unable} ${NO_ROUTE}. Error: ${cause}`;
  }
  return isLetIn(node, machine, challenge) ? undefined : `${unable} ${NO_LOGIN}. Error: ${REFUSED}`;
}

function isLetIn({ authorizedKey, proof }: Login, machine: SimulatedMachine, challenge: string): boolean {
  const known = machine.authorizedKey;
  return known !== undefined && isSameAuthorizedKey(known, authorizedKey) && isKeyProven(known, challenge, proof);
}
