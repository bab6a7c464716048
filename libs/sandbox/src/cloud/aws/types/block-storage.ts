import { REGIONAL_TAGGED } from '../attributes.js';
import { AwsError } from '../aws-error.js';
import { arn, newId } from '../identifiers.js';
import type { ResourceType } from '../resource-type.js';
import { fill } from '../values.js';
import { chosen, computed, defaulted, optional, required } from '../../terraform/schema.js';

export const VOLUME: ResourceType = {
  name: 'aws_ebs_volume',
  service: 'EC2',
  label: 'EBS Volume',
  operations: { create: 'CreateVolume', read: 'DescribeVolumes', update: 'ModifyVolume', delete: 'DeleteVolume' },
  block: {
    attributes: {
      ...REGIONAL_TAGGED,
      availability_zone: required('string', { forceNew: true }),
      create_time: computed('string'),
      encrypted: chosen('bool', { forceNew: true }),
      final_snapshot: defaulted('bool', false),
      iops: chosen('number'),
      size: chosen('number'),
      snapshot_id: optional('string', { forceNew: true }),
      throughput: chosen('number'),
      type: chosen('string'),
    },
  },
  create: (values, context) => {
    const id = newId('vol');
    return fill(values, {
      id,
      arn: arn('ec2', context, `volume/${id}`),
      create_time: context.now().toISOString(),
      encrypted: false,
      iops: 3000,
      size: 1,
      throughput: 125,
      type: 'gp3',
    });
  },
  missing: (id) => new AwsError('InvalidVolume.NotFound', `The volume '${id}' does not exist.`),
  limit: () => new AwsError('VolumeLimitExceeded', 'Maximum number of volumes exceeded.'),
};
