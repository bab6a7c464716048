export default {
  projects: [
    '<rootDir>/benchmarks',
    '<rootDir>/chaos',
    '<rootDir>/e2e',
    '<rootDir>/libs/*',
    '<rootDir>/infra/*',
    '<rootDir>/services/*',
  ],
};
