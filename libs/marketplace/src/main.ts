import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { releaseFacts } from './release-facts.js';
import { ROOT, TEMPLATE_FILE, templateText } from './written-files.js';

const { values } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    url: { type: 'string' },
    release: { type: 'string' },
    'public-key': { type: 'string' },
    out: { type: 'string' },
  },
});
const file = values.out ?? join(ROOT, TEMPLATE_FILE);
const facts = ['url', 'release', 'public-key'] as const;
const missing = facts.filter((name) => values[name] === undefined);

if (missing.length % facts.length !== 0) refuse();
else write();

/** A part of them says no release: the template would be of none, and each customer would read so from a stack. */
function refuse(): void {
  const options = (names: readonly string[]): string => names.map((name) => `--${name}`).join(', ');
  const given = facts.filter((name) => !missing.includes(name));
  process.stderr.write(`${options(missing)} is missing beside ${options(given)}\n`);
  process.exitCode = 1;
}

function write(): void {
  const { url, release, 'public-key': key } = values;
  const isOfRelease = url !== undefined && release !== undefined && key !== undefined;
  const text = templateText(isOfRelease ? releaseFacts(url, release, key) : undefined);
  if (!values.check) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    process.stderr.write(`${TEMPLATE_FILE} is out of date: node libs/marketplace/dist/main.js\n`);
    process.exitCode = 1;
  }
}
