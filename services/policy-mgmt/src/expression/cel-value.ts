/**
 * A JSON value as CEL sees it: whole numbers become ints (JSON knows doubles only, and `%` is not defined for those),
 * and members that are null are left out, because to Kubernetes and Terraform null and absent are the same.
 */
export function toCelValue(value: unknown): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(toCelValue);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(members.map(([key, member]) => [key, toCelValue(member)]));
}
