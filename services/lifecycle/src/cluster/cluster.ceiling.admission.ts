import { IMPACTS, impactOfChange, isWithin, type Cluster, type FieldImpact, type Impact } from '@crate/api';
import type { ErrorCause } from '@crate/errors';
import type { AdmissionHook } from '@crate/resource-server';
import { isTakenBack } from '../plan/approved-plan.js';
import { forbiddenCluster } from './cluster.forbidden.js';

/**
 * Refuses a change with more impact than the cluster allows (403: field, impact, ceiling and how to allow it). A ceiling is raised
 * in a change of its own, so that no document does both by oversight.
 */
export const ceilingAdmission: AdmissionHook = ({ operation, object, oldObject, context }) => {
  if (operation !== 'UPDATE' || !oldObject) return Promise.resolve();
  // Nothing was carried out, so nothing that runs notices.
  if (isTakenBack(oldObject, object, context.caller.service)) return Promise.resolve();
  const refusal = ceilingRefusal(oldObject as Cluster, object as Cluster);
  return refusal ? Promise.reject(refusal) : Promise.resolve();
};

/** Why a cluster may not become that; undefined when it may. Pure. */
export function ceilingRefusal(before: Cluster, after: Cluster): Error | undefined {
  const ceiling = stricter(before.spec.maxImpact, after.spec.maxImpact);
  if (ceiling === undefined) return undefined;
  const installed = before.status?.addOns?.map(({ name }) => name);
  const above = impactOfChange(before.spec, after.spec, installed).filter(({ impact }) => !isWithin(impact, ceiling));
  if (above.length === 0) return undefined;
  const causes = above.map((change) => causeOf(change, ceiling));
  const remedy = remedyFor(above, before.spec.maxImpact);
  return forbiddenCluster(after.metadata.name, causes, { reason: 'ImpactAboveCeiling', remedy });
}

function stricter(left: Impact | undefined, right: Impact | undefined): Impact | undefined {
  const stated = [left, right].filter((ceiling) => ceiling !== undefined);
  return stated.toSorted((a, b) => IMPACTS.indexOf(a) - IMPACTS.indexOf(b))[0];
}

function causeOf({ field, impact }: FieldImpact, ceiling: Impact): ErrorCause {
  return {
    reason: 'FieldValueForbidden',
    field,
    message: `Forbidden: the change has impact ${impact}, spec.maxImpact allows ${ceiling} at most`,
  };
}

function remedyFor(above: readonly FieldImpact[], stored: Impact | undefined): string {
  const needed = above.map(({ impact }) => impact).toSorted((a, b) => IMPACTS.indexOf(b) - IMPACTS.indexOf(a))[0];
  const allow = `set spec.maxImpact to ${needed ?? 'replace'}`;
  return stored === undefined
    ? `To allow it, ${allow} or leave it out`
    : `To allow it, ${allow} in a change of its own, then make this change`;
}
