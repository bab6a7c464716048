import { PlatformError } from '@crate/errors';

const CONSOLE = /\/console(?=\/|$)/;

/** Somebody else is at the address of the API, or between: a proxy, the page of a sign-in, or the console, whose address people have at hand. */
export function noAnswer(server: string, status: number, cause?: unknown, words = ''): PlatformError {
  const { index } = CONSOLE.exec(server) ?? {};
  const remedy = `That is where the console is: give the address of the API, which may be ${server.slice(0, index)}`;
  return new PlatformError('Unavailable', `${server} answered ${status}, which is no answer of the API${words}`, {
    details: index === undefined ? {} : { remedy },
    cause,
  });
}
