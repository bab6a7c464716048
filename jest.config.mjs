export default {
  // ES modules of a finished suite are not all given back, so a worker is renewed long before V8's limit ends it mid-suite.
  workerIdleMemoryLimit: '1.5GB',
  projects: [
    '<rootDir>/benchmarks',
    '<rootDir>/chaos',
    '<rootDir>/docs-site',
    '<rootDir>/e2e',
    '<rootDir>/libs/*',
    '<rootDir>/infra/*',
    '<rootDir>/release',
    '<rootDir>/services/*',
  ],
};
