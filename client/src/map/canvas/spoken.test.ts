// Speech on the map: at the speed of speech, in sentences, with a bounded queue.
import { describe, expect, it } from 'vitest'
import type { Message } from '../../net/protocol.gen'
import type { RealmModel } from '../../state/model'
import { bubbles, MAX_WAITING, Spoken } from './spoken'

const row = (id: string, content: string, over: Partial<Message> = {}): Message =>
  ({ messageId: id, role: 'assistant', memberId: 'ann', content, status: 'done', seq: 20, ...over }) as Message
const realm = (rows: Message[], streams: Record<string, string> = {}, tick = 10): RealmModel =>
  ({
    world: { tick },
    views: { c: { messages: rows } },
    streams: Object.fromEntries(Object.entries(streams).map(([id, text]) => [id, { text }])),
  }) as unknown as RealmModel

const TEN = 'One two three four five six seven eight nine ten.'

/** The time for which one speaker needs to say everything, and the words that were shown. */
function play(spoken: Spoken): { ms: number; words: number } {
  const seen: string[] = []
  let ms = 0
  for (; spoken.says(ms).size > 0; ms += 50) {
    const text = spoken.says(ms).get('ann')!
    if (seen.at(-1) !== text) seen.push(text)
  }
  return { ms, words: seen.join(' ').split(' ').length }
}

