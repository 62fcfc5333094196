// S0-B20: Markdown of people and models is rendered, and nothing in it is executed.
import { h, render } from 'preact'
import { describe, expect, it, vi } from 'vitest'
import { drawn } from '../testing/page'
import { seeded } from '../testing/random'
import { FOLD, Markdown } from './markdown/markdown'
import { GrowingMarkdown } from './markdown/growing-markdown'
import { pieces } from './markdown/read'
import { safeHref } from './markdown/safe-href'

function draw(text: string, growing = false): HTMLElement {
  const el = document.createElement('div')
  document.body.replaceChildren(el)
  render(h(growing ? GrowingMarkdown : Markdown, { text }), el)
  return el
}

const ACTIVE = 'img, script, iframe, object, embed, style, svg, form, input, link, base, meta, video, audio'

function inert(el: HTMLElement): void {
  expect(el.querySelector(ACTIVE)).toBeNull()
  for (const node of el.querySelectorAll('*'))
    for (const a of node.attributes) {
      expect(a.name.startsWith('on'), `${node.tagName} ${a.name}`).toBe(false)
      if (a.name === 'href') expect(a.value).toMatch(/^(https?|mailto):/)
      expect(['src', 'srcset', 'srcdoc', 'action', 'formaction', 'id', 'name']).not.toContain(a.name)
    }
}

