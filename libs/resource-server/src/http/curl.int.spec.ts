import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startApiServer, type ApiServerFixture } from '../fixtures/api-server.js';

const GUIDE = fileURLToPath(new URL('../../../../docs/curl.md', import.meta.url));
const MISSING = ['curl', 'jq'].filter((program) => spawnSync(program, ['--version']).error);

/** Commands of the guide, and what it says that they print. */
interface Step {
  readonly commands: string;
  readonly prints: readonly string[];
}

let server: ApiServerFixture;
let directory: string;
beforeAll(async () => {
  server = await startApiServer({ tls: true });
  directory = mkdtempSync(join(tmpdir(), 'curl-'));
  writeFileSync(join(directory, 'ca.crt'), server.ca ?? '');
});
afterAll(async () => {
  rmSync(directory, { recursive: true });
  await server.close();
});

const suite = MISSING.length > 0 ? describe.skip : describe;
suite(`docs/curl.md${MISSING.length > 0 ? `, skipped without ${MISSING.join(' and ')}` : ''}`, () => {
  const steps = stepsOf(readFileSync(GUIDE, 'utf8'));

  it('does what it says, from top to bottom', async () => {
    expect(steps.length).toBeGreaterThan(10);
    const mark = '=== end of a step ===';
    const outputs = (await bash(steps.map(({ commands }) => `${commands}\necho; echo '${mark}'`).join('\n'))).split(
      mark,
    );
    for (const [index, { commands, prints }] of steps.entries()) {
      for (const line of prints)
        expect({ commands, output: outputs[index] }).toMatchObject({ output: containing(line) });
    }
  });
});

function containing(line: string): unknown {
  return expect.stringContaining(line);
}

function stepsOf(guide: string): Step[] {
  const blocks = [...guide.matchAll(/^```(sh|text)\n([\s\S]*?)^```$/gm)];
  return blocks.flatMap(([, kind, commands = ''], index) => {
    const next = blocks[index + 1];
    const prints = next?.[1] === 'text' ? (next[2] ?? '').trim().split('\n') : [];
    return kind === 'sh' ? [{ commands, prints }] : [];
  });
}

function bash(script: string): Promise<string> {
  const env = { ...process.env, CRATE: server.url, TOKEN: 'ada-token', NO_PROXY: '*' };
  return new Promise((resolve) => {
    const child = execFile('bash', ['-s'], { cwd: directory, env }, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    );
    child.stdin?.end(script);
  });
}
