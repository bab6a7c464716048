import type { KindInfo, PatchType } from '@crate/resource-client';
import { isBuiltInGroup } from '../apply/built-in-groups.js';
import { documentFormatOf, SEND_A_PATCH_TYPE } from './document-type.js';
import { unsupportedMediaType } from './protocol-error.js';

const PATCH_TYPES: Readonly<Record<string, PatchType>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/apply-patch+yaml': 'apply',
};

const BUILT_IN_PATCH_TYPES: Readonly<Record<string, PatchType>> = {
  ...PATCH_TYPES,
  'application/strategic-merge-patch+json': 'strategic',
};

/** The patch that a media type means for a kind; throws 415, which tells clients of custom resources to merge themselves. */
export function patchTypeOf(kind: Pick<KindInfo, 'group'>, mediaType: string): PatchType {
  return typeAmong(typesOf(kind), mediaType);
}

/**
 * The same for a subresource. Nobody owns fields of what one shows, so an apply of it would be a merge without the conflicts that it is
 * for: there is none.
 */
export function subresourcePatchTypeOf(kind: Pick<KindInfo, 'group'>, mediaType: string): PatchType {
  const types = Object.entries(typesOf(kind)).filter(([, type]) => type !== 'apply');
  return typeAmong(Object.fromEntries(types), mediaType);
}

function typesOf({ group }: Pick<KindInfo, 'group'>): Readonly<Record<string, PatchType>> {
  return isBuiltInGroup(group) ? BUILT_IN_PATCH_TYPES : PATCH_TYPES;
}

function typeAmong(types: Readonly<Record<string, PatchType>>, mediaType: string): PatchType {
  const type = types[mediaType];
  if (type) return type;
  // kubectl reads the plain words; who said no kind of patch is told how to.
  throw unsupportedMediaType(Object.keys(types), documentFormatOf(mediaType) ? SEND_A_PATCH_TYPE : undefined);
}
