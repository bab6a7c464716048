/** Characters that mean nothing to a shell, also without quotes: what may come into user data. */
export const SHELL_SAFE = '[A-Za-z0-9._/:@=+-]';
