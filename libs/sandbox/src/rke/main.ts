import { loadProgram } from '@crate/process/load-program';

await loadProgram(new URL('../bundle/rke.js', import.meta.url), () => import('./program.js'));
