/** Where the sandbox's control API listens; the wrapper script of the executable sets it. */
export const SANDBOX_URL_VARIABLE = 'CRATE_SANDBOX_URL';

/** Undefined when the executable was not started through its wrapper. */
export function sandboxUrl(): string | undefined {
  return process.env[SANDBOX_URL_VARIABLE];
}

/** Directory of the calling user, for paths that start with `~`. */
export function homeDirectory(): string {
  return process.env['HOME'] ?? '/root';
}
