import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { ROOT } from './testing/root.js';

// In a copy with nothing but tools: there, anything that is run comes to nothing.
const copy = mkdtempSync(join(tmpdir(), 'crate-test-command-'));
cpSync(join(ROOT, 'tools'), join(copy, 'tools'), { recursive: true });
afterAll(() => rmSync(copy, { recursive: true }));

it.each(['--help', '-h'])(
  'tells with %s what it does, and does nothing',
  (option) => {
    const said = execFileSync(process.execPath, [join(copy, 'tools/test.mjs'), option], {
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect(said).toMatch(/^Usage: npm test /);
    expect(said).toContain('CRATE_TEST_MINUTES');
  },
  120_000,
);
