import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { badRequest, unauthenticated, unavailable } from '@crate/errors';
import type { IssuedToken } from '../client/token-source.js';
import { readProcessEnvironment } from '../config.js';
import { EXIT_CODES } from '../exit-codes.js';

const run = promisify(execFile);
const EXEC_API = 'client.authentication.k8s.io/v1';
/** Of a program that cannot be begun; one that runs ends with a number. */
const NOT_BEGUN: Readonly<Record<string, string>> = {
  ENOENT: 'is not installed, or not on the PATH',
  EACCES: 'may not be run',
};

/** A credential plugin, as a kubeconfig names it. Source: https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/#ExecConfig */
export interface ExecPlugin {
  readonly command: string;
  /** Null as absent: client-go writes a list that it does not have so, as kubectl does with every file it changes. */
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  /** What its provider says to people who do not have it. */
  readonly installHint?: string;
}

interface ExecCredential {
  readonly status?: { readonly token?: unknown; readonly expirationTimestamp?: string };
}

/** Throws BadRequest where it cannot be run, Unavailable while what it asks is away, Unauthenticated where it gives no token. */
export async function askPlugin(plugin: ExecPlugin): Promise<IssuedToken> {
  const { command } = plugin;
  const { token, expirationTimestamp } = credentialIn(await outputOf(plugin), command).status ?? {};
  // A certificate may be given for one; without either the request would go out as nobody.
  if (typeof token !== 'string' || token === '') throw unauthenticated(`${command} gives no token`);
  return { token, expiresAt: expirationTimestamp === undefined ? undefined : Date.parse(expirationTimestamp) };
}

async function outputOf({ command, args, env, installHint }: ExecPlugin): Promise<string> {
  const info = { apiVersion: EXEC_API, kind: 'ExecCredential', spec: { interactive: false } };
  const own = Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]));
  const environment = { ...readProcessEnvironment(), ...own, KUBERNETES_EXEC_INFO: JSON.stringify(info) };
  try {
    return (await run(command, [...(args ?? [])], { env: environment })).stdout;
  } catch (error) {
    const { stderr = '', code } = error as { stderr?: string; code?: unknown };
    const notBegun = NOT_BEGUN[String(code)];
    if (notBegun !== undefined) {
      const message = `The credential plugin ${command} ${notBegun}`;
      throw badRequest(message, installHint === undefined ? {} : { remedy: installHint.trim() });
    }
    const why = stderr.replace(/^crate: /, '').trim() || `${command} gives no credential`;
    // As crate itself ends: whoever waits goes on, the issuer was only away.
    const isAway = code === EXIT_CODES.unreachable || code === EXIT_CODES.timedOut;
    throw isAway ? unavailable(why, error) : unauthenticated(why, error);
  }
}

function credentialIn(output: string, command: string): ExecCredential {
  try {
    return (JSON.parse(output) as ExecCredential | null) ?? {};
  } catch (error) {
    // Not what it printed: that may hold the token.
    throw unauthenticated(`${command} prints something other than a credential`, error);
  }
}
