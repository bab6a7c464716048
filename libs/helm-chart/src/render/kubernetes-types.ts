import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../files/written-files.js';
import type { RenderedObject } from './staged-chart.js';

/** Packages that are generated from the OpenAPI document of Kubernetes and from the definitions of operators, by API group. */
const PACKAGES: Readonly<Record<string, string>> = {
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator/monitoring.coreos.com',
  'keda.sh': '@kubernetes-models/keda/keda.sh',
  'external-secrets.io': '@kubernetes-models/external-secrets/external-secrets.io',
  'cert-manager.io': '@kubernetes-models/cert-manager/cert-manager.io',
};
/** No package has its types: https://cloudnative-pg.io/documentation/current/cloudnative-pg.v1 was read instead. */
const WITHOUT_TYPES: readonly string[] = ['postgresql.cnpg.io'];

/** The module with the model of an object's kind; undefined where there is none. */
export function modelOf({ apiVersion, kind }: RenderedObject): string | undefined {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  if (WITHOUT_TYPES.includes(group ?? '')) return undefined;
  const folder = group === '' ? 'kubernetes-models' : (PACKAGES[group ?? ''] ?? `kubernetes-models/${group}`);
  return `${folder}/${version}/${kind}`;
}

/**
 * What the types of Kubernetes say against objects, unknown members included, which nothing that reads JSON would refuse: each is
 * compiled as a literal of its type. Empty when they are right.
 */
export async function typeMistakes(objects: readonly RenderedObject[]): Promise<readonly string[]> {
  const directory = await mkdtemp(join(ROOT, 'libs/helm-chart/dist/types-'));
  try {
    const file = join(directory, 'objects.ts');
    await writeFile(file, objects.map(asLiteral).join(''));
    const program = ts.createProgram([file], {
      ...{
        module: ts.ModuleKind.NodeNext,
        moduleResolution: ts.ModuleResolutionKind.NodeNext,
        target: ts.ScriptTarget.ES2023,
      },
      ...{ noEmit: true, strict: true, skipLibCheck: true, types: [] },
    });
    return ts.getPreEmitDiagnostics(program).map((diagnostic) => told(diagnostic, objects));
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** One line, so that the number of a line is that of an object. */
function asLiteral(object: RenderedObject): string {
  const model = modelOf(object);
  if (model === undefined) return '\n';
  return `(${JSON.stringify(object)}) satisfies import('${model}').I${object.kind};\n`;
}

function told({ file, start, messageText }: ts.Diagnostic, objects: readonly RenderedObject[]): string {
  const line = file ? file.getLineAndCharacterOfPosition(start ?? 0).line : -1;
  const object = objects[line];
  return `${object?.kind} ${object?.metadata.name}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
}
