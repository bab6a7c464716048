import { keepFinalizers } from '@crate/resource-server';
import { CLUSTER_FINALIZER } from './cluster.reconciler.js';

/** Keeps clusters on record until what they are made of is proven gone, whatever people write. */
export const clusterFinalizers = keepFinalizers('lifecycle', [CLUSTER_FINALIZER]);
