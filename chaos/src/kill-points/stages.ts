import { SMALL_CLUSTER, type UserAction } from '../users/user-action.js';
import type { Operation } from './kill-point.js';

/** How far a cluster is. */
export type Stage = 'absent' | 'small' | 'large' | 'resized' | 'changed';

/** Where each operation begins. */
export const BEFORE: Readonly<Record<Operation, readonly Stage[]>> = {
  create: ['absent'],
  scale: ['small'],
  shrink: ['large'],
  resize: ['small'],
  change: ['small'],
  delete: ['small', 'large', 'resized', 'changed'],
};

/** Where each operation leads. */
export const AFTER: Readonly<Record<Operation, Stage>> = {
  create: 'small',
  scale: 'large',
  shrink: 'small',
  resize: 'resized',
  change: 'changed',
  delete: 'absent',
};

/** What brings a cluster nearer to where an operation begins; a deletion where nothing else is said. */
export const TOWARDS: Readonly<Record<Operation, Partial<Record<Stage, Operation>>>> = {
  create: {},
  scale: { absent: 'create', large: 'shrink' },
  shrink: { absent: 'create', small: 'scale' },
  resize: { absent: 'create', large: 'shrink' },
  change: { absent: 'create', large: 'shrink' },
  delete: { absent: 'create' },
};

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
    case 'delete':
      return { user: 'delete', cluster };
  }
}
