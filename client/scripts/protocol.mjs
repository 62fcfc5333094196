// Writes src/net/protocol.gen.ts from shared/schema.json, which scripts/schema
// generates from the server's Go structs. "make generate" runs it; "make check"
// runs it with a temporary output and compares.
//
//   node scripts/protocol.mjs [SCHEMA [OUTPUT]]
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { compile } from 'json-schema-to-typescript'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const [input = here('../../shared/schema.json'), output = here('../src/net/protocol.gen.ts')] = process.argv.slice(2)

const schema = JSON.parse(await readFile(input, 'utf8'))
const text = await compile(schema, 'Frame', {
  // The schema allows additional fields, so that a later one breaks no client; in
  // the page's types an unknown field is a mistake.
  additionalProperties: false,
  unreachableDefinitions: true,
  bannerComment: '// Generated from shared/schema.json by "make generate". Do not edit.\n/* eslint-disable */',
  style: { singleQuote: true, semi: false },
})

// A name that ends in a number is a duplicated definition.
const doubled = [...text.matchAll(/^export (?:type|interface) (\w*[a-z])\d+\b/gm)].map((m) => m[1])
if (doubled.length > 0) throw new Error(`these types came out twice: ${doubled.join(', ')}`)
await writeFile(output, text)
