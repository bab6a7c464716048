import { readFileSync } from 'node:fs';
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
      ...bundled(name),
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

/**
 * What `npm test` has bundled of other workspaces and of packages (CRATE_TEST_MODULES names the file that tells where), by their names. A library's
 * own specs load its sources by their paths, so its name leads there as well.
 */
function bundled(project) {
  const file = process.env.CRATE_TEST_MODULES;
  if (file === undefined) return {};
  const others = Object.entries(JSON.parse(readFileSync(file, 'utf8'))).filter(
    ([name]) => !isPartOf(`@crate/${project}`, name),
  );
  return Object.fromEntries(others.map(([name, place]) => [`^${name}$`, place]));
}

const isPartOf = (library, name) => name === library || name.startsWith(`${library}/`);
