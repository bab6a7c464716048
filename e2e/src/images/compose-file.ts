import { parse, parseDocument, type ScalarTag } from 'yaml';
import { textOf } from './checkout.js';

/** Takes away what a file underneath says. */
const RESET: ScalarTag = { tag: '!reset', resolve: () => undefined };

interface Document extends Readonly<Record<string, unknown>> {
  readonly services: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

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
  readonly pid?: string;
  readonly networks?: readonly string[];
  readonly ports?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string; readonly restart?: boolean }>>;
  readonly deploy?: { readonly resources: { readonly limits: { readonly memory?: string } } };
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>;
}

/**
 * docker-compose.yml as Compose reads it with these variables, and with what COMPOSE_FILE among them puts over it.
 * Sources: https://github.com/compose-spec/compose-spec/blob/main/12-interpolation.md, 13-merge.md
 */
export function readComposeFile(variables: Readonly<Record<string, string>> = {}): ComposeFile {
  return parse(interpolate(JSON.stringify(readDocument(variables)), variables)) as ComposeFile;
}

/** The same before variables are put in. */
export function readDocument({ COMPOSE_FILE = 'docker-compose.yml' }: Readonly<Record<string, string>> = {}): Document {
  const documents = COMPOSE_FILE.split(':').map(
    (path) =>
      parseDocument(textOf(path), { merge: true, customTags: [RESET] }).toJS({ maxAliasCount: 1_000 }) as Document,
  );
  return documents.reduce((under, { services, ...over }) => {
    const merged = Object.entries(services).map(([name, service]) => [name, { ...under.services[name], ...service }]);
    return {
      ...under,
      ...over,
      services: { ...under.services, ...Object.fromEntries(merged) } as Document['services'],
    };
  });
}

/** Variables of a file such as deploy/compose/sandbox.env. */
export function readVariables(path: string): Readonly<Record<string, string>> {
  const lines = textOf(path)
    .split('\n')
    .filter((line) => /^[A-Z]/.test(line));
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s)).map(([name = '', value = '']) => [name, value]));
}

/** From within: what stands in for a variable may name others. */
function interpolate(text: string, variables: Readonly<Record<string, string>>): string {
  const next = text.replace(/\$\{(\w+)(?::-([^${}]*))?\}/g, (_, name: string, otherwise = '') => {
    return variables[name] || (otherwise as string);
  });
  return next === text ? text : interpolate(next, variables);
}
