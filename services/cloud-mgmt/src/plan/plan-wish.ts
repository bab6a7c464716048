import { INFRASTRUCTURE, planPreviewRequest, type InfrastructureSpec } from '@crate/api';
import { checkBody, invalidObject, toFieldErrors } from '@crate/resource-server';
import type { Wish } from './plan-previewer.js';

/** What a caller of `plan` asks for, with defaults. Throws InvalidSpec naming every bad field, and BadRequest for those that nobody knows. */
export function wishOf(body: unknown): Wish {
  const request = planPreviewRequest.safeParse(body);
  if (!request.success) throw invalidObject(INFRASTRUCTURE, '', toFieldErrors(request.error.issues, body));
  const { spec, ...wish } = request.data;
  const checked = checkBody({ definition: INFRASTRUCTURE }, { spec }, 'Strict');
  if (checked.errors.length > 0) throw invalidObject(INFRASTRUCTURE, wish.name, checked.errors);
  return { ...wish, spec: checked.body['spec'] as InfrastructureSpec };
}
