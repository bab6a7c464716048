import { badRequest } from '@crate/errors';

/** The address of an API, as it is to be asked. Throws BadRequest for what is none. */
export function serverUrl(text: string): string {
  const address = URL.parse(text);
  if (address?.protocol === 'https:' && address.hostname !== '') return text.replace(/\/+$/, '');
  throw badRequest(`"${text}" is no address of an API: give one such as https://crate.example.com`);
}

/** With an empty name, or dots that are resolved on the way, a path leads to all that the collection holds. Throws BadRequest. */
export function requireNames(path: string): void {
  const names = path.replace(/\?.*$/s, '').split('/').slice(1);
  const missing = names.find((name) => /^\.{0,2}$/.test(name));
  if (missing !== undefined) throw badRequest(`"${missing}" is no name: say which one is meant`);
}

/** A path of an API, below that of its server, which may have one behind a proxy. */
export function urlAt(server: string, path: string): URL {
  return new URL(`${server.replace(/\/+$/, '')}${path}`);
}
