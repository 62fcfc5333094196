// Routing markers in messages to a party: S2-B8.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { addressOf, hasNext, hasDrop, readMarkers, spokenTo, toggleNext, toggleDrop, withSpokenTo } from './markers'

describe('markers', () => {
  it.each([
    ['Hello.', 'Hello.', '', null],
    ['Hello. [FROM: Ada]', 'Hello.', 'Ada', null],
    ['Hello.\n\n[TEAM_TASK: x]\n[from: b]', 'Hello.', 'b', 'x'],
    ['[FROM: Ada]\nHello.', '[FROM: Ada]\nHello.', '', null],
    ['See `[FROM: Ada]`', 'See `[FROM: Ada]`', '', null],
    ['> [FROM: Ada]', '> [FROM: Ada]', '', null],
    ['```\n[FROM: Ada]\n```', '```\n[FROM: Ada]\n```', '', null],
    ['Done [TEAM_TASK: ]', 'Done', '', ''],
    ['She said "[FROM: Ada]"', 'She said "[FROM: Ada]"', '', null],
    ['She said “[TEAM_TASK: x]”', 'She said “[TEAM_TASK: x]”', '', null],
    ['5" are enough [FROM: Ada]', '5" are enough', 'Ada', null],
    ["Write '[FROM: Ada]' to me", "Write '[FROM: Ada]' to me", '', null],
    ["It isn't mine [FROM: Ada]", "It isn't mine", 'Ada', null],
    ['她说「[FROM: Ada]」', '她说「[FROM: Ada]」', '', null],
    ['Write \\[FROM: Ada]', 'Write \\[FROM: Ada]', '', null],
    ['[[FROM: Ada]]', '[[FROM: Ada]]', '', null],
    ['[see [TEAM_TASK: x] there]', '[see [TEAM_TASK: x] there]', '', null],
    ['Go. [TEAM_TASK: mend a[0] of [NEXT: x]]', 'Go.', '', 'mend a[0] of [NEXT: x]'],
    ['Write ``a ` [FROM: Ada]``', 'Write ``a ` [FROM: Ada]``', '', null],
    ['Write `a\nb [FROM: Ada]` at the end', 'Write `a\nb [FROM: Ada]` at the end', '', null],
    ['~~~ text\n```\n[FROM: Ada]\n', '~~~ text\n```\n[FROM: Ada]\n', '', null],
    ['```\n[FROM: x]\n```\n[FROM: Ada]', '```\n[FROM: x]\n```', 'Ada', null],
    ['[FROM: Ada] [FROM: Ben] Hello', 'Hello', 'Ben', null],
    ['Go.\n[TEAM_TASK: one]\n[TEAM_TASK: two]', 'Go.', '', 'two'],
    // The list marker and the bold marks around a marker are removed with the marker.
    ['Done.\n- **[FROM: Ada]**.', 'Done.', 'Ada', null],
    // A marker that contains code, or code between quotation marks, has no effect.
    ['[TEAM_TASK: 5" `a` 6" b]', '[TEAM_TASK: 5" `a` 6" b]', '', null],
    ['你好 [FROM：小明]', '你好', '小明', null],
  ])('%j', (said, text, from, task) => {
    expect(readMarkers(said)).toEqual({ text, from, task })
  })
  // server/party/said_test.go writes this file and checks the same results.
  it('are read as the server reads them (S2-B8)', () => {
    const all = JSON.parse(
      readFileSync(join(import.meta.dirname, '../../../../shared/testdata/markers.json'), 'utf8'),
    ) as { said: string; from: string; task: string | null; bare: string }[]
    expect(all.length).toBeGreaterThan(100)
    for (const { said, ...want } of all) {
      const { from, task, text } = readMarkers(said)
      expect({ from, task, bare: text.trim() }, said).toEqual(want)
    }
  })
  it('name a member so that nobody else is meant', () => {
    const [a, b, c, d] = [
      { id: 'a1', name: 'Ann', displayName: 'Lady Ann' },
      { id: 'a2', name: 'ann', displayName: 'The other' },
      { id: 'c1', name: 'Smith, the', displayName: 'Smith' },
      { id: 'd1', name: 'Di', displayName: 'Di' },
    ] as const
    const all = [a, b, c, d]
    expect(all.map((m) => addressOf(m, all))).toEqual(['a1', 'a2', 'c1', 'Di'])
  })
  it('are written and taken back', () => {
    expect(toggleNext('', 'a')).toBe('[NEXT: a]')
    expect(toggleNext('Hi [NEXT: a, b!P1]', 'B')).toBe('Hi [NEXT: a]')
    expect(toggleNext('Hi [NEXT: a]', 'a')).toBe('Hi')
    expect(toggleNext('[DROP: b]', 'a')).toBe('[DROP: b] [NEXT: a]')
    expect(toggleDrop('Hi [NEXT: a] [drop: b]', 'c')).toBe('Hi [DROP: b, c] [NEXT: a]')
    expect(toggleDrop('Hi [DROP: b, c] [NEXT: a]', 'B')).toBe('Hi [DROP: c] [NEXT: a]')
    expect([hasDrop('Hi [DROP: ALL]', 'a'), hasDrop('[DROP: a] is how', 'a'), hasNext('Hi [DROP: a]', 'a')]).toEqual([
      true,
      false,
      false,
    ])
  })
})

describe('a text that speaks to members by name', () => {
  const team = ['Sage', 'Healer', 'Code Smith'].map((name) => ({
    id: name.toLowerCase().replace(' ', '-'),
    name,
    displayName: `The ${name}`,
  }))
  it.each([
    ['Sage, what is risky?', ['Sage']],
    ['the sage: what is risky?', ['Sage']],
    ['@healer what is lost?', ['Healer']],
    ['@Sage @Healer look', ['Sage', 'Healer']],
    ['Sage and Healer, look', ['Sage', 'Healer']],
    ['Code Smith, Sage: look', ['Code Smith', 'Sage']],
    ['code-smith, look', ['Code Smith']],
    ['Sage, Sage, look', ['Sage']],
    ['Sage is right', []],
    ['Sages, look', []],
    ['I asked Sage, and', []],
    ['Sage, look [NEXT: Healer]', []],
    ['Sage, thanks [DROP: ALL]', []],
    ['', []],
  ])('%s', (text, names) => {
    expect(spokenTo(text, team).map((m) => m.name)).toEqual(names)
  })

  it('is sent with the marker that asks them', () => {
    expect(withSpokenTo('Sage and Healer, look', team)).toBe('Sage and Healer, look [NEXT: Sage, Healer]')
    expect(withSpokenTo('Look, Sage', team)).toBe('Look, Sage')
  })
})
