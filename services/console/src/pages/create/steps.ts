import { isWithin } from '../../components/form/document-path.js';

/** The steps of making a cluster, in their order. */
export const STEPS = ['start', 'cloud', 'kubernetes', 'network', 'pools', 'addOns', 'review'] as const;

export type StepName = (typeof STEPS)[number];

/** Which fields are asked for in which step. */
const FIELDS: Readonly<Record<Exclude<StepName, 'review'>, readonly string[]>> = {
  start: ['metadata', 'spec.classRef', 'spec.parameters'],
  cloud: ['spec.accountRef', 'spec.region'],
  kubernetes: ['spec.kubernetes'],
  network: ['spec.network'],
  pools: ['spec.controlPlane', 'spec.nodePools'],
  addOns: ['spec.addOns'],
};

/** The step that asks for a field; the last one, where everything can be edited, for what no form has. */
export function stepOf(field: string | undefined): StepName {
  const found = Object.entries(FIELDS).find(([, names]) => names.some((name) => isWithin(field ?? '', name)));
  return (found?.[0] as StepName | undefined) ?? 'review';
}
