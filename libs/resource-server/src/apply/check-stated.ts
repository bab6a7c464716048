import { badRequest } from '@crate/errors';
import { children } from './compare.js';
import type { FieldSchema } from './field-schema.js';
import { describePath, type PathElement } from './path-element.js';

/** Throws BadRequest when a stated list cannot be merged: an item without its key fields, or two items alike. */
export function checkStated(value: unknown, schema: FieldSchema, path: readonly PathElement[] = []): void {
  const seen = new Set<PathElement>();
  for (const [element, child, below] of children(value, schema)) {
    const missing = element.startsWith('k:') ? schema.missingKeyOf(child) : undefined;
    if (missing !== undefined) {
      throw badRequest(`${describePath(path)}: every item must state the key field "${missing}"`);
    }
    if (seen.has(element)) throw badRequest(`${describePath(path)}: duplicate entries for ${describePath([element])}`);
    seen.add(element);
    checkStated(child, below, [...path, element]);
  }
}
