import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LocalImagesInput } from '../containers/image-catalog.js';

/**
 * A small program as containers hold one: says at `/` what it was given, is ready once asked for `/open`, ends at `/exit?CODE`, stops living at
 * `/hang`, passes on at `/ask?URL` what another one says or 502 and why not, and takes its time to end when it is asked to, which it notes in its data.
 */
const PROGRAM = `
import { appendFileSync, readFileSync } from 'node:fs';
import { createServer, get } from 'node:http';
const { HOST, DATA = '', MESSAGE_FILE = '' } = process.env;
let isOpen = process.env.OPEN === 'yes';
let isAlive = true;
const note = (word) => DATA && appendFileSync(DATA, word + ' ' + process.pid + '\\n');
const page = () => JSON.stringify({ environment: process.env, arguments: process.argv.slice(2), message: MESSAGE_FILE && readFileSync(MESSAGE_FILE, 'utf8') });
const server = createServer((request, response) => {
  const [path, code] = request.url.split('?');
  if (path === '/exit') process.exit(Number(code));
  if (path === '/open') isOpen = true;
  if (path === '/hang') isAlive = false;
  if (path === '/ask') {
    const asked = get(request.url.slice('/ask?'.length), { agent: false }, (answer) => answer.pipe(response));
    asked.on('error', ({ code }) => response.writeHead(502).end(code));
    return;
  }
  const isGood = path === '/readyz' ? isOpen : path === '/healthz' ? isAlive : true;
  response.writeHead(isGood ? 200 : 503).end(path === '/' ? page() : '');
});
note('began');
console.log('listening');
server.listen(8080, HOST);
process.on('SIGTERM', () => setTimeout(() => (note('ended'), process.exit(0)), 1500));
`;

/** Writes it below the directory and gives the image that it stands for. */
export async function webImage(directory: string): Promise<LocalImagesInput[string]> {
  const file = join(directory, 'web.mjs');
  await writeFile(file, PROGRAM);
  return { command: [process.execPath, file], environment: { PROGRAM_FILE: file, HOST: '0.0.0.0' }, paths: {} };
}
