import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** A running front door, for `npm run dev`. */
const FRONT_DOOR = process.env['CRATE_SERVER'] ?? 'https://127.0.0.1:7443';

export default defineConfig({
  base: '/console/',
  plugins: [react()],
  build: {
    outDir: 'dist',
    target: 'es2022',
    // The page's content security policy allows neither inline scripts nor data: fonts.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    manifest: 'manifest.json',
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // What every page needs comes as one file, not as forty that each cost a request.
            { name: 'console', tags: ['$initial'] },
            // What many pages need as one more; the rest as it falls out, so that no page loads another's editor or chart.
            { name: 'common', test: /[\\/](@patternfly|components|api)[\\/]/, minShareCount: 4 },
          ],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      [
        '/api',
        '/apis',
        '/audit',
        '/fleet',
        '/openapi',
        '/platform',
        '/readyz',
        '/version',
        '/.well-known',
        '/console/session',
        '/console/login',
        '/console/signed-out',
      ].map((path) => [path, { target: FRONT_DOOR, secure: false }]),
    ),
  },
});
