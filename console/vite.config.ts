/**
 * Builds the console, and serves it while it is worked on. The page holds no inline script and no inline style, so that
 * it runs under a Content-Security-Policy without `unsafe-…`; addresses of its files are relative.
 *
 * `npm run --workspace console dev` shows it on a port of its own, with everything else from the server at
 * FACTOTUM_URL (http://127.0.0.1:4000 when not set); FACTOTUM_TOKEN, when set, is who asks.
 */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type ProxyOptions } from 'vite'

const clientSource = fileURLToPath(new URL('../packages/client/src', import.meta.url))

const radix = fileURLToPath(import.meta.resolve('radix-ui'))

const server = process.env['FACTOTUM_URL'] ?? 'http://127.0.0.1:4000'
const token = process.env['FACTOTUM_TOKEN']
const toServer: ProxyOptions = {
  target: server,
  changeOrigin: true,
  ws: true,
  headers: { origin: server, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
}

/** The parts of Radix each have their own copy of what they share; the page has that of `radix-ui` alone. */
const oneCopyOfRadix: Plugin = {
  name: 'one-copy-of-radix',
  enforce: 'pre',
  resolveId(source, _importer, options) {
    if (!source.startsWith('@radix-ui/')) return null
    return this.resolve(source, radix, { ...options, skipSelf: true })
  },
}

const DOCUMENT = /^export const (\w+) = new TypedDocumentString\((`[^`]*`)/gm

/** Codegen writes all documents into one module, of which a page would load each: here every document is a module. */
const eachDocumentAlone: Plugin = {
  name: 'each-document-alone',
  apply: 'build',
  load: {
    filter: { id: /\/generated\/graphql\.ts(?:\?\w+)?$/ },
    async handler(id) {
      const [file = id, wanted] = id.split('?')
      const documents = Array.from((await readFile(file, 'utf8')).matchAll(DOCUMENT))
      return documents
        .map(([, name = '', text = '']) => {
          if (wanted === undefined) return `export { ${name} } from ${JSON.stringify(`${file}?${name}`)}\n`
          // Their indents mean nothing.
          return name === wanted ? `export const ${name} = ${text.replaceAll(/\n */g, '\n')}` : ''
        })
        .join('')
    },
  },
}

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  plugins: [oneCopyOfRadix, eachDocumentAlone, react()],
  resolve: {
    alias: [
      { find: /^@factotum\/client$/, replacement: `${clientSource}/connect.ts` },
      { find: /^@factotum\/client\/react$/, replacement: `${clientSource}/react/react.ts` },
    ],
  },
  build: {
    target: 'es2023',
    // As in docs/console.md. For older ones `light-dark()` would follow the system alone, whatever the page has chosen.
    cssTarget: ['chrome123', 'edge123', 'firefox124', 'safari17.5'],
    // An asset in a data: address would need more than 'self' in the policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
    // Few files: what every page needs, what several of them share, what those that show turns share, and each page.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'first', tags: ['$initial'], priority: 2 },
            {
              name: 'shared',
              minShareCount: 2,
              test: /\/(?:node_modules|ui\/(?!ansi)\w+|data|generated|react|app)\//,
              priority: 1,
            },
            { name: 'turns', minShareCount: 2 },
          ],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      ['/graphql', '/files', '/login', '/logout', '/sessions', '/pub'].map((path) => [path, toServer]),
    ),
  },
})
