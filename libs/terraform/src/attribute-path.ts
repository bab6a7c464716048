/** Whether two paths of attributes are equal, or one is within the other: `tags` is put back with `tags.Name`. Pure. */
export function isSamePlace(left: string, right: string): boolean {
  return left === right || isWithinPath(left, right) || isWithinPath(right, left);
}

function isWithinPath(inner: string, outer: string): boolean {
  return inner.startsWith(outer) && ['.', '['].includes(inner.charAt(outer.length));
}