describe('speech on the map', () => {
  it('has 4 to 6 words a second, by the chosen speed', () => {
    for (const [speed, least, most] of [
      ['slow', 3.8, 4.2],
      ['normal', 4.8, 5.2],
      ['fast', 5.7, 6.2],
    ] as const) {
      const spoken = new Spoken()
      spoken.speed = speed
      spoken.hear(realm([]), 'a')
      spoken.hear(realm([row('m', `${TEN} ${TEN.replace('One', 'Then')}`)]), 'a')
      const { ms, words } = play(spoken)
      expect(words).toBe(20)
      expect((1000 * words) / ms).toBeGreaterThan(least)
      expect((1000 * words) / ms).toBeLessThan(most)
    }
  })

  it('does not say an answer that the person does not see yet, then or later', () => {
    const spoken = new Spoken()
    const sealed = { conversationId: 'c', stageId: 's', memberIds: ['ann'] }
    const rows = ['ann', 'bob'].map((memberId) => row(memberId, TEN, { memberId, conversationId: 'c', stageId: 's' }))
    spoken.hear(realm([]), 'a', sealed)
    spoken.hear(realm(rows), 'a', sealed)
    expect([...spoken.says(0).keys()]).toEqual(['bob'])
    spoken.hear(realm(rows), 'a', null)
    expect([...spoken.says(1).keys()]).toEqual(['bob'])
  })

  it('says a row that streams sentence by sentence, and each sentence once', () => {
    const spoken = new Spoken()
    spoken.hear(realm([]), 'a')
    const open = row('m', '', { status: 'open' })
    spoken.hear(realm([open], { m: 'First I look. Then I' }), 'a')
    expect([...spoken.says(0)]).toEqual([['ann', 'First I look.']])
    spoken.hear(realm([open], { m: 'First I look. Then I read.' }), 'a')
    expect(spoken.says(5000).size).toBe(0)
    spoken.hear(realm([row('m', 'First I look. Then I read.')]), 'a')
    expect([...spoken.says(6000)]).toEqual([['ann', 'Then I read.']])
    spoken.hear(realm([row('m', 'First I look. Then I read.')]), 'a')
    expect(spoken.says(20_000).size).toBe(0)
  })

  it('does not say what was said while the map was not to be seen', () => {
    const spoken = new Spoken()
    spoken.hear(realm([]), 'a')
    expect(spoken.says(0).size).toBe(0)
    spoken.hear(realm([row('m', TEN)]), 'a')
    expect(spoken.says(120_000).size).toBe(0)
    spoken.hear(realm([row('m', TEN), row('n', 'This is new.')]), 'a')
    expect([...spoken.says(120_500).values()]).toEqual(['This is new.'])
  })

  it('drops the oldest that waits beyond the bound', () => {
    const spoken = new Spoken()
    const all = (id: string) => row(id, Array.from({ length: 20 }, (_, i) => `Sentence ${id}${i}.`).join(' '))
    spoken.hear(realm([]), 'a')
    spoken.hear(realm([all('m')]), 'a')
    expect([...spoken.says(0).values()]).toEqual(['Sentence m0.'])
    spoken.hear(realm([all('m'), all('n')]), 'a')
    const seen = new Set<string>()
    for (let ms = 0; ms < 60_000; ms += 100) for (const text of spoken.says(ms).values()) seen.add(text)
    expect([...seen]).toEqual(['Sentence m0.', 'Sentence n0.', 'Sentence n1.', 'Sentence n2.'])
    expect(seen.size).toBe(1 + MAX_WAITING)
  })

  it('does not say again what was there at an attach, or what an older page brings', () => {
    const spoken = new Spoken()
    spoken.hear(realm([row('old', TEN, { seq: 9 }), row('m', '', { status: 'open' })], { m: 'It was said. ' }), 'a')
    spoken.hear(realm([row('older', TEN, { seq: 2 }), row('old', TEN, { seq: 9 }), row('m', 'It was said. ')]), 'a')
    expect(spoken.says(0).size).toBe(0)
    spoken.hear(realm([row('m', 'It was said. This is new.')]), 'a')
    expect([...spoken.says(0).values()]).toEqual(['This is new.'])
  })

  it('are sentences and not their torn ends', () => {
    expect(bubbles('In detail:\nTSX: 107 files read as syntax. C: 1 file.')).toEqual([
      'In detail:',
      'TSX: 107 files read as syntax.',
      'C: 1 file.',
    ])
    const said = 'I read these settings here: .github/workflows/main.yml, tox.ini, setup.cfg, setup.py, codecov.yml.'
    expect(bubbles(said)).toEqual([
      'I read these settings here: .github/workflows/main.yml, tox.ini, setup.cfg, setup.py …',
    ])
    expect(bubbles('I read e.g. main.go, i.e. the begin. Then more.')).toEqual([
      'I read e.g. main.go, i.e. the begin.',
      'Then more.',
    ])
  })

  it('are the first sentences of a message, and not its later paragraphs', () => {
    const said = 'I have run my 4 checks. One found something. It is high. It is new.\n\nI cannot read Shell.'
    expect(bubbles(said)).toEqual(['I have run my 4 checks.', 'One found something.', 'It is high.'])
    const spoken = new Spoken()
    spoken.hear(realm([]), 'a')
    const open = row('m', '', { status: 'open' })
    const seen = new Set<string>()
    for (let i = 1; i <= said.length; i++) {
      spoken.hear(realm([open], { m: said.slice(0, i) }), 'a')
      for (const text of spoken.says(i * 1000).values()) seen.add(text)
    }
    expect([...seen]).toEqual(bubbles(said))
  })

  it('are only the first plain sentence of a report, never an item of a list', () => {
    const list = '- Looked for: SQL injection,\n  and more.\n- In names and any text: secret, private key.'
    expect(bubbles(`## Coverage\n\nRead: 271 Go files. Left out: 1 file.\n\n${list}`)).toEqual(['Read: 271 Go files.'])
    expect(bubbles(`## Coverage\n${list}\n1. one\n2) two\n> quoted`)).toEqual([])
  })

  it('has no Markdown, no tables and no code, and cuts long sentences between words', () => {
    expect(bubbles('## Title\n- a `point` of [mine](x.md)\n| a | b |\n```\ncode\n```\n**Done**.')).toEqual(['Done.'])
    expect(bubbles('A `point` of [mine](x.md) is **done**.')).toEqual(['A point of mine is done.'])
    const [long, ...more] = bubbles('word '.repeat(60))
    expect(more).toEqual([])
    expect(long).toMatch(/^(word )+…$/)
    expect(long!.length).toBeGreaterThan(80)
    expect(long!.length).toBeLessThanOrEqual(92)
  })
})
