import { chosen, computed, defaulted, optional, required, type NestedBlock } from '../terraform/schema.js';
import type { Values } from '../terraform/value.js';
import { CallError } from './aws-error.js';
import { arn, fixedId } from './identifiers.js';
import { zonesOf } from './regions.js';
import type { DataSource } from './resource-type.js';
import { objects, text, texts } from './values.js';

const FILTER: NestedBlock = {
  nesting: 'set',
  block: { attributes: { name: required('string'), values: required(['set', 'string']) } },
};

const CANONICAL = '099720109477';
const IMAGE_NAME = /^ubuntu\/images\/hvm-ssd\/ubuntu-jammy-22\.04-(amd64|arm64)-server-\*$/;
/** The newest there is. */
const RELEASE = '20250305';
const NO_IMAGE = 'Your query returned no results. Please change your search criteria and try again.';

/** Images: the newest of Ubuntu 22.04, found by its publisher and the beginning of its name. */
export const IMAGE: DataSource = {
  name: 'aws_ami',
  block: {
    attributes: {
      architecture: computed('string'),
      arn: computed('string'),
      creation_date: computed('string'),
      id: computed('string'),
      image_id: computed('string'),
      include_deprecated: defaulted('bool', false),
      most_recent: defaulted('bool', false),
      name: computed('string'),
      owner_id: computed('string'),
      owners: optional(['list', 'string']),
      region: chosen('string'),
      root_device_name: computed('string'),
      state: computed('string'),
      virtualization_type: computed('string'),
    },
    blocks: { filter: FILTER },
  },
  read: (config, scope) => {
    const wanted = filterValues(config, 'name')[0] ?? '';
    const match = IMAGE_NAME.exec(wanted);
    if (!match || !texts(config, 'owners').includes(CANONICAL)) throw new CallError(NO_IMAGE);
    const [, architecture] = match;
    const name = wanted.replace('*', RELEASE);
    const id = fixedId('ami', `${scope.region}/${name}`);
    return {
      architecture: architecture === 'amd64' ? 'x86_64' : 'arm64',
      arn: arn('ec2', { ...scope, account: '' }, `image/${id}`),
      creation_date: '2025-03-05T00:00:00.000Z',
      id,
      image_id: id,
      name,
      owner_id: CANONICAL,
      root_device_name: '/dev/sda1',
      state: 'available',
      virtualization_type: 'hvm',
    };
  },
};

/** Zones of the region. */
export const AVAILABILITY_ZONES: DataSource = {
  name: 'aws_availability_zones',
  block: {
    attributes: {
      exclude_zone_ids: optional(['set', 'string']),
      group_names: computed(['set', 'string']),
      id: computed('string'),
      names: computed(['list', 'string']),
      region: chosen('string'),
      state: optional('string'),
      zone_ids: computed(['list', 'string']),
    },
    blocks: { filter: FILTER },
  },
  read: (config, scope) => {
    const excluded = texts(config, 'exclude_zone_ids');
    const zones = zonesOf(scope.region).filter(({ id }) => !excluded.includes(id));
    return {
      group_names: [scope.region],
      id: scope.region,
      names: zones.map(({ name }) => name),
      zone_ids: zones.map(({ id }) => id),
    };
  },
};

function filterValues(config: Values, name: string): string[] {
  const filter = objects(config, 'filter').find((candidate) => text(candidate, 'name') === name);
  return filter ? texts(filter, 'values') : [];
}
