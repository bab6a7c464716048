import { project } from '../../tools/jest.preset.mjs';

const base = project('console');
const [[, swc]] = Object.entries(base.transform);
const [transformer, options] = swc;

/** As every project, and with the browser's document and JSX. */
export default {
  ...base,
  testEnvironment: '<rootDir>/src/testing/browser-environment.mjs',
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  testMatch: ['<rootDir>/src/**/*.spec.ts', '<rootDir>/src/**/*.spec.tsx'],
  moduleFileExtensions: ['ts', 'tsx', 'js', 'mjs', 'cjs', 'json'],
  moduleNameMapper: { '\\.css$': '<rootDir>/src/testing/no-style.cjs', ...base.moduleNameMapper },
  setupFilesAfterEnv: [...base.setupFilesAfterEnv, '<rootDir>/src/testing/setup.ts'],
  transform: {
    '^.+\\.tsx?$': [
      transformer,
      {
        ...options,
        jsc: {
          target: 'es2023',
          parser: { syntax: 'typescript', tsx: true },
          transform: { react: { runtime: 'automatic' } },
          experimental: { keepImportAttributes: true },
        },
      },
    ],
  },
};
