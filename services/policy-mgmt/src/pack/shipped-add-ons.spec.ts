import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import type { Policy } from '@crate/api';
import { catalogued, readPacks, RuleReviewer } from '@crate/policy-engine';
import { InMemoryLogger } from '@crate/telemetry';
import { parseAllDocuments } from 'yaml';

const packs = await readPacks(fileURLToPath(new URL('../../packs', import.meta.url)));
const policies = packs.map(({ name, spec }) => catalogued({ metadata: { name }, spec } as Policy));
const reviewer = new RuleReviewer(new InMemoryLogger());

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

async function manifests(): Promise<readonly Manifest[]> {
  const addOns = fileURLToPath(new URL('../../../../deploy/add-ons', import.meta.url));
  const files = (await readdir(addOns, { recursive: true })).filter(
    (file) => file.includes('manifests') && file.endsWith('.yaml'),
  );
  const texts = await Promise.all(files.sort().map(async (file) => readFile(join(addOns, file), 'utf8')));
  return texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as Manifest));
}

describe('the add-ons that ship', () => {
  it('break no rule, not even one that is only tried out', async () => {
    const documents = await manifests();
    const broken = documents.flatMap((document) => {
      const subject = { namespace: 'team-a', name: document.metadata.name, cluster: 'demo' };
      const { violations, recorded = [] } = reviewer.review({ stage: 'Manifest', document, subject }, { policies });
      return [...violations, ...recorded].map(({ policy }) => `${document.kind} ${document.metadata.name}: ${policy}`);
    });

    expect(documents.map(({ kind }) => kind)).toContain('Deployment');
    expect(broken).toEqual([]);
  });
});
