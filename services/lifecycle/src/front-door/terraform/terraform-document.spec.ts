import { OpenApiDocuments } from '@crate/resource-server';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from '@jest/globals';
import { TERRAFORM_DOCUMENT } from './terraform-document.js';
import { terraformTarget } from './terraform-target.js';

const [path = ''] = Object.keys(TERRAFORM_DOCUMENT.paths);

describe('the document of the HTTP backend', () => {
  it('is valid, alone and in the whole', async () => {
    const documents = new OpenApiDocuments({ title: 'Test', version: 'v1' }, [TERRAFORM_DOCUMENT]);
    for (const rendered of [documents.version3([], 'terraform'), documents.whole([])]) {
      const document = JSON.parse(rendered!.body.toString()) as Record<string, unknown>;
      expect(document['paths']).toHaveProperty([path]);
      expect(await new Validator().validate(document)).toMatchObject({ valid: true });
    }
  });

  it('describes just the methods that are answered', () => {
    const {
      parameters: _parameters,
      'x-additionalOperations': more,
      ...own
    } = TERRAFORM_DOCUMENT.paths[path] as Record<string, object>;
    const described = [...Object.keys(own), ...Object.keys(more!)].map((method) => method.toUpperCase());
    const known = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'LOCK', 'UNLOCK'];
    const target = path.replaceAll(/[{}]/g, '');
    expect(described.sort()).toEqual(known.filter((method) => terraformTarget(method, target)).sort());
  });
});
