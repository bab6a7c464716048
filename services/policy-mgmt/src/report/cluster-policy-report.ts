import { POLICY_REPORT, type KindDefinition } from '@crate/api';
import { z } from 'zod';

/**
 * The other kind of the working group's, about what is in no namespace, of which there is none. Viewers such as Policy Reporter list and
 * watch both, and show nothing before both have answered.
 */
export const CLUSTER_POLICY_REPORT: KindDefinition = {
  group: POLICY_REPORT.group,
  version: POLICY_REPORT.version,
  kind: 'ClusterPolicyReport',
  plural: 'clusterpolicyreports',
  singular: 'clusterpolicyreport',
  shortNames: ['cpolr'],
  categories: [],
  namespaced: false,
  description:
    'There are none: the report of a Cluster is in its Project, as a PolicyReport. Viewers may ask for both.',
  body: z.looseObject({}),
  printerColumns: [],
  hasStatus: false,
  selectableFields: [],
  subresources: [],
  verbs: ['get', 'list', 'watch'],
};
