import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { natsAuthorization } from './nats-authorization.js';
import { readme } from './readme.js';
import { valuesSchemaJson } from './values-schema.js';
import { valuesYaml } from './values-yaml.js';

/** Of the repository, with a slash at its end. */
export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
/** Folder of the chart within the repository. */
export const CHART = 'deploy/helm/crate';

/** Folders that the chart has copies of, since Helm reads nothing outside of a chart. */
const COPIED: Readonly<Record<string, string>> = {
  'deploy/grafana/dashboards': 'dashboards',
  'deploy/prometheus/alerts': 'alerts',
  'deploy/prometheus/rules': 'rules',
};

/** A file of the chart that is generated; `path` is that in the repository. */
export interface WrittenFile {
  readonly path: string;
  readonly text: string;
}

/** All files of the chart that are generated, as they should be. */
export function writtenFiles(): readonly WrittenFile[] {
  return [
    { path: `${CHART}/values.yaml`, text: valuesYaml() },
    { path: `${CHART}/values.schema.json`, text: valuesSchemaJson() },
    { path: `${CHART}/README.md`, text: readme() },
    { path: `${CHART}/files/nats/authorization.conf`, text: natsAuthorization() },
    ...Object.entries(COPIED).flatMap(([from, to]) => copies(from, `${CHART}/files/${to}`)),
  ];
}

/** Folders of the chart in which nothing lies but what is generated. */
export function writtenFolders(): readonly string[] {
  return [...Object.values(COPIED), 'nats'].map((folder) => `${CHART}/files/${folder}`);
}

function copies(from: string, to: string): readonly WrittenFile[] {
  return readdirSync(join(ROOT, from))
    .sort()
    .map((name) => ({ path: `${to}/${name}`, text: readFileSync(join(ROOT, from, name), 'utf8') }));
}
