import type { NewKey } from '../platform/new-keys.js';
import type { Records } from '../world/records.js';

/** What stands under older keys than services were given, in words. */
export async function unmovedIn(
  records: Pick<Records, 'keyUses'>,
  keys: readonly NewKey[],
): Promise<readonly string[]> {
  if (keys.length === 0) return [];
  return (await records.keyUses()).flatMap(({ schema, key_id: keyId, records: count }) => {
    const own = keys.filter(({ service }) => service.replaceAll('-', '_') === schema).map((key) => key.keyId);
    // Ids begin with their date.
    const newest = own.sort().at(-1) ?? '';
    return keyId < newest ? [`${count} records of ${schema} stand under key ${keyId}, and ${newest} was made`] : [];
  });
}
