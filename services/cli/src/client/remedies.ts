import { PlatformError } from '@crate/errors';

const SIGN_IN = 'Sign in again: crate login --server URL; or choose who you are with --context or --kubeconfig';
const CHOOSE_PROJECT = 'Choose a Project with -n PROJECT; those there are: crate get projects';

/** What the API refused, with what to do about it from here where it does not say that itself. `path`: what was asked for. Pure. */
export function withRemedy(error: PlatformError, path: string): PlatformError {
  const remedy = error.details.remedy ?? remedyOf(error, path);
  if (remedy === undefined || remedy === error.details.remedy) return error;
  return new PlatformError(error.code, error.message, { details: { ...error.details, remedy }, cause: error.cause });
}

function remedyOf({ code, message, details }: PlatformError, path: string): string | undefined {
  // Over the API what to do comes as a cause of its own.
  if (details.causes?.some(({ field }) => field === undefined)) return undefined;
  if (code === 'Unauthenticated') return SIGN_IN;
  if (code !== 'NotFound') return undefined;
  if (message.startsWith('projects.lifecycle.crate.dev ')) return CHOOSE_PROJECT;
  const project = /\/namespaces\/([^/?]+)\//.exec(path)?.[1];
  return project === undefined
    ? undefined
    : `Looked in Project ${decodeURIComponent(project)}; another one: -n PROJECT`;
}
