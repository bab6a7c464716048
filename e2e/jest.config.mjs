import { fileURLToPath } from 'node:url';
import { stories } from '../tools/jest.preset.mjs';

export default { ...stories('e2e'), setupFilesAfterEnv: [fileURLToPath(new URL('jest.timeout.mjs', import.meta.url))] };
