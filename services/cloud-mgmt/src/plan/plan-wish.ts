import { INFRASTRUCTURE, planPreviewRequest, type InfrastructureSpec } from '@crate/api';
import { hasCode, unavailable } from '@crate/errors';
import { checkBody, invalidObject, toFieldErrors, type BodyCheck } from '@crate/resource-server';
import type { Wish } from './plan-previewer.js';

/**
 * What a caller of `plan` asks for, with defaults. Throws InvalidSpec naming every bad field, and Unavailable where fields are not known: a
 * plan without them is not the one that is asked for, and the next release may know them.
 */
export function wishOf(body: unknown): Wish {
  const request = planPreviewRequest.safeParse(body);
  if (!request.success) throw invalidObject(INFRASTRUCTURE, '', toFieldErrors(request.error.issues, body));
  const { spec, ...wish } = request.data;
  const checked = checkedSpec(spec);
  if (checked.errors.length > 0) throw invalidObject(INFRASTRUCTURE, wish.name, checked.errors);
  return { ...wish, spec: checked.body['spec'] as InfrastructureSpec };
}

function checkedSpec(spec: object): BodyCheck {
  try {
    return checkBody({ definition: INFRASTRUCTURE }, { spec }, 'Strict');
  } catch (error) {
    if (!hasCode(error, 'BadRequest')) throw error;
    throw unavailable(`This release of cloud-mgmt cannot plan that: ${(error as Error).message}`, error);
  }
}
