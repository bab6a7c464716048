import { z } from 'zod';
import type { KindDefinition, PrinterColumn } from '@crate/api';
import type { KindInfo, ResourceType } from '@crate/resource-client';
import {
  KindRegistry,
  type AdmissionHook,
  type JsonSchema,
  type RegisteredKind,
  type ServedKind,
} from '@crate/resource-server';
import type { Collection } from '@crate/resource-store';
import { CORE_KINDS } from './core-kinds.js';
import type { CustomResourceDefinition } from './custom-resource-definition.js';
import { AGE } from './define-core-kind.js';

/** Schemas and what follows from them are worked out once and shared by all clusters. */
const SHARED = new KindRegistry(CORE_KINDS.map((definition): ServedKind => ({ definition })));

/** What one cluster adds to a core kind. */
export type CoreKindParts = Pick<ServedKind, 'admit' | 'subresources'>;

/** The kinds of one simulated cluster: the core kinds, and the custom ones while they are defined. */
export class ClusterKinds extends KindRegistry {
  private readonly core = new Map<string, RegisteredKind>();
  private readonly customByName = new Map<
    string,
    { readonly version: string; readonly kinds: readonly ServedKind[] }
  >();

  /** `partsOf` gives the hooks of a core kind, which know the cluster. */
  constructor(
    partsOf: (definition: KindDefinition) => CoreKindParts,
    private readonly admitCustom: readonly AdmissionHook[],
  ) {
    super();
    for (const { group, version, plural } of SHARED.infos()) {
      const shared = SHARED.get({ group, version, plural });
      this.core.set(keyOf({ group, version, plural }), { ...shared, ...partsOf(shared.definition) });
    }
  }

  override find(type: ResourceType): RegisteredKind | undefined {
    return this.core.get(keyOf(type)) ?? super.find(type);
  }

  override infos(): readonly KindInfo[] {
    const all = [...SHARED.infos(), ...super.infos()];
    return all.sort((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1));
  }

  /** Serves what the definition describes; does nothing when it did so already. */
  addCustom(definition: CustomResourceDefinition): void {
    const { name, uid, generation } = definition.metadata;
    const version = `${uid}/${generation}`;
    if (this.customByName.get(name)?.version === version) return;
    this.removeCustom(name);
    const kinds = customKinds(definition, this.admitCustom);
    this.customByName.set(name, { version, kinds });
    for (const kind of kinds) this.add(kind);
  }

  removeCustom(name: string): void {
    for (const { definition } of this.customByName.get(name)?.kinds ?? []) this.remove(definition);
    this.customByName.delete(name);
  }

  /** Every namespaced collection once, however many versions serve it. */
  namespacedCollections(): readonly Collection[] {
    const namespaced = this.infos().filter((info) => info.namespaced);
    return [...new Map(namespaced.map(({ group, kind }) => [`${group}/${kind}`, { group, kind }])).values()];
  }
}

function customKinds({ spec }: CustomResourceDefinition, admit: readonly AdmissionHook[]): readonly ServedKind[] {
  return spec.versions
    .filter(({ served }) => served)
    .map((version) => {
      const definition: KindDefinition = {
        group: spec.group,
        version: version.name,
        kind: spec.names.kind,
        plural: spec.names.plural,
        singular: spec.names.singular ?? spec.names.kind.toLowerCase(),
        shortNames: spec.names.shortNames ?? [],
        categories: spec.names.categories ?? [],
        namespaced: spec.scope === 'Namespaced',
        description: `${spec.names.kind} of ${spec.group}.`,
        body: z.looseObject({}),
        printerColumns: (version.additionalPrinterColumns ?? [])
          .map(printerColumn)
          .concat(version.additionalPrinterColumns ? [] : [AGE]),
        hasStatus: version.subresources?.status !== undefined,
        selectableFields: (version.selectableFields ?? []).map(({ jsonPath }) => jsonPath.replace(/^\./, '')),
        subresources: [],
      };
      return { definition, schema: bodySchema(version.schema?.openAPIV3Schema ?? {}), admit };
    });
}

function bodySchema(schema: Record<string, unknown>): JsonSchema {
  const {
    apiVersion: _a,
    kind: _k,
    metadata: _m,
    ...properties
  } = (schema['properties'] ?? {}) as Record<string, JsonSchema>;
  const required = ((schema['required'] ?? []) as readonly string[]).filter((name) => name in properties);
  return { ...(schema as JsonSchema), properties, required };
}

function printerColumn(
  column: NonNullable<CustomResourceDefinition['spec']['versions'][number]['additionalPrinterColumns']>[number],
): PrinterColumn {
  const { name, type, jsonPath, description, priority } = column;
  return {
    name,
    type: type === 'number' ? 'string' : type,
    jsonPath,
    ...(description === undefined ? {} : { description }),
    ...(priority === undefined ? {} : { priority }),
  };
}

function keyOf({ group, version, plural }: ResourceType): string {
  return `${group}/${version}/${plural}`;
}
