import { EXISTING, type KubeObject, type Project, isJsonObject } from '@crate/api';
import type { AdmissionHook } from '@crate/resource-server';
import { StatedFields } from '../cluster-class/stated-fields.js';
import { isTakenBack } from '../plan/approved-plan.js';
import type { ProjectOfWrite } from './project-of-write.js';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Fills in what the document of a cluster leaves out, around what its class does: an older cluster keeps what it was; a new one has
 * the class of its Project's defaults unless it says `null`, and of the other defaults what its class does not give, which it may have locked.
 */
export function defaultsPrepare(projects: ProjectOfWrite, ofClass: AdmissionHook): readonly AdmissionHook[] {
  return [
    keptPrepare,
    defaultPrepare(projects, ({ classRef }) => ({ classRef })),
    ofClass,
    defaultPrepare(projects, ({ accountRef, region }) => ({ accountRef, region })),
  ];
}

type Defaults = NonNullable<Project['spec']['defaults']>;

function defaultPrepare(projects: ProjectOfWrite, chosen: (defaults: Defaults) => Fields): AdmissionHook {
  return async (request) => {
    if (request.operation !== 'CREATE' || isOfExisting(request.object)) return undefined;
    const project = await projects.find(request);
    return filledIn(request.object, chosen(project?.spec.defaults ?? {}));
  };
}

/** What a cluster keeps when a later document leaves it out: it cannot become another, or must not be lost by oversight. */
const keptPrepare: AdmissionHook = ({ object, oldObject, context }) => {
  if (!oldObject || isOfExisting(object) || isTakenBack(oldObject, object, context.caller.service))
    return Promise.resolve();
  return Promise.resolve(filledIn(object, keptFields(oldObject)));
};

/** A class that nobody stated came from the defaults: silence does not take it away. Protection that was taken off comes back. */
function keptFields(old: KubeObject): Fields {
  const { accountRef, region, classRef, deletionProtection } = isJsonObject(old['spec']) ? old['spec'] : {};
  return {
    accountRef,
    region,
    ...(deletionProtection === true ? { deletionProtection } : {}),
    ...(StatedFields.of(old).hasClass ? {} : { classRef }),
  };
}

function filledIn(object: KubeObject, fields: Fields): { readonly object: KubeObject } | undefined {
  const { spec } = object;
  if (!isJsonObject(spec)) return undefined;
  const missing = Object.entries(fields).filter(([name, value]) => value !== undefined && isSilent(spec, name));
  return missing.length === 0
    ? undefined
    : { object: { ...object, spec: { ...spec, ...Object.fromEntries(missing) } } };
}

/** A cluster that was there before Crate has no place in a cloud, and nobody's account. */
function isOfExisting({ spec }: KubeObject): boolean {
  return isJsonObject(spec) && isJsonObject(spec['kubernetes']) && spec['kubernetes']['engine'] === EXISTING;
}

/** Without an account or a region there is no cluster, but there is one without a class: `null` says so. */
function isSilent(spec: Fields, name: string): boolean {
  return spec[name] === undefined || (spec[name] === null && name !== 'classRef');
}
