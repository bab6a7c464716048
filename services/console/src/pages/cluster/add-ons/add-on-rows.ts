import type { AddOn, AddOnInstallation, Cluster } from '@crate/api';
import { isTrue } from '../conditions.js';

/** What a cluster states of an add-on. */
export type AddOnRequest = Cluster['spec']['addOns'][number];

/** An add-on as it stands in a cluster and in the catalogue. */
export interface AddOnRow {
  readonly name: string;
  readonly description: string;
  /** As it is in the catalogue; undefined: it left it. */
  readonly addOn?: AddOn;
  /** Newest version of the catalogue, which a cluster follows that states none. */
  readonly offered?: string;
  /** What the cluster states of it; undefined: nothing. */
  readonly request?: AddOnRequest;
  readonly installed?: string;
  readonly state: 'ready' | 'working' | 'failing' | 'leaving' | 'offered';
  readonly message: string;
  /** asked: by the spec; needed: by another one; default: clusters of its cloud have it; leftOut: the spec does not want it. */
  readonly why: 'asked' | 'needed' | 'default' | 'leftOut' | 'none';
  /** Add-ons that depend on it and are there for themselves. */
  readonly neededBy: readonly string[];
}

/** All add-ons of the catalogue and of the cluster, those of the cluster first. Pure. */
export function addOnRows(
  { spec }: Cluster,
  catalogue: readonly AddOn[],
  installations: readonly AddOnInstallation[],
): readonly AddOnRow[] {
  const offered = new Map(catalogue.map((addOn) => [addOn.metadata.name, addOn]));
  const present = new Map(installations.map((installation) => [installation.spec.addOn, installation]));
  const asked = new Set(spec.addOns.filter(({ enabled }) => enabled !== false).map(({ name }) => name));
  const names = new Set([...asked, ...present.keys(), ...offered.keys()]);
  const isDefault = (name: string): boolean => present.has(name) && offered.get(name)?.spec.defaultFor !== undefined;
  const roots = [...names].filter((name) => asked.has(name) || isDefault(name));
  const rows = [...names].map((name): AddOnRow => {
    const entry = offered.get(name);
    const installation = present.get(name);
    const request = spec.addOns.find((each) => each.name === name);
    const neededBy = roots.filter((each) => each !== name && needs(each, name, offered));
    const byItself = isDefault(name) && neededBy.length === 0 ? 'default' : 'needed';
    return {
      name,
      description: entry?.spec.description ?? '',
      ...(entry ? { addOn: entry, offered: entry.spec.version } : {}),
      ...(request ? { request } : {}),
      ...(installation?.status?.version === undefined ? {} : { installed: installation.status.version }),
      ...standing(installation, asked.has(name)),
      why: statedReason(request) ?? (installation ? byItself : 'none'),
      neededBy,
    };
  });
  return rows.toSorted(
    (left, right) => Number(isAbsent(left)) - Number(isAbsent(right)) || left.name.localeCompare(right.name),
  );
}

function statedReason(request: AddOnRequest | undefined): AddOnRow['why'] | undefined {
  if (request === undefined) return undefined;
  return request.enabled === false ? 'leftOut' : 'asked';
}

/** Whether nothing asks for it. */
function isAbsent({ why, state }: AddOnRow): boolean {
  return why === 'none' || (why === 'leftOut' && state === 'offered');
}

function inTheWay({ status }: AddOnInstallation): string {
  const [blocker] = status?.deletion?.blockers ?? [];
  return blocker ? `${blocker.kind} ${blocker.name}: ${blocker.message}` : '';
}

function standing(installation: AddOnInstallation | undefined, isAsked: boolean): Pick<AddOnRow, 'state' | 'message'> {
  if (!installation) return { state: isAsked ? 'working' : 'offered', message: '' };
  const { metadata, status } = installation;
  if (metadata.deletionTimestamp !== undefined) return { state: 'leaving', message: inTheWay(installation) };
  if (status?.failure) return { state: 'failing', message: `${status.failure.code}: ${status.failure.message}` };
  if (isTrue(status?.conditions, 'Ready')) return { state: 'ready', message: '' };
  return { state: 'working', message: status?.progress?.message ?? '' };
}

/** Whether an add-on needs another one, itself or through those that it needs. */
function needs(name: string, other: string, catalogue: ReadonlyMap<string, AddOn>, seen = new Set<string>()): boolean {
  if (seen.has(name)) return false;
  seen.add(name);
  const direct = catalogue.get(name)?.spec.dependsOn ?? [];
  return direct.includes(other) || direct.some((each) => needs(each, other, catalogue, seen));
}

/** The version that the cluster stays on while there is a newer one; undefined: it is on the newest, or gets there by itself. Pure. */
export function heldBack({ request, offered }: AddOnRow): string | undefined {
  return request?.version !== undefined && offered !== undefined && request.version !== offered
    ? request.version
    : undefined;
}
