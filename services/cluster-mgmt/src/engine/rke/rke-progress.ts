import type { Progress } from '@crate/api';
import type { RkeLogLine } from './rke-log.js';

interface Milestone {
  readonly starts: RegExp;
  readonly message: string;
}

/** What the engine says when it begins a part of its work, in order. A part may be skipped. */
const UP: readonly Milestone[] = [
  { starts: /^Initiating Kubernetes cluster/, message: 'Preparing certificates' },
  { starts: /^Building Kubernetes cluster/, message: 'Connecting to machines' },
  { starts: /^\[network\] (Deploying port listener|Checking|No hosts added)/, message: 'Checking the network' },
  { starts: /^\[certificates\] Deploying kubernetes certificates/, message: 'Deploying certificates' },
  { starts: /^\[reconcile\] Reconciling/, message: 'Comparing with the running cluster' },
  { starts: /^Pre-pulling kubernetes images/i, message: 'Pulling images' },
  { starts: /^\[etcd\] Building up/, message: 'Starting etcd' },
  { starts: /^\[controlplane\] (Building up|Now checking|Processing)/, message: 'Starting the control plane' },
  { starts: /^\[worker\] (Building up|Now checking|Upgrading)/, message: 'Starting workers' },
  { starts: /^\[sync\]/, message: 'Labelling nodes' },
  { starts: /^\[network\] Setting up network plugin/, message: 'Setting up the network' },
  { starts: /^\[addons\] Setting up/, message: 'Setting up system add-ons' },
  { starts: /^Finished building Kubernetes cluster/, message: 'Kubernetes is up' },
];

const REMOVE: readonly Milestone[] = [
  { starts: /^Tearing down Kubernetes cluster/, message: 'Connecting to machines' },
  { starts: /^\[worker\] Tearing down/, message: 'Stopping workers' },
  { starts: /^\[controlplane\] Tearing down/, message: 'Stopping the control plane' },
  { starts: /^\[etcd\] Tearing down/, message: 'Stopping etcd' },
  { starts: /^\[hosts\] Cleaning up host/, message: 'Cleaning machines' },
  { starts: /^Cluster removed successfully/, message: 'Kubernetes is removed' },
];

/** How many steps `RkeProgress` counts to. */
export const RKE_STEPS = { up: UP.length, remove: REMOVE.length } as const;

/** A node on its way out, which is worth telling by name. */
const NODE_LEAVES = /^\[hosts\] (Cordoning|Deleting) host \[([^\]]+)\]/;

/** A node whose turn it is, in a cluster that exists: most have nothing to be changed, and one that is drained may take minutes. */
const NODE_TURN = /^(?:\[workerplane\] Processing host|Processing controlplane host) (\S+)/;

/** Name of the node that the engine begins to bring up to date, by a line of its log. */
export function nodeWhoseTurnItIs(message: string): string | undefined {
  return NODE_TURN.exec(message)?.[1];
}

/** Turns the engine's log into steps. They never go back, though the engine repeats itself. */
export class RkeProgress {
  private step = 0;
  private message: string;
  private readonly milestones: readonly Milestone[];

  constructor(kind: 'up' | 'remove') {
    this.milestones = kind === 'up' ? UP : REMOVE;
    this.message = 'Starting the engine';
  }

  current(): Progress {
    return { step: this.step, steps: this.milestones.length, message: this.message };
  }

  /** The new progress when the line moves it, else undefined. */
  read(line: RkeLogLine): Progress | undefined {
    const leaving = NODE_LEAVES.exec(line.message);
    if (leaving) return this.move(this.step, `${leaving[1]} node ${leaving[2]}`);
    const node = nodeWhoseTurnItIs(line.message);
    if (node !== undefined) return this.move(this.step, `Bringing node ${node} up to date`);
    const index = this.milestones.findIndex((milestone) => milestone.starts.test(line.message));
    if (index < this.step) return undefined;
    return this.move(index + 1, this.milestones[index]?.message ?? '');
  }

  private move(step: number, message: string): Progress | undefined {
    if (step === this.step && message === this.message) return undefined;
    this.step = step;
    this.message = message;
    return this.current();
  }
}
