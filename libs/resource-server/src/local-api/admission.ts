import type { AdmissionRequest } from '../kinds/served-kind.js';
import type { RegisteredKind } from '../kinds/kind-registry.js';
import type { KubeObject } from '@crate/api';

/** The object as the kind's hooks leave it, each seeing what the one before made. */
export async function runAdmission(
  kind: RegisteredKind,
  request: AdmissionRequest,
): Promise<{ readonly object: KubeObject; readonly warnings: readonly string[] }> {
  let { object } = request;
  const warnings: string[] = [];
  for (const hook of kind.admit ?? []) {
    const result = await hook({ ...request, object });
    warnings.push(...(result?.warnings ?? []));
    object = result?.object ?? object;
  }
  return { object, warnings };
}
