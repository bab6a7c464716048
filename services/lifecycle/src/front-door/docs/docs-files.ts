import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PAGE_SCRIPT, PAGE_STYLE, pageOf, THEME_SCRIPT } from './docs-page.js';
import { StaticFile } from './static-file.js';

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

/** What the page takes from the renderer. */
const RENDERER_FILES: Readonly<Record<string, string>> = {
  'swagger-ui-bundle.js': SCRIPT,
  'swagger-ui.css': STYLE,
  'favicon-32x32.png': 'image/png',
};

/** The files of the reference, by path; read and compressed when they are first asked for. */
export class DocsFiles {
  private loaded: Promise<ReadonlyMap<string, StaticFile>> | undefined;

  /** Undefined for an unknown path. */
  async find(path: string): Promise<StaticFile | undefined> {
    this.loaded ??= load();
    return (await this.loaded).get(path);
  }
}

async function load(): Promise<ReadonlyMap<string, StaticFile>> {
  const manifest = createRequire(import.meta.url).resolve('swagger-ui-dist/package.json');
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string };
  const assets = `/docs/assets/${version}`;
  const files = new Map<string, StaticFile>([
    ['/docs', new StaticFile(Buffer.from(pageOf(assets)), 'text/html; charset=utf-8')],
    [`${assets}/theme.js`, own(THEME_SCRIPT, SCRIPT)],
    [`${assets}/page.js`, own(PAGE_SCRIPT, SCRIPT)],
    [`${assets}/page.css`, own(PAGE_STYLE, STYLE)],
  ]);
  for (const [name, type] of Object.entries(RENDERER_FILES)) {
    files.set(`${assets}/${name}`, new StaticFile(await readFile(join(dirname(manifest), name)), type, 'forever'));
  }
  return files;
}

/** Not versioned: these change with this service, and not with the renderer. */
function own(content: string, type: string): StaticFile {
  return new StaticFile(Buffer.from(content), type);
}
