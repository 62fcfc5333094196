// Writes src/net/protocol.gen.ts from shared/schema.json, which is generated from
// the server's Go structs (scripts/schema). Run by "make generate" and, into a
// temporary place, by the stale check of "make check".
//
//   node scripts/protocol.mjs [SCHEMA [OUTPUT]]
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { compile } from 'json-schema-to-typescript'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const [input = here('../../shared/schema.json'), output = here('../src/net/protocol.gen.ts')] = process.argv.slice(2)

const schema = JSON.parse(await readFile(input, 'utf8'))
const text = await compile(schema, 'Frame', {
  // The schema leaves objects open so that a later field breaks nobody; in the
  // page's types an unknown field is a mistake.
  additionalProperties: false,
  unreachableDefinitions: true,
  bannerComment: '// Generated from shared/schema.json by "make generate". Do not edit.\n/* eslint-disable */',
  style: { singleQuote: true, semi: false },
})

// A name with a number at its end is a definition that was written twice.
const doubled = [...text.matchAll(/^export (?:type|interface) (\w*[a-z])\d+\b/gm)].map((m) => m[1])
if (doubled.length > 0) throw new Error(`these types came out twice: ${doubled.join(', ')}`)
await writeFile(output, text)
