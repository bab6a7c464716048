import { architectureOf, type Architecture } from '@crate/api';
import { DataAwsAmi } from '@cdktn/provider-aws/lib/data-aws-ami/index.js';
import type { Construct } from 'constructs';

/** Account of the image's publisher, Canonical; a name alone could be anyone's image. */
const IMAGE_OWNER = '099720109477';

/**
 * Images that machines start from, the newest ones, looked up once per processor architecture in use. Canonical does not keep one
 * release public for the life of a cluster. Machines that are there stay as they are: they ignore another image.
 */
export class Images {
  private readonly found = new Map<Architecture, DataAwsAmi>();

  constructor(private readonly scope: Construct) {}

  /** Id of the image for machines of this type. */
  idFor(machineType: string): string {
    const architecture = architectureOf(machineType);
    const image = this.found.get(architecture) ?? this.lookUp(architecture);
    this.found.set(architecture, image);
    return image.id;
  }

  private lookUp(architecture: Architecture): DataAwsAmi {
    return new DataAwsAmi(this.scope, `image-${architecture}`, {
      owners: [IMAGE_OWNER],
      mostRecent: true,
      // AWS calls an image deprecated two years after its release; clusters may live longer than Canonical makes new ones.
      includeDeprecated: true,
      filter: [
        {
          name: 'name',
          values: [`ubuntu/images/hvm-ssd/ubuntu-jammy-22.04-${architecture}-server-*`],
        },
      ],
    });
  }
}
