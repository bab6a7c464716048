import { project } from '../../tools/jest.preset.mjs';

export default project('pivot');
