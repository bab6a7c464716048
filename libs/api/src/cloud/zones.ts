/** Regions in which no account gets three zones. Source: https://docs.aws.amazon.com/global-infrastructure/latest/regions/aws-availability-zones.html */
const FEW: Readonly<Record<string, number>> = { 'us-west-1': 2 };

/** Zones that a cluster in a region of AWS can have; undefined where the region has all that may be asked for. */
export function mostZonesOf(region: string): number | undefined {
  return Object.hasOwn(FEW, region) ? FEW[region] : undefined;
}
