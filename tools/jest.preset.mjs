import { url as inspectorUrl } from 'node:inspector';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

/** The Jest configuration every project shares: ESM through swc, workspace packages read from their sources. */
export function project(name) {
  return {
    displayName: name,
    testEnvironment: 'node',
    setupFilesAfterEnv: [`${root}/tools/jest.timeout.mjs`],
    extensionsToTreatAsEsm: ['.ts'],
    testMatch: ['<rootDir>/src/**/*.spec.ts'],
    modulePathIgnorePatterns: ['<rootDir>/dist'],
    moduleNameMapper: {
      '^@crate/infra-([a-z-]+)$': `${root}/infra/$1/src/index.ts`,
      '^@crate/([a-z-]+)$': `${root}/libs/$1/src/index.ts`,
      '^@crate/sandbox/(client|testing)$': `${root}/libs/sandbox/src/$1.ts`,
      '^(\\.{1,2}/.*)\\.js$': '$1',
    },
    transform: {
      '^.+\\.ts$': [
        '@swc/jest',
        {
          jsc: {
            target: 'es2023',
            parser: { syntax: 'typescript', decorators: true },
            transform: { legacyDecorator: true, decoratorMetadata: true },
          },
          module: { type: 'es6' },
          // Jest takes them from beside a module: within, all that a suite loads would be four times as long. A debugger finds none beside it.
          sourceMaps: inspectorUrl() === undefined ? true : 'inline',
        },
      ],
    },
    transformIgnorePatterns: ['/node_modules/', '/dist/'],
  };
}

/** The configuration of projects that run whole platforms: past its time (CRATE_TEST_MINUTES) a run begins no further file. */
export function stories(name) {
  return { ...project(name), testEnvironment: `${root}/tools/jest.story-environment.mjs` };
}