describe('Markdown', () => {
  it('is headings, lists, tables, quotes and code', () => {
    const el = draw(
      '# A\n\n- [x] one **b**\n- two\n\n3. three\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n> q\n\n```go\nx := ' +
        '1\n```\n\na `c` *e* ~~d~~\nnext',
    )
    expect(el.querySelector('h4')?.textContent).toBe('A')
    expect(el.querySelectorAll('li')).toHaveLength(3)
    expect(el.querySelector('ol')?.getAttribute('start')).toBe('3')
    expect([...el.querySelectorAll('td')].map((c) => c.textContent)).toEqual(['1', '2'])
    expect(el.querySelector('blockquote')?.textContent).toBe('q')
    expect(el.querySelector('pre.code')?.textContent).toBe('x := 1')
    expect(
      [el.querySelector('strong'), el.querySelector('em'), el.querySelector('del')].map((e) => e?.textContent),
    ).toEqual(['b', 'e', 'd'])
    // A single line break in a person's text is shown as a line break.
    expect(el.querySelectorAll('p:last-child br')).toHaveLength(1)
    inert(el)
  })

  it.each([
    '<img src=x onerror="window.__pwned=1">',
    'a <img src=x onerror="window.__pwned=1"> b',
    '<script>window.__pwned=1</script>',
    '<style>*{display:none}</style>',
    '<iframe srcdoc="<script>1</script>"></iframe>',
    '<svg onload=window.__pwned=1><a xlink:href="javascript:1">x</a></svg>',
    '<a href="javascript:window.__pwned=1" onclick="window.__pwned=1">x</a>',
    '[x](javascript:window.__pwned=1)',
    '[x](java\tscript:window.__pwned=1)',
    '[x](&#106;avascript:window.__pwned=1)',
    '[x](vbscript:1) [y](data:text/html,<script>1</script>) [z](file:///etc/passwd) [r](/api/x) [h](#id)',
    '![x](http://example.org/track.png "t")',
    '![x](javascript:1)',
    '<http://example.org/> <javascript:1>',
    '[r]: javascript:1\n\n[r][r]',
    '<form action=/x><input name=y></form>',
    '&lt;img src=x onerror=1&gt; &#60;script&#62;',
  ])('%j stays words (S0-B20)', (text) => {
    for (const growing of [false, true]) {
      const el = draw(text, growing)
      inert(el)
      expect((window as { __pwned?: number }).__pwned).toBeUndefined()
      expect(el.textContent?.trim()).not.toBe('')
    }
  })

  it('shows tags as they were written, and entities as what they mean', () => {
    expect(draw('a <b>x</b> &lt;i&gt; &amp;lt; &#9731; `&lt;`').textContent).toBe('a <b>x</b> <i> &lt; ☃ &lt;')
  })

  it('keeps the underscores of file names, and joins what escapes cut', () => {
    const el = draw('pkg/__init__.py and pkg/_a_.py, __main__.py; __strong__. _em_ pkg/no\\_name.py')
    expect(el.textContent).toBe('pkg/__init__.py and pkg/_a_.py, __main__.py; strong. em pkg/no_name.py')
    expect([...el.querySelectorAll('strong, em')].map((e) => e.textContent)).toEqual(['strong', 'em'])
    expect([...(el.querySelector('p')?.childNodes ?? [])].at(-1)?.textContent).toBe(' pkg/no_name.py')
  })

  it('leads out in another window that knows nothing of this one, and loads nothing', () => {
    const el = draw(
      '[manual](https://example.org/a?b=1) https://example.org/x ![pic](https://example.org/p.png) <a@example.org>',
    )
    const links = [...el.querySelectorAll('a')]
    expect(links.map((a) => a.getAttribute('href'))).toEqual([
      'https://example.org/a?b=1',
      'https://example.org/x',
      'https://example.org/p.png',
      'mailto:a@example.org',
    ])
    for (const a of links) expect([a.target, a.rel]).toEqual(['_blank', 'noopener noreferrer'])
    expect(links[2]?.textContent).toBe('Picture: pic')
    expect([safeHref('javascript:1'), safeHref('//x'), safeHref('x'), safeHref(' https://a.example/ ')]).toEqual([
      null,
      null,
      null,
      'https://a.example/',
    ])
  })

  it('folds what is huge, and cuts it where lines end; code that is cut stays code', async () => {
    const el = draw('word '.repeat(200_000))
    expect((el.textContent ?? '').length).toBeLessThan(FOLD + 200)
    el.querySelector('button')?.click()
    await drawn()
    expect((el.textContent ?? '').length).toBeGreaterThan(2 * FOLD)
    const code = '```\n' + 'a line of code\n'.repeat(1_400) + '```\nand *words*\n'
    const list = pieces(code)
    expect(list.length).toBeGreaterThan(2)
    expect(list.slice(1, -1).every((p) => p.startsWith('```\na line'))).toBe(true)
    expect(draw(code).querySelector('em')?.textContent).toBe('words')
    expect(pieces('🐉'.repeat(20_000)).join('')).toBe('🐉'.repeat(20_000))
  })

  it('endures parts within parts, and shows what it cannot read as it was written', () => {
    for (const text of [
      '>'.repeat(20_000),
      '- '.repeat(5_000) + 'x',
      '[('.repeat(5_000),
      '*_'.repeat(5_000),
      '1. '.repeat(7_000),
      `${'  - x\n'.repeat(100)}`,
    ]) {
      const el = draw(text)
      inert(el)
      expect(el.textContent?.length).toBeGreaterThan(0)
    }
  })

  it('is drawn anew only where it grew, and shows the end of what is long', () => {
    vi.spyOn(performance, 'now').mockReturnValue(0) // a fixed clock, because slow parsing falls back to plain text
    const el = document.createElement('div')
    document.body.replaceChildren(el)
    render(h(GrowingMarkdown, { text: '# A\n\nsome ' }), el)
    const head = el.querySelector('h4')
    render(h(GrowingMarkdown, { text: '# A\n\nsome *more*' }), el)
    expect(el.querySelector('h4')).toBe(head)
    expect(el.querySelector('em')?.textContent).toBe('more')
    const long = 'a line of words\n'.repeat(5_000) + 'the end'
    render(h(GrowingMarkdown, { text: long }), el)
    expect(el.textContent).toContain('the end')
    expect((el.textContent ?? '').length).toBeLessThan(21_000)
    // The beginning of the shown part stays the same when words are added.
    const first = el.querySelectorAll('p')[1]?.textContent?.slice(0, 40)
    render(h(GrowingMarkdown, { text: long + ' and more' }), el)
    expect(el.querySelectorAll('p')[1]?.textContent?.slice(0, 40)).toBe(first)
  })

  it('is inert whatever is thrown at it', () => {
    const bits = [
      '<img src=x onerror=1>',
      '<script>',
      '](javascript:1)',
      '[a',
      '![b](x)',
      '`',
      '```\n',
      '> ',
      '- ',
      '| a |\n|--|\n',
      '**',
      '_',
      '&lt;',
      '<!--',
      '<svg/onload=1>',
      '\n\n',
      ' ',
      'word',
      '<a href="javascript:1">',
      'https://e.example/"onmouseover=1',
    ]
    for (let seed = 1; seed <= 60; seed++) {
      const random = seeded(seed)
      inert(draw(Array.from({ length: 40 }, () => bits[Math.floor(random() * bits.length)]).join('')))
    }
  })
})
