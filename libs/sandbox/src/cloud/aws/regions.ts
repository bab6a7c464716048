import { mostZonesOf } from '@crate/api';

/** The commercial ones. Source: https://docs.aws.amazon.com/global-infrastructure/latest/regions/aws-regions.html */
const REGIONS = [
  'af-south-1',
  'ap-east-1',
  'ap-east-2',
  'ap-northeast-1',
  'ap-northeast-2',
  'ap-northeast-3',
  'ap-south-1',
  'ap-south-2',
  'ap-southeast-1',
  'ap-southeast-2',
  'ap-southeast-3',
  'ap-southeast-4',
  'ap-southeast-5',
  'ap-southeast-6',
  'ap-southeast-7',
  'ca-central-1',
  'ca-west-1',
  'eu-central-1',
  'eu-central-2',
  'eu-north-1',
  'eu-south-1',
  'eu-south-2',
  'eu-west-1',
  'eu-west-2',
  'eu-west-3',
  'il-central-1',
  'me-central-1',
  'me-south-1',
  'mx-central-1',
  'sa-east-1',
  'us-east-1',
  'us-east-2',
  'us-west-1',
  'us-west-2',
];

/** Some of those with lower numbers are old, and nothing is made in them any more. */
const FIRST_ZONE = 4;

/** One availability zone. */
export interface Zone {
  readonly name: string;
  readonly id: string;
}

/** True for a region that the simulated cloud has. */
export function isRegion(name: string): boolean {
  return REGIONS.includes(name);
}

const USUAL_ZONES = 3;

/** Zones of a region, as an account sees it that is new: three in each that has as many. */
export function zonesOf(region: string): Zone[] {
  const [continent = '', direction = '', index = ''] = region.split('-');
  const shortName = continent + direction.slice(0, 1) + (direction.length > 5 ? direction.slice(5, 6) : '') + index;
  const letters = ['a', 'b', 'c'].slice(0, mostZonesOf(region) ?? USUAL_ZONES);
  return letters.map((letter, zone) => ({ name: region + letter, id: `${shortName}-az${zone + FIRST_ZONE}` }));
}
