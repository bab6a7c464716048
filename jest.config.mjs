export default {
  projects: ['<rootDir>/benchmarks', '<rootDir>/e2e', '<rootDir>/libs/*', '<rootDir>/infra/*', '<rootDir>/services/*'],
};
