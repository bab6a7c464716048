import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { PlatformError, type ErrorCode } from '@crate/errors';
import type { Credentials } from './credentials.js';

const run = promisify(execFile);
const TIMEOUT_MS = 120_000;
/** A token that ends within this time is asked for anew. */
const MARGIN_MS = 10_000;
/** How `crate credential` ends when the person has to sign in again; see "Exit codes" in docs/cli.md. */
const NOT_SIGNED_IN = 5;

/** A program that prints an ExecCredential. Source: https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins */
export interface ExecPluginConfig {
  readonly apiVersion: string;
  readonly command: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  readonly installHint?: string;
}

interface ExecCredential {
  readonly status?: { readonly token?: string; readonly expirationTimestamp?: string };
}

interface IssuedToken {
  readonly token: string;
  readonly endsAt: number;
}

/**
 * Tokens from a plugin such as `crate credential`, kept until they end. A run that fails is Unavailable, as while the issuer is away; a plugin that is
 * not there, prints no credential, or says that the sign-in is over, is Unauthenticated.
 */
export class ExecPlugin implements Credentials {
  private asking: Promise<IssuedToken> | undefined;
  private known: IssuedToken | undefined;

  constructor(
    private readonly config: ExecPluginConfig,
    /** The environment that the plugin gets, without what the kubeconfig adds. */
    private readonly environment: Readonly<Record<string, string | undefined>>,
    private readonly now: () => number = Date.now,
  ) {}

  /** Calls at the same time share one run. */
  async token(): Promise<string> {
    if (this.known && this.known.endsAt - MARGIN_MS > this.now()) return this.known.token;
    this.asking ??= this.ask().finally(() => (this.asking = undefined));
    this.known = await this.asking;
    return this.known.token;
  }

  forget(): boolean {
    this.known = undefined;
    return true;
  }

  private async ask(): Promise<IssuedToken> {
    const { status } = await this.run();
    if (status?.token === undefined) throw this.failure('Unauthenticated', new Error('It printed no token'));
    const endsAt = status.expirationTimestamp === undefined ? Infinity : Date.parse(status.expirationTimestamp);
    return { token: status.token, endsAt };
  }

  private async run(): Promise<ExecCredential> {
    const { apiVersion, command, args, env } = this.config;
    const info = { apiVersion, kind: 'ExecCredential', spec: { interactive: false } };
    const added = Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]));
    const options = {
      env: { ...this.environment, ...added, KUBERNETES_EXEC_INFO: JSON.stringify(info) },
      timeout: TIMEOUT_MS,
    };
    const { stdout } = await run(command, [...(args ?? [])], options).catch((error: unknown) => {
      throw this.failure(isFinal(error) ? 'Unauthenticated' : 'Unavailable', error);
    });
    try {
      return JSON.parse(stdout) as ExecCredential;
    } catch (error) {
      throw this.failure('Unauthenticated', error);
    }
  }

  private failure(code: ErrorCode, cause: unknown): PlatformError {
    const { command, installHint } = this.config;
    const why = cause instanceof Error ? cause.message : String(cause);
    const hint = installHint === undefined ? '' : `\n${installHint}`;
    // Not for each try of a call: a run may take minutes, and the server was not even asked.
    return new PlatformError(code, `Getting a token from ${command} failed: ${why}${hint}`, { cause, retry: 'slow' });
  }
}

/** The sign-in is over, or there is no program of that name, or none that may be run. */
function isFinal(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return code === NOT_SIGNED_IN || code === 'ENOENT' || code === 'EACCES';
}
