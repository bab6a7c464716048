import { PLATFORM_STATUS_PATH, UPGRADE_PLAN_PATH } from '@crate/api';
import { OpenApiDocuments } from '@crate/resource-server';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from '@jest/globals';
import { PLATFORM_DOCUMENT } from './platform-document.js';

describe('the document of the platform', () => {
  it('is valid, alone and in the whole', async () => {
    const documents = new OpenApiDocuments({ title: 'Test', version: 'v1' }, [PLATFORM_DOCUMENT]);
    for (const rendered of [documents.version3([], 'platform'), documents.whole([])]) {
      const document = JSON.parse(rendered!.body.toString()) as Record<string, unknown>;
      for (const path of [PLATFORM_STATUS_PATH, UPGRADE_PLAN_PATH]) expect(document['paths']).toHaveProperty([path]);
      expect(await new Validator().validate(document)).toMatchObject({ valid: true });
    }
  });
});
