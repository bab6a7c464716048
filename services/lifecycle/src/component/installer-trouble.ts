import type { ComponentName } from '@crate/api';
import { hasCode, isPlatformError } from '@crate/errors';
import type { Gate } from './component.gates.js';
import type { Installation, Installer } from './installer.js';

/** What the installer says of a component, or why it says nothing. */
export interface Looked {
  readonly installation: Installation | undefined;
  readonly trouble?: Gate | undefined;
}

/** Looks, and takes silence for an answer. Without an installer there is neither. Throws what is no PlatformError. */
export async function lookAt(
  installer: Pick<Installer, 'observe'> | undefined,
  component: ComponentName,
): Promise<Looked> {
  try {
    return { installation: await installer?.observe(component) };
  } catch (error) {
    return { installation: undefined, trouble: troubleOf(error) };
  }
}

/**
 * Why the installer does not do what it is told, for people. Reasons: `InstallerForbidden`, `InstallerUnreachable`. Throws the error itself
 * when it is no PlatformError, and a Conflict, after which things are looked at anew.
 */
export function troubleOf(error: unknown): Gate {
  if (!isPlatformError(error) || hasCode(error, 'Conflict')) throw error;
  const isForbidden = hasCode(error, 'Forbidden', 'Unauthenticated');
  return { reason: isForbidden ? 'InstallerForbidden' : 'InstallerUnreachable', message: error.message };
}
