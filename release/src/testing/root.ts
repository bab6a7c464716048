import { fileURLToPath } from 'node:url';

/** Top of the repository. */
export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
