import type { JsonSchema } from '../kinds/json-schema.js';
import { atomicMap, fields, listMap, set } from './built-in-schema.js';

/** Conditions are told apart by their type. */
export const CONDITIONS: JsonSchema = listMap(['type']);

const ENVIRONMENT = listMap(
  ['name'],
  fields({
    valueFrom: fields({
      fieldRef: atomicMap,
      resourceFieldRef: atomicMap,
      configMapKeyRef: atomicMap,
      secretKeyRef: atomicMap,
    }),
  }),
);

const CONTAINER = fields({
  env: ENVIRONMENT,
  ports: listMap(['containerPort', 'protocol'], {}, { protocol: 'TCP' }),
  volumeMounts: listMap(['mountPath']),
  volumeDevices: listMap(['devicePath']),
  resources: fields({ claims: listMap(['name']) }),
});

const SECRET_REFERENCE = fields({ secretRef: atomicMap });

const VOLUME = fields({
  cephfs: SECRET_REFERENCE,
  csi: fields({ nodePublishSecretRef: atomicMap }),
  ephemeral: fields({ volumeClaimTemplate: fields({ spec: fields({ selector: atomicMap }) }) }),
});

/** Lists of a pod that merge item by item, and objects that do not merge. */
export const POD_SPEC: JsonSchema = fields({
  containers: listMap(['name'], CONTAINER),
  initContainers: listMap(['name'], CONTAINER),
  ephemeralContainers: listMap(['name'], CONTAINER),
  volumes: listMap(['name'], VOLUME),
  imagePullSecrets: listMap(['name'], atomicMap),
  hostAliases: listMap(['ip']),
  topologySpreadConstraints: listMap(['topologyKey', 'whenUnsatisfiable'], fields({ labelSelector: atomicMap })),
  schedulingGates: listMap(['name']),
  resourceClaims: listMap(['name']),
  nodeSelector: atomicMap,
  affinity: fields({ nodeAffinity: fields({ requiredDuringSchedulingIgnoredDuringExecution: atomicMap }) }),
});

export const POD_STATUS: JsonSchema = fields({
  conditions: CONDITIONS,
  podIPs: listMap(['ip']),
});

const TEMPLATE_METADATA = fields({
  finalizers: set,
  ownerReferences: listMap(['uid'], atomicMap),
});

export const POD_TEMPLATE: JsonSchema = fields({ metadata: TEMPLATE_METADATA, spec: POD_SPEC });
