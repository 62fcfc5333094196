// House rules that the compiler does not check. P1.10: text never becomes HTML.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import ts from 'typescript'
import * as wordsModule from './words'
import { words } from './words'

const root = import.meta.dirname
const files = (function walk(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((e) =>
    e.isDirectory() ? walk(join(dir, e.name)) : [join(dir, e.name)],
  )
})(root)
const own = files.filter((f) => /\.tsx?$/.test(f) && !f.endsWith('.gen.ts'))
const product = own.filter((f) => !/\.test\.tsx?$/.test(f) && !f.includes('/testing/'))
const read = (f: string): string => readFileSync(f, 'utf8')
const name = (f: string): string => relative(root, f)

describe('the page', () => {
  it.each(product.map((f) => [name(f), f]))('%s never makes HTML of text (S0-B20)', (_, f) => {
    expect(read(f)).not.toMatch(
      /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/,
    )
  })

  it.each(product.filter((f) => /^(panels|screens|map)\//.test(name(f))).map((f) => [name(f), f]))(
    '%s reads state and sends commands; it never touches the socket',
    (_, f) => {
      expect(read(f)).not.toMatch(/WebSocket|new Session|new Connection|localStorage|sessionStorage/)
    },
  )

  it.each(product.filter((f) => name(f).startsWith('state/') && !f.endsWith('store.ts')).map((f) => [name(f), f]))(
    '%s is pure',
    (_, f) => {
      expect(read(f)).not.toMatch(/Date\.now|new Date|Math\.random|setTimeout|fetch\(|\bwindow\.\w|\bdocument\.\w/)
    },
  )

  it.each(own.map((f) => [name(f), f]))('%s says what it is for and is no longer than 600 lines', (_, f) => {
    const text = read(f)
    if (!/\.test\.tsx?$/.test(f)) expect(text).toMatch(/^\/\//)
    expect(text.split('\n').length).toBeLessThanOrEqual(600)
    expect(text.split('\n').filter((line) => line.length > 120)).toEqual([])
    expect(text).not.toMatch(new RegExp('\\b(TO' + 'DO|FIX' + 'ME)\\b'))
  })

  it.each(product.filter((f) => f.endsWith('.tsx')).map((f) => [name(f), f]))('%s holds one component', (_, f) => {
    const source = ts.createSourceFile(f, read(f), ts.ScriptTarget.ES2022, false, ts.ScriptKind.TSX)
    const called = source.statements.flatMap((st) => {
      if (ts.isFunctionDeclaration(st)) return [st.name?.text ?? '']
      if (!ts.isVariableStatement(st)) return []
      return st.declarationList.declarations.map((d) =>
        d.initializer && ts.isArrowFunction(d.initializer) && ts.isIdentifier(d.name) ? d.name.text : '',
      )
    })
    expect(called.filter((n) => /^[A-Z]/.test(n)).length).toBeLessThanOrEqual(1)
  })

  // If two modules listened to the same media query, a view could be drawn after one of them has heard of a change and
  // before the other has, with one old and one new value.
  it('listens to media queries in one place', () => {
    const others = product.filter((f) => name(f) !== 'screens/viewport.ts' && name(f) !== 'panels/grow.ts')
    expect(others.filter((f) => read(f).includes('matchMedia')).map(name)).toEqual([])
  })

  it('names colours in one place', () => {
    for (const f of files.filter((f) => f.endsWith('.css') && !f.endsWith('tokens.css')))
      expect(read(f), name(f)).not.toMatch(/#[0-9a-f]{3,8}\b|rgba?\(/i)
  })
})

describe('kinds of conversation', () => {
  // Only a kind's own folder and the registry name the kind.
  const names = readdirSync(join(root, 'kinds'), { withFileTypes: true }).flatMap((e) =>
    e.isDirectory() ? [e.name] : [],
  )
  const registry = join(root, 'kinds', 'registry.ts')
  const elsewhere = product.filter((f) => f !== registry && !names.some((kind) => name(f).startsWith(`kinds/${kind}/`)))
  // "process" is excepted, because other parts of the page show a realm's process state, stage bar and roster, which
  // belong to no conversation.
  const inNames = names.filter((kind) => kind !== 'process')
  const wire = identifiers(join(root, 'net/protocol.gen.ts'))

  /** All identifiers of a file. */
  function identifiers(f: string): Set<string> {
    const out = new Set<string>()
    walk(f, (node) => {
      if (ts.isIdentifier(node)) out.add(node.text)
    })
    return out
  }

  function walk(f: string, see: (node: ts.Node) => void): void {
    const visit = (node: ts.Node): void => {
      see(node)
      ts.forEachChild(node, visit)
    }
    visit(
      ts.createSourceFile(
        f,
        read(f),
        ts.ScriptTarget.ES2022,
        false,
        f.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
      ),
    )
  }

  /** Whether a text names a kind as one of its words: "isForging" does not name forge, "forgeWords" does. */
  const named = (text: string) =>
    text.split(/(?=[A-Z])|[^A-Za-z]+/).some((word) => inNames.includes(word.toLowerCase()))

  it('are those that the registry has, each in its folder', () => {
    expect(names).toEqual(['chat', 'coding', 'council', 'forge', 'party', 'process'])
    for (const kind of names) expect(read(registry)).toContain(`./${kind}/${kind}'`)
  })

  it.each(elsewhere.map((f) => [name(f), f]))('%s names none', (_, f) => {
    const found: string[] = named(name(f)) ? [name(f)] : []
    walk(f, (node) => {
      if (ts.isStringLiteralLike(node) && (names.includes(node.text) || /kinds\/[a-z]+\//.test(node.text)))
        found.push(node.text)
      if (ts.isIdentifier(node) && named(node.text) && !wire.has(node.text)) found.push(node.text)
    })
    expect(found).toEqual([])
  })
})

describe('the words', () => {
  /** All texts in v, each with its path. Functions are called with sample values. */
  function texts(v: unknown, at: string): [string, string][] {
    if (typeof v === 'string') return [[at, v]]
    if (typeof v === 'function') {
      const args: unknown[] =
        /names: readonly|parts/.test(String(v)) || /\.join\(/.test(String(v)) ? [['a', 'b']] : [2, 3]
      return [[at, String((v as (...a: unknown[]) => unknown)(...args))]]
    }
    if (typeof v === 'object' && v !== null) return Object.entries(v).flatMap(([k, x]) => texts(x, `${at}.${k}`))
    return []
  }
  const ofKinds = import.meta.glob<Record<string, unknown>>('./kinds/*/words.ts', { eager: true })
  const all = [...texts(words, 'words'), ...Object.entries(ofKinds).flatMap(([file, w]) => texts(w, file))]

  it('are there, without exclamation marks and placeholders', () => {
    expect(all.length).toBeGreaterThan(150)
    for (const [at, text] of all) {
      if (at === 'words.transcript.status.done') continue
      expect(text.trim(), at).not.toBe('')
      expect(text, at).not.toMatch(/!|undefined|NaN|\[object|lorem/i)
    }
  })

  it('count things in English', () => {
    const { plural, join, title, bytes, ago } = wordsModule
    expect([plural(0, 'file'), plural(1, 'file'), plural(1200, 'file')]).toEqual(['0 files', '1 file', '1,200 files'])
    expect([join([]), join(['a']), join(['a', 'b']), join(['a', 'b', 'c'])]).toEqual(['', 'a', 'a and b', 'a, b and c'])
    expect([title('idea_list'), title('x'), title('')]).toEqual(['Idea list', 'X', ''])
    expect([bytes(1), bytes(1536), bytes(5 << 20)]).toEqual(['1 byte', '1.5 KB', '5.0 MB'])
    const now = Date.parse('2026-01-03T00:00:00Z')
    expect([
      ago(null, now),
      ago('2026-01-02T23:59:30Z', now),
      ago('2026-01-02T23:00:00Z', now),
      ago('2026-01-02T12:00:00Z', now),
      ago('2025-12-20T00:00:00Z', now),
    ]).toEqual(['never', 'just now', '1 hour ago', '12 hours ago', '14 days ago'])
  })
})
