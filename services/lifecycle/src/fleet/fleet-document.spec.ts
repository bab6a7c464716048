import { FLEET_PATH } from '@crate/api';
import { OpenApiDocuments } from '@crate/resource-server';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from '@jest/globals';
import { aFleetCluster, at, not } from '../testing/a-fleet.js';
import { FLEET_DOCUMENT } from './fleet-document.js';
import { FleetIndex } from './fleet-index.js';
import { fleetPage } from './fleet-page.js';
import { KNOWN_PARAMETERS, parseFleetQuery } from './fleet-query.js';

interface Shape {
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
}

interface Described {
  readonly parameters: readonly { readonly name: string }[];
  readonly responses: { readonly 200: { readonly content: Readonly<Record<string, { readonly schema: Shape }>> } };
}

const { get } = FLEET_DOCUMENT.paths[FLEET_PATH] as { readonly get: Described };

/** Fields of a value that nobody describes, and described ones that it should have and has not. */
function differences(value: unknown, shape: Shape | undefined, path: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => differences(item, shape?.items, `${path}[]`));
  if (typeof value !== 'object' || value === null || !shape?.properties) return [];
  const { properties, required = [] } = shape;
  const missing = required.filter((name) => !(name in value)).map((name) => `${path}.${name} is missing`);
  const others = Object.entries(value).flatMap(([name, each]) =>
    name in properties ? differences(each, properties[name], `${path}.${name}`) : [`${path}.${name} is not described`],
  );
  return [...missing, ...others];
}

describe('the document of the fleet', () => {
  it('is valid, alone and in the whole', async () => {
    const documents = new OpenApiDocuments({ title: 'Test', version: 'v1' }, [FLEET_DOCUMENT]);
    for (const rendered of [documents.version3([], 'fleet'), documents.whole([])]) {
      const document = JSON.parse(rendered!.body.toString()) as Record<string, unknown>;
      expect(document['paths']).toHaveProperty([FLEET_PATH]);
      expect(await new Validator().validate(document)).toMatchObject({ valid: true });
    }
  });

  it('describes just the parameters that are read', () => {
    expect(get.parameters.map(({ name }) => name).sort()).toEqual([...KNOWN_PARAMETERS].sort());
  });

  it('describes just what is answered', () => {
    const index = new FleetIndex();
    const conditions = [not('InSync', 'OnHold', '03:00')];
    const status = {
      policy: { fail: 0, warn: 1 },
      progress: { step: 1, steps: 2, message: 'x' },
      phases: [{ name: 'Policy', state: 'Running' as const, step: 0, steps: 1, message: '' }],
    };
    const spec = { classRef: { name: 'golden' } };
    index.put(aFleetCluster({ name: 'full', spec, conditions, status }));
    index.put(aFleetCluster({ name: 'going', metadata: { deletionTimestamp: at('05:00') } }));
    index.put(aFleetCluster({ name: 'healthy' }));
    const page = fleetPage(index, parseFleetQuery(new URLSearchParams()), { key: '*' });
    expect(differences(page, get.responses[200].content['application/json']?.schema, 'page')).toEqual([]);
    const described = get.responses[200].content['application/json']?.schema.properties?.['rows']?.items?.properties;
    const answered = new Set(page.rows.flatMap((row) => Object.keys(row)));
    expect(Object.keys(described ?? {}).sort()).toEqual([...answered].sort());
  });
});
