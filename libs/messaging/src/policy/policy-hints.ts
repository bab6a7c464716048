import { findCondition, POLICY_WAIVER, type Condition, type KindDefinition, type KubeObject } from '@crate/api';
import type { TypedClient } from '@crate/resource-client';
import { POLICY_COMPLIANT, WAIVED } from './policy-compliance.js';

/** Waivers and rules mostly change several at a time, and each with its status behind it. */
const GATHER_MS = 1_000;

/** What a service does about hints of policy-mgmt; `ReconcilerHints` of the host. */
export interface PolicyHints {
  readonly kinds: readonly KindDefinition[];
  readonly keysOf: (
    namespaces: readonly string[],
  ) => Promise<readonly { readonly namespace: string; readonly name: string }[]>;
  readonly gatherMs: number;
}

/**
 * Has objects of one kind looked at again when a waiver changes in their Project, and their verdict may with it: those that are denied,
 * and those that a waiver lets through. `kinds` absent: waivers.
 */
export function policyHints(
  objects: Pick<TypedClient<KubeObject>, 'list'>,
  kinds: readonly KindDefinition[] = [POLICY_WAIVER],
): PolicyHints {
  const keysOf: PolicyHints['keysOf'] = async (namespaces) => {
    // Rules are in no namespace: they are about all.
    const asked = namespaces.includes('') ? [{}] : namespaces.map((namespace) => ({ namespace }));
    const found = await Promise.all(asked.map((options) => objects.list(options)));
    return found
      .flat()
      .filter(isUnsettled)
      .map(({ metadata: { namespace = '', name } }) => ({ namespace, name }));
  };
  return { kinds, keysOf, gatherMs: GATHER_MS };
}

function isUnsettled(object: KubeObject): boolean {
  const { conditions } = (object as { readonly status?: { readonly conditions?: readonly Condition[] } }).status ?? {};
  const compliant = findCondition(conditions, POLICY_COMPLIANT);
  return compliant?.status === 'False' || compliant?.reason === WAIVED;
}
