import type { CloudAccount, Infrastructure, InfrastructureOutputs } from '@crate/api';
import {
  decideOwnership,
  OWNER_TAGS,
  readAwsOutputs,
  synthesizeAwsCluster,
  type Ownership,
  type OwnershipQuestion,
  type SynthesizedStack,
} from '@crate/infra-aws';

/** Tag that everything of one Infrastructure carries, with its uid. */
export const OWNER_TAG = OWNER_TAGS.infrastructureUid;

/** Writes the Terraform configuration of an Infrastructure, and reads what comes of it. Pure. */
export abstract class InfrastructureStack {
  /** Equal input gives an equal hash. */
  abstract synthesize(infrastructure: Infrastructure, account: CloudAccount): SynthesizedStack;
  /** Throws Invariant for the outputs of a stack that was not applied in full. */
  abstract readOutputs(outputs: unknown): InfrastructureOutputs;
  /** What to do about objects that carry the owner tag and that the state does not know. */
  abstract decideOwnership(question: OwnershipQuestion): Ownership;
}

/** The stack of AWS, real and simulated. */
export class AwsInfrastructureStack extends InfrastructureStack {
  constructor(
    private readonly managementCidrs: readonly string[],
    private readonly installationId: string,
  ) {
    super();
  }

  synthesize({ metadata, spec }: Infrastructure, account: CloudAccount): SynthesizedStack {
    const { clusterUid, clusterName, region, network, machineGroups, sshPublicKey } = spec;
    return synthesizeAwsCluster({
      infrastructureUid: metadata.uid,
      installationId: this.installationId,
      clusterUid,
      clusterName,
      namespace: metadata.namespace ?? '',
      accountId: account.spec.accountId,
      region,
      network,
      machineGroups,
      sshPublicKey,
      managementCidrs: this.managementCidrs,
    });
  }

  readOutputs(outputs: unknown): InfrastructureOutputs {
    return readAwsOutputs(outputs);
  }

  decideOwnership(question: OwnershipQuestion): Ownership {
    return decideOwnership(question);
  }
}
