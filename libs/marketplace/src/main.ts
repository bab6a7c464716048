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
const { url, release, 'public-key': key } = values;
const isOfRelease = url !== undefined && release !== undefined && key !== undefined;
const text = templateText(isOfRelease ? releaseFacts(url, release, key) : undefined);
if (!values.check) writeFileSync(file, text);
else if (readFileSync(file, 'utf8') !== text) {
  process.stderr.write(`${TEMPLATE_FILE} is out of date: node libs/marketplace/dist/main.js\n`);
  process.exitCode = 1;
}
