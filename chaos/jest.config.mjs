import { stories } from '../tools/jest.preset.mjs';

export default stories('chaos');
