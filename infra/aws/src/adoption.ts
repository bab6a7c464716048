import type { SynthesizedStack } from './synthesize.js';

/** A cloud resource as a listing by owner tag gives it. */
export interface OwnedResource {
  /** Terraform's name of the type, such as `aws_subnet`. */
  readonly type: string;
  readonly id: string;
  /** What `terraform import` takes for it. */
  readonly importId: string;
  /** Its own; for what takes no tags, those of the thing it is part of. */
  readonly tags: Readonly<Record<string, string>>;
  /** A volume that some machine has: it cannot go before that lets go of it. */
  readonly isAttached?: boolean;
}

/** One entry of Terraform's `import` block. */
export interface Adoption {
  readonly to: string;
  readonly id: string;
  /** The state fills the address with something that is not there any more: that has to be forgotten first. */
  readonly isReplacing?: true;
}

/** What to do about resources that carry our tags and that the state does not know. */
export interface Ownership {
  /** They are what the stack is about to create: import them instead. */
  readonly adoptions: readonly Adoption[];
  /** Made twice: their place in the stack is taken by another one, which is listed too. */
  readonly duplicates: readonly OwnedResource[];
  /** They have no place in the stack. */
  readonly strays: readonly OwnedResource[];
}

/** What the stack, the cloud and the state say of one infrastructure. */
export interface OwnershipQuestion {
  readonly document: SynthesizedStack['document'];
  /** Everything that carries the infrastructure's owner tags. */
  readonly owned: readonly OwnedResource[];
  /** Ids by address, from the state. */
  readonly managed: ReadonlyMap<string, string>;
}

/** Cannot be imported; made anew it is the same registration, and it ends with its machine. */
const IDEMPOTENT = 'aws_lb_target_group_attachment';

type Configured = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;

/**
 * Decides about resources that were made by a run whose state was lost, as happens when Terraform is killed between a
 * call and its answer. Their type and `Name` tag say which address they were made for; the oldest one listed gets it.
 */
export function decideOwnership({ document, owned, managed }: OwnershipQuestion): Ownership {
  const managedIds = new Set([...managed].map(([address, id]) => `${address.split('.')[0]}/${id}`));
  const unknown = owned.filter(({ type, id }) => type !== IDEMPOTENT && !managedIds.has(`${type}/${id}`));
  const addresses = addressesByIdentity(document['resource'] as Configured, owned, managed);
  const listed = new Set(owned.map(({ type, id }) => `${type}/${id}`));
  const adoptions = new Map<string, Adoption>();
  const duplicates: OwnedResource[] = [];
  const strays: OwnedResource[] = [];
  for (const resource of unknown) {
    const to = addresses.get(identityOf(resource));
    if (to === undefined) {
      strays.push(resource);
      continue;
    }
    const holder = managed.get(to);
    const isHeld = holder !== undefined && listed.has(`${resource.type}/${holder}`);
    if (isHeld || adoptions.has(to)) duplicates.push(resource);
    else adoptions.set(to, { to, id: resource.importId, ...(holder === undefined ? {} : { isReplacing: true }) });
  }
  return { adoptions: [...adoptions.values()], duplicates, strays };
}

/** The same configuration with an address for each of the resources, and where they are to be imported. */
export function withRoomFor(
  document: SynthesizedStack['document'],
  surplus: readonly OwnedResource[],
): { readonly document: SynthesizedStack['document']; readonly adoptions: readonly Adoption[] } {
  const resources = { ...(document['resource'] as Configured) };
  const adoptions = surplus.map(({ type, importId }, index) => {
    const name = `surplus-${index}`;
    // Nothing needs to be said of what is only imported to be destroyed.
    resources[type] = { ...resources[type], [name]: {} };
    return { to: `${type}.${name}`, id: importId };
  });
  return { document: { ...document, resource: resources }, adoptions };
}

/** Types of the resources that the document describes. */
export function typesOf(document: SynthesizedStack['document']): ReadonlySet<string> {
  return new Set(Object.keys(document['resource'] as Configured));
}

/** Where each resource belongs that the document describes, by what tells resources of a type apart. */
function addressesByIdentity(
  resources: Configured,
  owned: readonly OwnedResource[],
  managed: ReadonlyMap<string, string>,
): Map<string, string> {
  const addresses = new Map<string, string>();
  for (const [type, byName] of Object.entries(resources)) {
    for (const [name, config] of Object.entries(byName)) {
      const label = (config['tags'] as Record<string, string> | undefined)?.['Name'];
      if (label !== undefined) addresses.set(`${type}/${label}`, `${type}.${name}`);
    }
  }
  const idOf = (reference: unknown): string => resolve(reference, { resources, owned, managed });
  for (const [name, route] of Object.entries(resources['aws_route'] ?? {})) {
    const importId = `${idOf(route['route_table_id'])}_${String(route['destination_cidr_block'])}`;
    addresses.set(`aws_route/${importId}`, `aws_route.${name}`);
  }
  for (const [name, association] of Object.entries(resources['aws_route_table_association'] ?? {})) {
    const importId = `${idOf(association['subnet_id'])}/${idOf(association['route_table_id'])}`;
    addresses.set(`aws_route_table_association/${importId}`, `aws_route_table_association.${name}`);
  }
  for (const [name, policy] of Object.entries(resources['aws_iam_role_policy'] ?? {})) {
    const importId = `${idOf(policy['role'])}:${String(policy['name'])}`;
    addresses.set(`aws_iam_role_policy/${importId}`, `aws_iam_role_policy.${name}`);
  }
  return addresses;
}

/** Resources without tags are told apart by what `terraform import` takes for them. */
function identityOf({ type, importId, tags }: OwnedResource): string {
  return `${type}/${tags['Name'] ?? importId}`;
}

/** Id behind a reference such as `${aws_subnet.private-subnet-0.id}`; empty when nothing is there. */
function resolve(reference: unknown, known: Omit<OwnershipQuestion, 'document'> & { resources: Configured }): string {
  const [, type = '', name = ''] = /^\$\{([^.]+)\.([^.]+)\.id\}$/.exec(String(reference)) ?? [];
  const id = known.managed.get(`${type}.${name}`);
  if (id !== undefined) return id;
  const label = (known.resources[type]?.[name]?.['tags'] as Record<string, string> | undefined)?.['Name'];
  return known.owned.find((resource) => resource.type === type && resource.tags['Name'] === label)?.id ?? '';
}
