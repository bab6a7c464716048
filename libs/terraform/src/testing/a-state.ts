/** A state file for tests. */
export function aState(fields: Record<string, unknown>): Buffer {
  return Buffer.from(JSON.stringify({ version: 4, serial: 1, lineage: 'a', outputs: {}, resources: [], ...fields }));
}
