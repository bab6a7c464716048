export default {
  projects: ['<rootDir>/libs/*', '<rootDir>/infra/*', '<rootDir>/services/*'],
};
