import type { Cluster } from '@crate/api';
import { jsonPatch, type ClusterChange } from '../dry-run.js';
import type { AddOnRequest, AddOnRow } from './add-on-rows.js';

type Spec = Pick<Cluster['spec'], 'addOns'>;

/** States an add-on as it is asked for now; refused when somebody else changed the add-ons since `spec` was read. Pure. */
export function requestChange({ addOns }: Spec, request: AddOnRequest): ClusterChange {
  const isStated = addOns.some(({ name }) => name === request.name);
  const next = isStated ? addOns.map((each) => (each.name === request.name ? request : each)) : [...addOns, request];
  return replace(addOns, next);
}

/** Asks for an add-on no longer. What clusters have by default has to be left out in so many words; refused as above. Pure. */
export function removal(spec: Spec, { name, addOn }: Pick<AddOnRow, 'name' | 'addOn'>): ClusterChange {
  if (addOn?.spec.defaultFor !== undefined) return requestChange(spec, { name, enabled: false });
  return replace(
    spec.addOns,
    spec.addOns.filter((each) => each.name !== name),
  );
}

/** Where the request stands afterwards, as the server names fields. Pure. */
export function requestField({ addOns }: Spec, name: string): string {
  const index = addOns.findIndex((each) => each.name === name);
  return `spec.addOns[${index < 0 ? addOns.length : index}]`;
}

function replace(before: Spec['addOns'], after: Spec['addOns']): ClusterChange {
  return jsonPatch([
    { op: 'test', path: '/spec/addOns', value: before },
    { op: 'replace', path: '/spec/addOns', value: after },
  ]);
}
