import { OpenApiDocuments } from '@crate/resource-server';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from '@jest/globals';
import { DOOR_DOCUMENTS } from './door-documents.js';
import { INDEX_PATHS } from './index-route.js';

/** What people look at, and what is described elsewhere. */
const PAGES = ['/asyncapi', '/console/', '/docs', '/docs/openapi.json', '/openapi/v2', '/openapi/v3'];

describe('what the front door offers beside resources', () => {
  const documents = new OpenApiDocuments({ title: 'Test', version: 'v1' }, DOOR_DOCUMENTS);
  const whole = JSON.parse(documents.whole([]).body.toString()) as { readonly paths: Record<string, unknown> };

  it('is described in one document, which is valid, and in one of each part', async () => {
    expect(await new Validator().validate(structuredClone(whole))).toMatchObject({ valid: true });
    for (const { path } of DOOR_DOCUMENTS) {
      const part = JSON.parse(documents.version3([], path)!.body.toString()) as Record<string, unknown>;
      expect(await new Validator().validate(part)).toMatchObject({ valid: true });
    }
  });

  it('is in the document if it is in the index', () => {
    const described = Object.keys(whole.paths).map((path) => path.replace(/\/$/, ''));
    expect(INDEX_PATHS.filter((path) => !PAGES.includes(path) && !described.includes(path))).toEqual([]);
  });

  it('is in the index if it is in the document, and can be asked for without knowing a name', () => {
    const own = DOOR_DOCUMENTS.flatMap(({ paths }) => Object.keys(paths));
    expect(own.filter((path) => !path.includes('{') && !INDEX_PATHS.includes(path))).toEqual([]);
    expect(own).toContain('/audit/events');
  });
});
