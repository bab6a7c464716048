import type { Adoption } from '@crate/infra-aws';
import type { TerraformRunOptions, TerraformWorkspace } from '@crate/terraform';
import type { TerraformRun, TerraformRunKind } from './terraform-run.repository.js';

/** Objects that a lost run has made, by the addresses they belong to. */
export interface LostResources {
  readonly adoptions: readonly Adoption[];
  /** A configuration that has all these addresses. */
  readonly document: Readonly<Record<string, unknown>>;
}

/** What is told of an adoption. */
export interface AdoptionTold {
  readonly onBegin?: (adoption: Adoption) => void;
  /** Whether or not the object was there still. The state in the workspace is the one after it. */
  readonly onEnd?: (adoption: Adoption, isAdopted: boolean) => Promise<void>;
}

/** Whether there may be objects that the state does not know. Pure. */
export function mayHaveLost(
  { kind, mustLook = false }: { readonly kind: TerraformRunKind; readonly mustLook?: boolean | undefined },
  last: Pick<TerraformRun, 'state'> | undefined,
): boolean {
  // Where no run is known there may have been one all the same: a restored backup does not remember it.
  return kind === 'destroy' || mustLook || last?.state !== 'succeeded';
}

/** Takes what an earlier run has made back into the state of the workspace, or it would be made twice. Gives what was there still. */
export async function adoptLost(
  workspace: TerraformWorkspace,
  { adoptions, document }: LostResources,
  options: TerraformRunOptions,
  { onBegin, onEnd }: AdoptionTold = {},
): Promise<readonly Adoption[]> {
  if (adoptions.length === 0) return [];
  await workspace.prepare(document, options);
  const adopted: Adoption[] = [];
  for (const adoption of adoptions) {
    onBegin?.(adoption);
    const { to, id, isReplacing } = adoption;
    // Terraform imports nothing to an address that is taken.
    const isAdopted = await (isReplacing
      ? workspace.importInstead(to, id, options)
      : workspace.importObject(to, id, options));
    if (isAdopted) adopted.push(adoption);
    await onEnd?.(adoption, isAdopted);
  }
  return adopted;
}
