import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { pagesManifest } from './pages.js';

const at = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

writeFileSync(at('deploy/add-ons/docs/manifests/10-pages.yaml'), pagesManifest(at('docs/using-a-cluster')));
