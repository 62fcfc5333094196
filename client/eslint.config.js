// Lint rules of the page. Prettier decides the format; src/house.test.ts has the rules that are specific to this
// project. No file may switch a rule off.
//
// typescript-eslint needs the programming interface of TypeScript 6 (package typescript), which version 7 lacks. So
// "npm run check" has a TypeScript of its own: version 7 (package typescript-native) checks the types in a sixth of
// the time.
import js from '@eslint/js'
import { defineConfig, globalIgnores } from 'eslint/config'
import hooks from 'eslint-plugin-react-hooks'
import ts from 'typescript-eslint'

export default defineConfig(
  globalIgnores(['dist', 'public', 'node_modules', 'src/**/*.gen.ts']),
  { linterOptions: { noInlineConfig: true } },
  js.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    extends: [ts.configs.recommendedTypeChecked],
    plugins: { 'react-hooks': hooks },
    languageOptions: { parserOptions: { project: './tsconfig.test.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      'react-hooks/rules-of-hooks': 'error',
      'react-hooks/exhaustive-deps': ['error', { additionalHooks: '^(useSelect|usePart)$' }],
      complexity: ['error', 20],
      'max-depth': ['error', 5],
    },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    ignores: ['**/*.test.{ts,tsx}', 'src/testing/**'],
    rules: { 'max-lines-per-function': ['error', { max: 80 }] },
  },
  {
    // A limit of real time fails on a busy machine. Times are measured by "make bench".
    files: ['**/*.test.{ts,tsx}'],
    rules: { 'no-restricted-properties': ['error', { object: 'performance', property: 'now' }] },
  },
  {
    files: ['scripts/*.mjs'],
    languageOptions: { globals: { console: 'readonly', process: 'readonly', URL: 'readonly' } },
  },
)
