import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

const dist = join(import.meta.dirname, 'dist')

// dist/placeholder.html is in git, so that the server compiles from a fresh clone. A build replaces everything else.
const keepPlaceholder = {
  name: 'keep-placeholder',
  apply: 'build' as const,
  buildStart() {
    mkdirSync(dist, { recursive: true })
    for (const name of readdirSync(dist)) {
      if (name !== 'placeholder.html') rmSync(join(dist, name), { recursive: true })
    }
  },
}

// The server during development; "make dev" starts it.
const server = process.env['AGENTDUNGEON_DEV_SERVER'] ?? 'http://127.0.0.1:3001'

const port = 5173
const pages = [`http://127.0.0.1:${port}`, `http://localhost:${port}`]

export default defineConfig({
  plugins: [keepPlaceholder],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: { outDir: 'dist', emptyOutDir: false, target: 'es2022', sourcemap: false },
  server: {
    host: '127.0.0.1',
    port,
    strictPort: true,
    proxy: {
      // The server accepts only its own Origin and Host (B8): the development page gets them, no other page does.
      '/ws': {
        target: server,
        ws: true,
        changeOrigin: true,
        configure(proxy) {
          proxy.on('proxyReqWs', (out, request) => {
            if (pages.includes(request.headers.origin ?? '')) out.setHeader('origin', server)
          })
        },
      },
      '/api': { target: server, changeOrigin: true },
    },
  },
  test: {
    environment: 'happy-dom',
    include: ['src/**/*.test.{ts,tsx}'],
    restoreMocks: true,
    // Long enough for a busy machine; it only stops a test that hangs.
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
})
