export default {
  projects: ['<rootDir>/benchmarks', '<rootDir>/libs/*', '<rootDir>/infra/*', '<rootDir>/services/*'],
};
