/** `lifecycle.crate.dev/v1alpha1`, or `v1` of the group without a name; as `@crate/api` writes it, without the schemas of all kinds. */
export function formatApiVersion(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}
