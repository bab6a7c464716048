import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { CHART, ROOT } from '../files/written-files.js';
import { runProgram, type Outcome } from './program.js';

/** An object of Kubernetes as a chart renders it. */
export interface RenderedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly [member: string]: unknown;
}

export type Values = Readonly<Record<string, unknown>>;

/** Name of the Helm release as the documentation has it: names of objects begin with it, unless values say otherwise. */
export const RELEASE = 'crate';
/** Namespace of the platform as the documentation has it. */
export const NAMESPACE = 'crate-system';

/** None of them asks a cluster unless it is told which. */
const FURTHER = { template: [], lint: ['--strict'], install: ['--dry-run=client'] } as const;

/** Shows in the place of a chart that cannot be fetched here what it would have been told. */
const STAND_IN = `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Values.fullnameOverride }}-stand-in
  namespace: {{ .Release.Namespace }}
data:
  values.json: {{ .Values | toJson | quote }}
`;

/** A copy of the chart with stand-ins for the charts it depends on, which Helm wants there even when they are off. */
export class StagedChart {
  private count = 0;

  private constructor(readonly directory: string) {}

  static async make(): Promise<StagedChart> {
    const directory = await mkdtemp(join(tmpdir(), 'crate-chart-'));
    await cp(join(ROOT, CHART), directory, { recursive: true });
    // What somebody fetched here is not what is tested.
    for (const fetched of ['charts', 'Chart.lock'])
      await rm(join(directory, fetched), { recursive: true, force: true });
    const text = await readFile(join(directory, 'Chart.yaml'), 'utf8');
    const { dependencies = [] } = parse(text) as { dependencies?: readonly { name: string; version: string }[] };
    for (const { name, version } of dependencies) {
      const folder = join(directory, 'charts', name);
      await mkdir(join(folder, 'templates'), { recursive: true });
      await writeFile(join(folder, 'Chart.yaml'), stringify({ apiVersion: 'v2', name, version }));
      await writeFile(join(folder, 'templates', 'stand-in.yaml'), STAND_IN);
    }
    return new StagedChart(directory);
  }

  /** Objects in the order Helm applies them. Throws with what Helm said when it refuses. */
  async render(values: Values): Promise<readonly RenderedObject[]> {
    const { ok, stdout, stderr } = await this.helm('template', values);
    if (!ok) throw new Error(stderr);
    return parseAllDocuments(stdout, { merge: true }).flatMap((document) => {
      const [problem] = document.errors;
      if (problem) throw problem;
      return (document.toJS() as RenderedObject | null) ?? [];
    });
  }

  /** What Helm says against values, having looked into the cluster of a kubeconfig if there is one; empty when it takes them. */
  async refusal(values: Values, kubeconfig?: string): Promise<string> {
    const looking = kubeconfig === undefined ? [] : ['--dry-run=server', '--kubeconfig', kubeconfig];
    const { ok, stderr } = await this.helm('template', values, looking);
    return ok ? '' : stderr;
  }

  lint(values: Values): Promise<Outcome> {
    return this.helm('lint', values);
  }

  /** What Helm tells people after an installation. */
  async notes(values: Values): Promise<string> {
    const { ok, stdout, stderr } = await this.helm('install', values);
    if (!ok) throw new Error(stderr);
    return stdout.slice(stdout.indexOf('\nNOTES:\n'));
  }

  remove(): Promise<void> {
    return rm(this.directory, { recursive: true, force: true });
  }

  private async helm(
    command: 'template' | 'lint' | 'install',
    values: Values,
    further: readonly string[] = FURTHER[command],
  ): Promise<Outcome> {
    const file = join(this.directory, `values-${(this.count += 1)}.tmp`);
    await writeFile(file, JSON.stringify(values));
    const release = command === 'lint' ? [] : [RELEASE];
    const args = [command, ...release, this.directory, '--namespace', NAMESPACE, '--values', file];
    return runProgram('helm', [...args, ...further]);
  }
}
