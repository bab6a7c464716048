import { loadProgram } from '@crate/process/load-program';

await loadProgram(new URL('../bundle/installation.js', import.meta.url), () => import('./installation.js'));
