import { project } from '../tools/jest.preset.mjs';

export default { ...project('e2e'), testTimeout: 300_000 };
