import type { KubeObject } from '@crate/api';
import type { Endpoints, EndpointSlice, Service } from '../kinds/service.js';
import { formatSelector } from '../label-selector.js';

type Cells = Readonly<Record<string, unknown>>;

/** As many addresses as kubectl shows before it says how many more there are. */
const SHOWN = 3;

export function printedService({ spec, status }: Service): Cells {
  const ports = (spec.ports ?? []).map(({ port, nodePort, protocol }) =>
    nodePort === undefined ? `${port}/${protocol}` : `${port}:${nodePort}/${protocol}`,
  );
  const ingress = (status?.loadBalancer?.ingress ?? []) as readonly {
    readonly ip?: string;
    readonly hostname?: string;
  }[];
  const balanced = ingress.map(({ ip, hostname }) => ip ?? hostname).join(',');
  const external = spec.externalIPs?.join(',') ?? '<none>';
  return {
    externalIP: spec.type === 'LoadBalancer' ? balanced || '<pending>' : (spec.externalName ?? external),
    ports: ports.join(',') || '<none>',
    selector: formatSelector(spec.selector && { matchLabels: spec.selector }),
  };
}

export function printedEndpoints({ subsets }: Endpoints): Cells {
  const all = (subsets ?? []).flatMap(({ addresses = [], ports = [] }) =>
    addresses.flatMap(({ ip }) => ports.map(({ port }) => `${ip}:${port}`)),
  );
  return { endpoints: shorten(all) };
}

export function printedSlice({ endpoints, ports }: EndpointSlice): Cells {
  return {
    ports: (ports ?? []).map(({ port }) => port).join(',') || '<unset>',
    endpoints: shorten(endpoints.flatMap(({ addresses }) => addresses)),
  };
}

export function printedIngress(object: KubeObject): Cells {
  const { rules = [], tls } = object['spec'] as { rules?: readonly { host?: string }[]; tls?: readonly unknown[] };
  const hosts = rules.map(({ host }) => host).filter((host) => host !== undefined);
  return { hosts: hosts.join(',') || '*', address: '', ports: tls ? '80, 443' : '80' };
}

function shorten(values: readonly string[]): string {
  const shown = values.slice(0, SHOWN).join(',') || '<none>';
  return values.length > SHOWN ? `${shown} + ${values.length - SHOWN} more...` : shown;
}
