/** An image as a container names it: `registry:5000/team/crate-lifecycle:1.4.2@sha256:…`. */
export interface ImageReference {
  readonly repository: string;
  readonly tag?: string | undefined;
  readonly digest?: string | undefined;
}

/** Pure. */
export function parseImage(text: string): ImageReference {
  const [name = '', digest] = text.split('@');
  const colon = name.lastIndexOf(':');
  // A colon before the last slash is that of the registry's port.
  const hasTag = colon > name.lastIndexOf('/');
  return {
    repository: hasTag ? name.slice(0, colon) : name,
    ...(hasTag ? { tag: name.slice(colon + 1) } : {}),
    ...(digest === undefined ? {} : { digest }),
  };
}
