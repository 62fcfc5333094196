// File names in texts: which are links, by the folders that the map tree names.
import { describe, expect, it } from 'vitest'
import { splitFileNames } from './file-names'

const folders = new Set(['src', 'src/http', 'docs'])

describe('a file name in a text', () => {
  it.each([
    ['in a folder', 'See src/main.go:12, please.', 'src/main.go', 12],
    ['at the root', 'See go.mod.', 'go.mod', undefined],
    ['below the folders that the tree names', 'See src/http/v2/tests/a_test.go:3.', 'src/http/v2/tests/a_test.go', 3],
  ])('is a link: %s', (_, text, path, line) => {
    const named = splitFileNames(text, folders).filter((p) => p.path !== '')
    expect(named).toEqual([{ text: line ? `${path}:${line}` : path, path, line }])
  })

  it.each([
    ['another folder', 'See lib/main.go:12.'],
    ['a folder beside those of the second level', 'See src/grpc/v2/a.go.'],
    ['a field', 'Call field.Look.'],
    ['a URL', 'See https://example.org/src/main.go.'],
  ])('is none: %s', (_, text) => {
    expect(splitFileNames(text, folders).filter((p) => p.path !== '')).toEqual([])
  })
})
