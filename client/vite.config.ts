import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
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

/** The maximum size of the scripts that the first screen needs, in bytes after gzip. */
const FIRST_SCREEN = 100_000

interface Output {
  type: string
  isEntry?: boolean
  code?: string
  imports?: string[]
}

// Fails the build if the first screen gets large: what it does not need is loaded by a dynamic import.
const firstScreen = {
  name: 'first-screen',
  apply: 'build' as const,
  generateBundle(this: { error: (text: string) => never }, _: unknown, bundle: Record<string, Output>) {
    const needed = new Set(Object.keys(bundle).filter((name) => bundle[name]?.isEntry))
    for (const name of needed) for (const other of bundle[name]?.imports ?? []) needed.add(other)
    const size = [...needed].reduce((sum, name) => sum + gzipSync(bundle[name]?.code ?? '', { level: 9 }).length, 0)
    if (size > FIRST_SCREEN) this.error(`the first screen has ${size} bytes of script, at most ${FIRST_SCREEN} fit`)
  },
}

// The server during development; "make dev" starts it.
const server = process.env['AGENTDUNGEON_DEV_SERVER'] ?? 'http://127.0.0.1:3001'

const port = 5173
const pages = [`http://127.0.0.1:${port}`, `http://localhost:${port}`]

export default defineConfig({
  plugins: [keepPlaceholder, firstScreen],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: { outDir: 'dist', emptyOutDir: false, target: 'es2022', sourcemap: false },
  server: {
    host: '127.0.0.1',
    port,
    strictPort: true,
    proxy: {
      // The server accepts only requests with its own Origin and Host (B8). The proxy sets both to those of the server,
      // the Origin only for this development page.
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
    // All test files of a worker share one page, because vitest does not isolate them; clean.ts empties the page
    // between two files.
    pool: 'threads',
    isolate: false,
    setupFiles: 'src/testing/clean.ts',
    // Long enough for a busy machine; it only stops a test that hangs.
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
})
