import { hash } from 'node:crypto';
import type { CloudAccount, Infrastructure, InfrastructureOutputs } from '@crate/api';
import {
  decideOwnership,
  identifyingTexts,
  OWNER_TAGS,
  readAwsOutputs,
  synthesizeAwsCluster,
  type AwsClusterInput,
  type Ownership,
  type OwnershipQuestion,
  type SynthesizedStack,
} from '@crate/infra-aws';
import type { DigestAlias } from '@crate/terraform';

/** Tag that everything of one Infrastructure carries, with its uid. */
export const OWNER_TAG = OWNER_TAGS.infrastructureUid;

/** Writes the Terraform configuration of an Infrastructure, and reads what comes of it. Pure. */
export abstract class InfrastructureStack {
  /** Equal input gives an equal hash. What is given may be given again: nobody changes it. */
  abstract synthesize(infrastructure: Infrastructure, account: CloudAccount): SynthesizedStack;
  /** The same for as long as people ask for the same outside of the spec: in the account, and in the configuration of the platform. */
  abstract settingsHash(infrastructure: Infrastructure, account: CloudAccount): string;
  /** Throws Invariant for the outputs of a stack that was not applied in full. */
  abstract readOutputs(outputs: unknown): InfrastructureOutputs;
  /** What a plan for an Infrastructure says just because it is this one, for digests of plans. */
  abstract aliases(infrastructure: Infrastructure, account: CloudAccount): readonly DigestAlias[];
  /** What to do about objects that carry the owner tag and that the state does not know. */
  abstract decideOwnership(question: OwnershipQuestion): Ownership;
}

/** Of 60 kB or so each. */
const MOST_KEPT = 64;

/** The stack of AWS, real and simulated. */
export class AwsInfrastructureStack extends InfrastructureStack {
  /** By input. A cluster that is being made has several passes in a row, each of which asks for its stack. */
  private readonly latest = new Map<string, SynthesizedStack>();

  constructor(
    private readonly managementCidrs: readonly string[],
    private readonly installationId: string,
    /** `project/name` of the cluster that the platform runs in, where it is metered. */
    private readonly meteredCluster?: string,
  ) {
    super();
  }

  synthesize(infrastructure: Infrastructure, account: CloudAccount): SynthesizedStack {
    const input = this.inputOf(infrastructure, account);
    const key = JSON.stringify(input);
    const stack = this.latest.get(key) ?? synthesizeAwsCluster(input);
    this.keep(key, stack);
    return stack;
  }

  /** A release that learns of another setting leaves the hash as it is where nobody states it for this Infrastructure: JSON has no undefined. */
  settingsHash(infrastructure: Infrastructure, { spec: { accountId, permissionsBoundary } }: CloudAccount): string {
    const { managementCidrs, installationId } = this;
    const isMetered = this.isMetered(infrastructure) || undefined;
    const settings = { accountId, permissionsBoundary, managementCidrs, installationId, isMetered };
    return hash('sha256', JSON.stringify(settings));
  }

  /** Behind all others; what was asked for longest ago goes. */
  private keep(key: string, stack: SynthesizedStack): void {
    this.latest.delete(key);
    this.latest.set(key, stack);
    const [oldest] = this.latest.keys();
    if (oldest !== undefined && this.latest.size > MOST_KEPT) this.latest.delete(oldest);
  }

  aliases(infrastructure: Infrastructure, account: CloudAccount): readonly DigestAlias[] {
    const texts = identifyingTexts(this.inputOf(infrastructure, account));
    return Object.entries(texts).map(([name, text]) => [text as string, `{${name}}`]);
  }

  private isMetered({ metadata, spec }: Infrastructure): boolean {
    return this.meteredCluster === `${metadata.namespace}/${spec.clusterName}`;
  }

  private inputOf(infrastructure: Infrastructure, account: CloudAccount): AwsClusterInput {
    const { metadata, spec } = infrastructure;
    const { accountId, permissionsBoundary } = account.spec;
    const { clusterUid, clusterName, region, network, machineGroups, sshPublicKey } = spec;
    return {
      infrastructureUid: metadata.uid,
      installationId: this.installationId,
      clusterUid,
      clusterName,
      namespace: metadata.namespace ?? '',
      accountId,
      region,
      network,
      machineGroups,
      sshPublicKey,
      managementCidrs: this.managementCidrs,
      ...(permissionsBoundary === undefined ? {} : { permissionsBoundary }),
      ...(this.isMetered(infrastructure) ? { isMetered: true } : {}),
    };
  }

  readOutputs(outputs: unknown): InfrastructureOutputs {
    return readAwsOutputs(outputs);
  }

  decideOwnership(question: OwnershipQuestion): Ownership {
    return decideOwnership(question);
  }
}
