import { parse, parseDocument } from 'yaml';
import { textOf } from './checkout.js';

/** A service of docker-compose.yml, as far as this is looked at. */
export interface ComposeService {
  readonly image: string;
  readonly build?: { readonly target: string };
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly profiles?: readonly string[];
  readonly user?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly cap_add?: readonly string[];
  readonly privileged?: boolean;
  readonly security_opt?: readonly string[];
  readonly restart?: string;
  readonly stop_grace_period?: string;
  readonly network_mode?: string;
  readonly networks?: readonly string[];
  readonly ports?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly deploy?: { readonly resources: { readonly limits: { readonly memory?: string } } };
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>;
}

/** docker-compose.yml as Compose reads it with these variables. Source: https://github.com/compose-spec/compose-spec/blob/main/12-interpolation.md */
export function readComposeFile(variables: Readonly<Record<string, string>> = {}): ComposeFile {
  const document = parseDocument(textOf('docker-compose.yml'), { merge: true });
  return parse(interpolate(JSON.stringify(document.toJS({ maxAliasCount: 1_000 })), variables)) as ComposeFile;
}

/** Variables of a file such as deploy/compose/sandbox.env. */
export function readVariables(path: string): Readonly<Record<string, string>> {
  const lines = textOf(path)
    .split('\n')
    .filter((line) => /^[A-Z]/.test(line));
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s)).map(([name = '', value = '']) => [name, value]));
}

function interpolate(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{(\w+)(?::-([^}]*))?\}/g, (_, name: string, otherwise = '') => {
    return variables[name] || (otherwise as string);
  });
}
