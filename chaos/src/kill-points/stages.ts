import { SMALL_CLUSTER, type UserAction } from '../users/user-action.js';
import type { Operation } from './kill-point.js';

/** How far a cluster is. */
export type Stage = 'absent' | 'small' | 'large' | 'resized' | 'changed' | 'installed';

const PRESENT: readonly Stage[] = ['small', 'large', 'resized', 'changed', 'installed'];

/** Where each operation begins. */
export const BEFORE: Readonly<Record<Operation, readonly Stage[]>> = {
  create: ['absent'],
  scale: ['small'],
  shrink: ['large'],
  resize: ['small'],
  change: ['small'],
  delete: PRESENT,
  'install-away': ['changed'],
  'delete-away': PRESENT,
};

/** Where each operation leads. */
export const AFTER: Readonly<Record<Operation, Stage>> = {
  create: 'small',
  scale: 'large',
  shrink: 'small',
  resize: 'resized',
  change: 'changed',
  delete: 'absent',
  'install-away': 'installed',
  'delete-away': 'absent',
};

/** What brings a cluster nearer to where an operation begins; a deletion where nothing else is said. */
export const TOWARDS: Readonly<Record<Operation, Partial<Record<Stage, Operation>>>> = {
  create: {},
  scale: { absent: 'create', large: 'shrink' },
  shrink: { absent: 'create', small: 'scale' },
  resize: { absent: 'create', large: 'shrink' },
  change: { absent: 'create', large: 'shrink' },
  delete: { absent: 'create' },
  // Only what is changed is without the add-on.
  'install-away': { absent: 'create', large: 'shrink', small: 'change' },
  'delete-away': { absent: 'create' },
};

/** During which the API of the cluster is away for a while. */
export const AWAY: readonly Operation[] = ['install-away', 'delete-away'];

/** What is deleted has a load balancer and a volume. */
export const FURNISHED: readonly Operation[] = ['delete', 'delete-away'];

/** What a user asks for to make an operation happen. */
export function actionOf(operation: Operation, cluster: string): UserAction {
  switch (operation) {
    case 'create':
      return { user: 'create', cluster, spec: SMALL_CLUSTER };
    case 'scale':
      return { user: 'change', cluster, spec: { nodePools: [{ name: 'workers', replicas: 2 }] } };
    case 'shrink':
      return { user: 'change', cluster, spec: { nodePools: [{ name: 'workers', replicas: 1 }] } };
    case 'resize':
      return {
        user: 'change',
        cluster,
        spec: { nodePools: [{ name: 'workers', replicas: 1, machineType: 'm5.xlarge' }] },
      };
    case 'change':
      return { user: 'change', cluster, spec: { addOns: [], kubernetes: { engine: 'rke', version: 'v1.31.8' } } };
    case 'install-away':
      return { user: 'change', cluster, spec: { addOns: SMALL_CLUSTER.addOns } };
    case 'delete':
    case 'delete-away':
      return { user: 'delete', cluster };
  }
}
