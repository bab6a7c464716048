import { fileURLToPath } from 'node:url';
import { project } from '../tools/jest.preset.mjs';

export default { ...project('e2e'), setupFilesAfterEnv: [fileURLToPath(new URL('jest.timeout.mjs', import.meta.url))] };
