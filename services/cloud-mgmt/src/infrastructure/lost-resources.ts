import type { CloudAccount, Infrastructure } from '@crate/api';
import { typesOf, withRoomFor, type OwnedResource, type Ownership, type SynthesizedStack } from '@crate/infra-aws';
import type { TerraformState } from '@crate/terraform';
import type { LostResources } from '../terraform-run/lost-adoption.js';
import type { TerraformRunKind } from '../terraform-run/terraform-run.repository.js';
import type { InfrastructureStack } from './infrastructure-stack.js';

export interface LostResourcesQuestion {
  readonly infrastructure: Infrastructure;
  readonly account: CloudAccount;
  readonly owned: readonly OwnedResource[];
  readonly state: TerraformState | undefined;
  readonly kind: TerraformRunKind;
  /** Looked for because a sweep found something, not because a run was lost. */
  readonly isAsked?: boolean;
}

/**
 * What a run whose state was lost has made, and a configuration that has a place for all of it. What was made twice gets a place that
 * the wanted configuration does not have, so that the plan takes it away. Pure.
 */
export function findLostResources(stack: InfrastructureStack, question: LostResourcesQuestion): LostResources {
  const { infrastructure, account, owned, state, kind, isAsked = false } = question;
  // Machines beyond the wanted number are a run's that was lost; after a success they may be what a restored backup has forgotten.
  const wanted = isAsked ? infrastructure : withMachinesOf(infrastructure, owned);
  const { document } = stack.synthesize(wanted, account);
  const known = (state?.resources ?? []).flatMap(({ address, id }): [string, string][] =>
    id === undefined ? [] : [[address, id]],
  );
  const ownership = stack.decideOwnership({ document, owned, managed: new Map(known) });
  const wider = withRoomFor(document, surplusOf(ownership, kind, document));
  return { adoptions: [...ownership.adoptions, ...wider.adoptions], document: wider.document };
}

/** What has a place nowhere stays, unless everything of the kinds that the stack makes is to go. */
function surplusOf(
  { duplicates, strays }: Ownership,
  kind: TerraformRunKind,
  document: SynthesizedStack['document'],
): readonly OwnedResource[] {
  if (kind !== 'destroy') return duplicates;
  const types = typesOf(document);
  return [...duplicates, ...strays.filter(({ type }) => types.has(type))];
}

/**
 * The same Infrastructure with machine groups large enough for every machine that exists: one beyond the wanted number is
 * adopted as well, and the plan for the wanted number then takes it away.
 */
export function withMachinesOf(infrastructure: Infrastructure, owned: readonly OwnedResource[]): Infrastructure {
  const { spec } = infrastructure;
  const names = owned.filter(({ type }) => type === 'aws_instance').map(({ tags }) => tags['Name'] ?? '');
  const machineGroups = spec.machineGroups.map((group) => {
    const prefix = `${spec.clusterName}-${group.name}-`;
    const indexes = names.filter((name) => name.startsWith(prefix)).map((name) => Number(name.slice(prefix.length)));
    const needed = indexes.filter(Number.isInteger).map((index) => index + 1);
    return { ...group, replicas: Math.max(group.replicas, ...needed) };
  });
  return { ...infrastructure, spec: { ...spec, machineGroups } };
}
