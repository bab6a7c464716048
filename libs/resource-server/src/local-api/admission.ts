import type { KubeObject } from '@crate/api';
import type { AdmissionHook, AdmissionRequest } from '../kinds/served-kind.js';
import type { RegisteredKind } from '../kinds/kind-registry.js';

/** What hooks made of an object, and what they warn of. */
export interface Admitted {
  readonly object: KubeObject;
  readonly warnings: readonly string[];
}

/** The object as the kind's hooks leave it. */
export async function runAdmission(kind: RegisteredKind, request: AdmissionRequest): Promise<Admitted> {
  return runHooks(kind.admit ?? [], request);
}

/** The object as the hooks leave it, each seeing what the one before made. */
export async function runHooks(hooks: readonly AdmissionHook[], request: AdmissionRequest): Promise<Admitted> {
  let { object } = request;
  const warnings: string[] = [];
  for (const hook of hooks) {
    const result = await hook({ ...request, object });
    warnings.push(...(result?.warnings ?? []));
    object = result?.object ?? object;
  }
  return { object, warnings };
}
