import { z } from 'zod';

const text = z.string();
/** YAML gives numbers for ports and ids that the engine keeps as text. */
const looseText = z.union([z.string(), z.number()]).transform(String);
const texts = z.record(z.string(), looseText);

const bastionHost = z.looseObject({
  address: text.default(''),
  port: looseText.default('22'),
  user: text.default(''),
  ssh_key: text.optional(),
  ssh_key_path: text.optional(),
});

/** A taint of a host, there and in the state file. */
export const taint = z.looseObject({
  key: text,
  value: looseText.optional(),
  effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']),
});

const node = z.looseObject({
  address: text.default(''),
  port: looseText.default('22'),
  internal_address: text.default(''),
  role: z.array(text).default([]),
  hostname_override: text.default(''),
  user: text.default(''),
  ssh_key: text.optional(),
  ssh_key_path: text.optional(),
  labels: texts.nullish(),
  taints: z.array(taint).nullish(),
});

const services = z.looseObject({
  'kube-api': z.looseObject({ service_cluster_ip_range: text.default('10.43.0.0/16') }).prefault({}),
  'kube-controller': z
    .looseObject({ cluster_cidr: text.default('10.42.0.0/16'), service_cluster_ip_range: text.default('10.43.0.0/16') })
    .prefault({}),
  kubelet: z
    .looseObject({ cluster_domain: text.default('cluster.local'), cluster_dns_server: text.default('10.43.0.10') })
    .prefault({}),
});

/**
 * `cluster.yml` with the engine's defaults. Fields the sandbox gives no meaning are kept as they are, and unknown ones
 * are not refused, as the engine's YAML decoder ignores them.
 * Source: https://rke.docs.rancher.com/config-options
 */
export const clusterConfig = z.looseObject({
  nodes: z
    .array(node)
    .nullish()
    .transform((nodes) => nodes ?? []),
  services: services.prefault({}),
  network: z.looseObject({ plugin: text.default('canal') }).prefault({}),
  authentication: z.looseObject({ strategy: text.default('x509'), sans: z.array(text).nullish() }).prefault({}),
  authorization: z.looseObject({ mode: text.default('rbac') }).prefault({}),
  ingress: z.looseObject({ provider: text.default('nginx') }).prefault({}),
  monitoring: z.looseObject({ provider: text.default('metrics-server') }).prefault({}),
  bastion_host: bastionHost.optional(),
  ssh_key_path: text.default('~/.ssh/id_rsa'),
  kubernetes_version: text.default(''),
  cluster_name: text.default('local'),
  upgrade_strategy: z
    .looseObject({
      max_unavailable_worker: looseText.default('10%'),
      max_unavailable_controlplane: looseText.default('1'),
      drain: z.boolean().default(false),
    })
    .prefault({}),
  addons: text.nullish().transform((addons) => addons ?? ''),
});

export type ClusterConfig = z.output<typeof clusterConfig>;
export type NodeConfig = ClusterConfig['nodes'][number];
