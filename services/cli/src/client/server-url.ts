import { badRequest } from '@crate/errors';

/** The address of an API, as it is to be asked. Throws BadRequest for what is none. */
export function serverUrl(text: string): string {
  const address = URL.parse(text);
  if (address?.protocol === 'https:' && address.hostname !== '') return text.replace(/\/+$/, '');
  throw badRequest(`"${text}" is no address of an API: give one such as https://crate.example.com`);
}

/** A path of an API, below that of its server, which may have one behind a proxy. */
export function urlAt(server: string, path: string): URL {
  return new URL(`${server.replace(/\/+$/, '')}${path}`);
}
