import type { Endpoints, Service } from '../kinds/service.js';

/** A name of a cluster's DNS, by namespace and by what comes before that, and one address it stands for. */
export interface NameRecord {
  readonly namespace: string;
  readonly name: string;
  readonly address: string;
}

/**
 * The names that a Service gives. One with an address of its own (`address`) has that; a headless one those of its pods, which also have names
 * of their own if they have a host name. An ExternalName has none here, since a file of hosts knows no aliases.
 * Source: https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/
 */
export function recordsOf(
  { metadata, spec }: Service,
  endpoints: Endpoints | undefined,
  address: string | undefined,
): readonly NameRecord[] {
  const { name, namespace = '' } = metadata;
  if (address !== undefined) return [{ namespace, name, address }];
  if (spec.clusterIP !== 'None') return [];
  const pods = (endpoints?.subsets ?? []).flatMap(({ addresses = [] }) => addresses);
  return pods.flatMap(({ ip, hostname }) => [
    { namespace, name, address: ip },
    ...(hostname === undefined ? [] : [{ namespace, name: `${hostname}.${name}`, address: ip }]),
  ]);
}

/** What `/etc/hosts` has for pods of a namespace: every form of a name that the search list of a pod would lead to. */
export function hostsText(namespace: string, records: readonly NameRecord[], domain: string): string {
  return records
    .map((record) => {
      const qualified = `${record.name}.${record.namespace}`;
      const short = record.namespace === namespace ? [record.name] : [];
      return `${[record.address, `${qualified}.svc.${domain}`, `${qualified}.svc`, qualified, ...short].join(' ')}\n`;
    })
    .sort()
    .join('');
}
