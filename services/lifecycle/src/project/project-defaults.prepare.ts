import { EXISTING, type KubeObject } from '@crate/api';
import { isObject, type AdmissionHook } from '@crate/resource-server';
import type { ProjectOfWrite } from './project-of-write.js';

/** What a cluster keeps when a later document leaves it out: it cannot become another, or must not be lost by oversight. */
const KEPT = ['accountRef', 'region', 'deletionProtection'] as const;

type Fields = Readonly<Record<string, unknown>>;

/** Fills in what the document of a cluster leaves out: a new one from the defaults of its Project, an older one from what it was. */
export function defaultsPrepare(projects: ProjectOfWrite): AdmissionHook {
  return async (request) => {
    const { operation, object, oldObject } = request;
    const { spec } = object;
    if (!isObject(spec) || isOfExisting(spec)) return undefined;
    const fields =
      operation === 'CREATE' ? ((await projects.find(request))?.spec.defaults ?? {}) : keptFields(oldObject);
    const missing = Object.entries(fields).filter(([name, value]) => value !== undefined && isAbsent(spec[name]));
    if (missing.length === 0) return undefined;
    return { object: { ...object, spec: { ...spec, ...Object.fromEntries(missing) } } };
  };
}

function keptFields(old: KubeObject | undefined): Fields {
  const spec = old?.['spec'];
  return isObject(spec) ? Object.fromEntries(KEPT.map((name) => [name, spec[name]])) : {};
}

/** A cluster that was there before Crate has no place in a cloud, and nobody's account. */
function isOfExisting({ kubernetes }: Fields): boolean {
  return isObject(kubernetes) && kubernetes['engine'] === EXISTING;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}
