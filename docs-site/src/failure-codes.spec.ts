import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ROOT } from './testing/repository.js';

/** Where the codes are declared that a kind shows as `status.failure.code`, by the runbook that begins with them. */
const PAGES: readonly (readonly [page: string, sources: readonly string[]])[] = [
  ['CrateEngineRunsFailing', ['services/cluster-mgmt/src/engine/engine-failure.ts']],
  [
    'CrateTerraformFailing',
    [
      'libs/terraform/src/failure-rules.ts',
      'libs/api/src/cloud/infrastructure.ts',
      'services/cloud-mgmt/src/infrastructure/phases/account.phase.ts',
    ],
  ],
];

/** The types whose members a run that failed may show, by the runbook that has to name each of them. */
const TYPES: readonly (readonly [page: string, source: string, type: string])[] = [
  ['CrateEngineRunsFailing', 'services/cluster-mgmt/src/engine/engine-failure.ts', 'EngineFailureCode'],
  ['CrateTerraformFailing', 'libs/terraform/src/failure-rules.ts', 'TerraformFailureCode'],
];

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

describe('failure codes that a runbook names', () => {
  it.each(PAGES)('%s: are those that people see', (page, sources) => {
    const declared = new Set(
      [
        ...sources
          .map(read)
          .join('\n')
          .matchAll(/'([A-Z]\w+)'/g),
      ].map(([, code]) => code),
    );
    const named = [...read(`docs/runbooks/${page}.md`).matchAll(/`([A-Z]\w*[a-z]\w*)`/g)].map(([, code]) => code);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((code) => !declared.has(code))).toEqual([]);
  });

  it.each(TYPES)('%s: are all of those that a run may end with', (page, source, type) => {
    const [, members = ''] = new RegExp(`export type ${type} =([^;]*);`).exec(read(source)) ?? [];
    const codes = [...members.matchAll(/\| '(\w+)'/g)].map(([, code]) => code);
    expect(codes.length).toBeGreaterThan(10);
    const text = read(`docs/runbooks/${page}.md`);
    expect(codes.filter((code) => !text.includes(`\`${code}\``))).toEqual([]);
  });
});
