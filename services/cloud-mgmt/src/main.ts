import { loadProgram } from '@crate/process/load-program';

await loadProgram(new URL('./bundle/service.js', import.meta.url), () => import('./service.js'));
