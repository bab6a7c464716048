import nx from '@nx/eslint-plugin';
import jsxA11y from 'eslint-plugin-jsx-a11y';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

const adapters = ['type:adapter', 'type:runtime', 'type:api', 'type:util'];

/** Who may depend on whom: dependencies point one way, and a service never imports a service. */
const depConstraints = [
  { sourceTag: 'type:service', onlyDependOnLibsWithTags: [...adapters, 'type:testing'] },
  { sourceTag: 'type:adapter', onlyDependOnLibsWithTags: [...adapters, 'type:testing'] },
  { sourceTag: 'type:runtime', onlyDependOnLibsWithTags: ['type:runtime', 'type:api', 'type:util', 'type:testing'] },
  { sourceTag: 'type:util', onlyDependOnLibsWithTags: ['type:util'] },
  { sourceTag: 'type:api', onlyDependOnLibsWithTags: ['type:api'], allowedExternalImports: ['zod', '@jest/globals'] },
  { sourceTag: 'type:testing', onlyDependOnLibsWithTags: [...adapters, 'type:testing'] },
];

export default tseslint.config(
  {
    ignores: [
      '**/dist/**',
      '**/node_modules/**',
      '**/generated/**',
      '.nx/**',
      'coverage/**',
      '**/*.mjs',
      '**/*.js',
      '**/*.cjs',
    ],
  },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    plugins: { '@nx': nx },
    // Without types: the rules that need them are oxlint's. The two options say how Nest's decorators keep types alive.
    languageOptions: { parserOptions: { experimentalDecorators: true, emitDecoratorMetadata: true } },
    rules: {
      '@nx/enforce-module-boundaries': ['error', { allow: [], depConstraints, banTransitiveDependencies: false }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-else-return': ['error', { allowElseIf: false }],
      'no-console': 'error',
      'max-lines': ['warn', { max: 400, skipBlankLines: true, skipComments: true }],
      'max-params': ['warn', 4],
      'max-depth': ['warn', 3],
      complexity: ['warn', 12],
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'Export by name.' },
        {
          selector: "MemberExpression[object.name='process'][property.name='env']",
          message: 'Read the environment in config.ts only.',
        },
      ],
    },
  },
  { files: ['**/config.ts', '**/*.config.ts'], rules: { 'no-restricted-syntax': 'off' } },
  {
    files: ['**/*.spec.ts', '**/*.spec.tsx', 'libs/testing/**/*.ts'],
    rules: {
      'no-restricted-syntax': 'off',
      'max-lines': ['warn', { max: 800, skipBlankLines: true, skipComments: true }],
    },
  },
  { files: ['services/cli/**/*.ts'], rules: { 'no-console': 'off' } },
  { files: ['services/console/**/*.tsx'], ...jsxA11y.flatConfigs.strict },
  { files: ['services/console/**/*.ts', 'services/console/**/*.tsx'], ...reactHooks.configs.flat.recommended },
);
