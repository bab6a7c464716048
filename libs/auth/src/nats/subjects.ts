/** Every subject the platform uses on NATS, in one place: permissions and code cannot drift apart. */
export const subjects = {
  /** A method of a service; `*`-free, so a permission for `crate.<service>.>` covers all of them. */
  method: (service: string, method: string): string => `crate.${service}.${method}`,
  methods: (service: string): string => `crate.${service}.>`,
  /** "Look at this key": published by the owner, on every commit. */
  hints: (service: string): string => `crate.hints.${service}`,
  /** "I serve these kinds". */
  announce: (service: string): string => `crate.announce.${service}`,
  /** "Who is there?": everyone announces in answer. */
  discovery: 'crate.discovery',
} as const;

/** Prefix of reply subjects; a private one per service, so that nobody can read another's answers. */
export function inboxPrefix(service: string): string {
  return `_INBOX_${service}`;
}
