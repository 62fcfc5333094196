// Forges and skills on the page.
import { describe, expect, it, vi } from 'vitest'
import type { ConversationView, Forge, Message, Skill } from '../../net/protocol.gen'
import { memoryStorage } from '../../testing/storages'
import { drawn, fill, find, greet, has, KNOWN, openPage, press, type Page } from '../../testing/page'
import { AT, info, message, overlays, running, seated, snapshot, view, welcomeSnapshot } from '../../testing/samples'

const asking = (over: Partial<Forge> = {}): Forge => ({
  state: 'gathering_details',
  known: [
    { topic: 'purpose', lines: ['Write notes'] },
    { topic: 'steps', lines: ['One', 'Two'] },
  ],
  skill: 'write-notes',
  question: {
    topic: 'examples',
    text: 'Show one example.',
    options: [
      { id: 'none', label: 'No example' },
      { id: 'b', label: 'The other' },
    ],
    words: true,
  },
  ...over,
})
const forge = (f: Forge | undefined, over: Partial<ConversationView> = {}): ConversationView =>
  view({
    conversationId: 'f',
    kind: 'forge',
    title: 'A skill',
    messages: [row('a')],
    plan: { waiting: null, asked: [], ...(f ? { forge: f } : {}) },
    ...over,
  })
const row = (id: string, over: Partial<Message> = {}): Message =>
  message(id, { conversationId: 'f', stageId: '', seq: 5, memberId: 'smith', name: 'The Smith', ...over })
const SKILL: Skill = {
  name: 'write-notes',
  description: 'Writes release notes.',
  conversationId: 'f',
  at: AT,
  agents: ['critic'],
}
const CAST = [
  { roleId: 'ideator', memberId: 'ideator', kind: 'agent' as const },
  { roleId: 'critic', memberId: 'critic', kind: 'agent' as const },
]

async function open(
  v: ConversationView | null,
  skills: Skill[] = [],
  role: 'host' | 'spectator' = 'host',
): Promise<Page> {
  const p = await openPage(memoryStorage(KNOWN), memoryStorage())
  greet(
    p.net.last,
    info({ role }),
    welcomeSnapshot(50),
    snapshot(50, { ...running(50, { cast: CAST }), skills }, v ? [view(), v] : [view()]),
    overlays(),
    { ...seated, role },
  )
  await drawn()
  if (v) find(p, 'talk-f').click()
  await drawn()
  return p
}

const step = (seq: number, f: Forge) => ({
  type: 'forge:stepped',
  seq,
  at: AT,
  conversationId: 'f',
  forge: f,
  moves: [],
})
const sends = (p: Page) => p.net.last.ofType('chat.send')

describe('a forge', () => {
  it('is begun from the dialog, and shown', async () => {
    const p = await open(null)
    find(p, 'talk-new').click()
    await drawn()
    const kind = find(p, 'talk-kind') as HTMLSelectElement
    kind.value = 'forge'
    kind.dispatchEvent(new Event('change', { bubbles: true }))
    await drawn()
    find(p, 'forge-go').click()
    const frame = p.net.last.ofType('conversation.start')[0]
    expect(frame).toMatchObject({ kind: 'forge', memberIds: [] })
    const {
      messages: _,
      hasMore: __,
      activeRuns: ___,
      activeRun: ____,
      lastSeq: _____,
      plan: ______,
      ...head
    } = forge(undefined)
    p.net.last.say([
      { type: 'conversation.started', seq: 51, at: AT, requestId: frame?.requestId, conversation: head },
      step(52, asking()),
    ])
    await drawn()
    expect(find(p, 'conversation').dataset['kind']).toBe('forge')
    expect(has(p, 'forge-options')).toBe(true)
  })

  it('makes no link of the name of a file that is the skill’s, not the folder’s', async () => {
    const v = forge(asking())
    const said = { messages: [row('a', { content: 'It is kept in SKILL.md.' })] }
    const p = await open({ ...v, ...said })
    const text = find(p, 'message').querySelector('.text')
    expect(text?.textContent).toBe('It is kept in SKILL.md.')
    expect(text?.querySelector('a, button')).toBeNull()
  })

  it('says how far it is and what is known', async () => {
    const p = await open(forge(asking()))
    expect(find(p, 'forge-phase').getAttribute('aria-label')).toBe('Step 2 of 6: Details')
    expect(find(p, 'forge-known').textContent).toMatch(
      /What is known so far \(2\)write-notes.*Purpose.*Write notes.*Steps.*One.*Two/,
    )
  })

  it('shows what the check found, to read (S1-B6)', async () => {
    const p = await open(
      forge(
        asking({
          state: 'fixing_errors',
          known: [
            { topic: 'purpose', lines: ['x'] },
            { topic: 'problems', lines: ['The name `My Skill` is not kebab-case.'] },
          ],
        }),
      ),
    )
    expect(find(p, 'forge-problems').textContent).toBe('What the check foundThe name My Skill is not kebab-case.')
    expect(find(p, 'forge-known').textContent).toContain('(1)')
    expect(find(p, 'forge-phase').getAttribute('aria-label')).toBe('Step 5 of 6: Repairing what the check found')
  })

  it('is answered by a button at once, and by its number', async () => {
    const p = await open(forge(asking()))
    await fill(find(p, 'talk-prompt'), 'half a sentence')
    press(find(p, 'option-none'), '2')
    await drawn()
    expect(sends(p)).toMatchObject([{ conversationId: 'f', content: '', choices: ['b'] }])
    expect(find(p, 'pending').textContent).toContain('Chosen: The other')
    expect((find(p, 'talk-prompt') as HTMLTextAreaElement).value).toBe('half a sentence')
    expect((find(p, 'option-none') as HTMLButtonElement).disabled).toBe(true) // an option can be sent once
  })

  it('may break a path after a slash, and says it whole', async () => {
    const p = await open(
      forge(
        asking({
          question: {
            topic: 'scripts',
            text: '',
            options: [{ id: 'a', label: 'Run `scripts/sub/preflight.sh`' }],
            words: true,
          },
        }),
      ),
    )
    const code = find(p, 'option-a').querySelector('code')
    expect([code?.textContent, code?.innerHTML]).toEqual([
      'scripts/sub/preflight.sh',
      'scripts/<wbr>sub/<wbr>preflight.sh',
    ])
  })

  it('takes several with Done, and words with them', async () => {
    const q = asking().question
    const p = await open(forge(asking({ question: q && { ...q, many: true } })))
    find(p, 'option-none').click()
    await drawn()
    find(p, 'option-b').click() // "none" excludes the others
    await drawn()
    expect(find(p, 'option-none').getAttribute('aria-pressed')).toBe('false')
    expect(sends(p)).toEqual([])
    await fill(find(p, 'talk-prompt'), 'and this')
    expect(find(p, 'forge-done').textContent).toBe('Done (1)')
    find(p, 'forge-done').click()
    await drawn()
    expect(sends(p)).toMatchObject([{ content: 'and this', choices: ['b'] }])
  })

  it('leads who answers by keys from question to question, and to the skill', async () => {
    const p = await open(forge(asking()))
    find(p, 'option-b').focus()
    press(find(p, 'option-b'), '2')
    find(p, 'option-b').blur() // a browser does this when the focused button is disabled
    await drawn()
    const asked = sends(p)[0]?.requestId
    p.net.last.say([
      {
        type: 'chat.started',
        seq: 51,
        at: AT,
        conversationId: 'f',
        requestId: asked,
        memberId: 'smith',
        instance: 'i',
        message: row('mine', { role: 'user', memberId: '', spectatorId: 'p1', name: 'Ann', requestId: asked }),
      },
      step(
        52,
        asking({ question: { topic: 'tools', text: 'Which?', options: [{ id: 'look', label: 'Look' }], words: true } }),
      ),
    ])
    p.net.last.say({ type: 'chat.done', seq: 53, at: AT, conversationId: 'f', requestId: asked })
    await drawn()
    expect(document.activeElement).toBe(find(p, 'option-look'))
    // The focus stays in the composer's text field.
    find(p, 'talk-prompt').focus()
    p.net.last.say(
      step(
        54,
        asking({
          question: { topic: 'scripts', text: 'A script?', options: [{ id: 'none', label: 'No' }], words: true },
        }),
      ),
    )
    await drawn()
    expect(document.activeElement).toBe(find(p, 'talk-prompt'))
    ;(document.activeElement as HTMLElement).blur()
    p.net.last.say([
      { type: 'skill:updated', seq: 55, at: AT, skill: SKILL },
      step(56, asking({ state: 'completed', question: null })),
      { type: 'conversation.status', seq: 57, at: AT, conversationId: 'f', status: 'completed' },
    ])
    await drawn()
    expect(document.activeElement).toBe(find(p, 'forge-read'))
    // When the dialog closes, the focus returns to the button that opened it.
    find(p, 'forge-read').click()
    await drawn()
    find(p, 'skill').querySelector('button')?.focus()
    find(p, 'skill').dispatchEvent(new Event('cancel', { cancelable: true }))
    await drawn()
    expect(document.activeElement).toBe(find(p, 'forge-read'))
  })

  it('takes lines where people touch: Enter is one, the button sends', async () => {
    const steps = asking({ question: { topic: 'steps', text: 'How?', options: [], words: true } })
    const p = await open(forge(steps))
    expect(find(p, 'conversation').textContent).toContain('Shift and Enter begin a new line.')
    vi.stubGlobal('matchMedia', (q: string) => ({ matches: q === '(pointer: coarse)', addEventListener() {} }))
    await fill(find(p, 'talk-prompt'), 'One')
    press(find(p, 'talk-prompt'), 'Enter')
    expect(sends(p)).toEqual([])
    find(p, 'talk-send').click()
    vi.unstubAllGlobals()
    expect(sends(p)).toMatchObject([{ content: 'One' }])
  })

  it('says when the question changes under words that are being written', async () => {
    const p = await open(forge(asking()))
    await fill(find(p, 'talk-prompt'), 'Half an example')
    p.net.last.say(step(51, asking({ question: { topic: 'tools', text: 'Which?', options: [], words: true } })))
    await drawn()
    expect(find(p, 'conversation').querySelector('[role=alert]')?.textContent).toBe(
      'The smith asks something else by now. Your words stay here, and answer that.',
    )
    expect((find(p, 'talk-prompt') as HTMLTextAreaElement).value).toBe('Half an example')
    await fill(find(p, 'talk-prompt'), '')
    p.net.last.say(step(52, asking()))
    await drawn()
    expect(find(p, 'conversation').querySelector('[role=alert]')).toBe(null)
  })

  it('keeps words while the smith is at work, here and after a race', async () => {
    const p = await open(forge(asking({ question: null, working: 'model', state: 'generating' })))
    expect(find(p, 'forge-working').textContent).toContain('The smith is thinking')
    await fill(find(p, 'talk-prompt'), 'One more thing')
    find(p, 'talk-send').click()
    await drawn()
    expect(sends(p)).toEqual([])
    expect(find(p, 'conversation').textContent).toContain('The smith is at work. Your words stay here')
    // The server ends the forge, with or without a skill.
    p.net.last.say(step(51, asking()))
    await drawn()
    expect(has(p, 'forge-working')).toBe(false)
    find(p, 'talk-send').click()
    await drawn()
    p.net.last.say({
      type: 'error',
      requestId: sends(p)[0]?.requestId,
      code: 'conflict',
      message: 'the smith is at work',
    })
    await drawn()
    expect((find(p, 'talk-prompt') as HTMLTextAreaElement).value).toBe('One more thing')
    expect(find(p, 'conversation').textContent).toContain('Your words are back here')
  })

  it('that was left is taken up by a message', async () => {
    const p = await open(forge(asking(), { status: 'abandoned' }))
    expect(find(p, 'conversation').textContent).toContain('A message takes it up again')
    expect(has(p, 'talk-prompt')).toBe(true)
  })

  it('says what its button does for who may give the skill, and for who may not', async () => {
    const done = forge(asking({ state: 'completed', question: null }), { status: 'completed' })
    expect(find(await open(done, [SKILL]), 'forge-read').textContent).toBe('Read and give it')
    expect(find(await open(done, [SKILL], 'spectator'), 'forge-read').textContent).toBe('Read it')
  })

  it('ends with a skill to read and to give', async () => {
    const p = await open(forge(asking({ state: 'completed', question: null }), { status: 'completed' }), [SKILL])
    expect(has(p, 'talk-prompt')).toBe(false)
    find(p, 'forge-read').click()
    await drawn()
    expect(find(p, 'skill-loading').dataset['state']).toBe('loading')
    const ask = p.net.last.ofType('skill:open')[0]
    p.net.last.say({
      type: 'skill:opened',
      requestId: ask?.requestId,
      name: 'write-notes',
      files: { 'references/a.md': '# A', 'SKILL.md': '---\nname: write-notes\n---\n# Write notes\nSteps <b>here</b>.' },
    })
    await drawn()
    expect(find(p, 'skill-text').dataset['file']).toBe('SKILL.md')
    expect(find(p, 'skill-text').textContent).toContain('name: write-notes')
    expect(find(p, 'skill-text').querySelector('b')).toBeNull() // S0-B20
    expect([
      find(p, 'give-critic').getAttribute('aria-pressed'),
      find(p, 'give-ideator').getAttribute('aria-pressed'),
    ]).toEqual(['true', 'false'])
    find(p, 'give-ideator').click()
    find(p, 'give-critic').click()
    expect(p.net.last.ofType('skill:give')).toMatchObject([
      { name: 'write-notes', agentId: 'ideator' },
      { name: 'write-notes', agentId: 'critic', taken: true },
    ])
  })
})

describe('the skills of a realm', () => {
  it('say what they are for while there are none', async () => {
    const p = await open(null)
    find(p, 'tab-artifacts').click()
    await drawn()
    expect(find(p, 'skills').textContent).toContain('A skill is a page of know-how for agents')
    find(p, 'skill-make').click()
    expect(p.net.last.ofType('conversation.start')).toMatchObject([{ kind: 'forge' }])
  })

  it('are a line each, and fetching one ends with an error too (S0-19)', async () => {
    const p = await open(null, [SKILL])
    find(p, 'tab-artifacts').click()
    await drawn()
    expect(find(p, 'skill-write-notes').textContent).toContain('given to 1 agent')
    find(p, 'skill-write-notes').click()
    await drawn()
    p.net.last.say({
      type: 'error',
      requestId: p.net.last.ofType('skill:open')[0]?.requestId,
      code: 'not_found',
      message: 'Its folder is gone.',
    })
    await drawn()
    expect(find(p, 'skill-loading').textContent).toContain('Its folder is gone.')
    p.net.last.say({ type: 'skill:removed', seq: 51, at: AT, name: 'write-notes' })
    await drawn()
    expect(find(p, 'skill').textContent).toContain('not there any more')
  })

  it('whose folder is not there say so, can be taken and not given, and come back', async () => {
    const p = await open(null, [SKILL])
    find(p, 'tab-artifacts').click()
    await drawn()
    p.net.last.say({ type: 'skill:updated', seq: 51, at: AT, skill: { ...SKILL, missing: true } })
    await drawn()
    expect(find(p, 'skill-write-notes').textContent).toContain('Its folder is not there now')
    find(p, 'skill-write-notes').click()
    await drawn()
    expect(p.net.last.ofType('skill:open')).toHaveLength(0)
    expect(find(p, 'skill-missing').textContent).toContain('until the folder comes back')
    expect([...p.root.querySelectorAll('[data-testid^="give-"]')].map((b) => b.getAttribute('data-testid'))).toEqual([
      'give-critic',
    ])
    p.net.last.say({ type: 'skill:updated', seq: 52, at: AT, skill: SKILL })
    await drawn()
    expect(p.net.last.ofType('skill:open')).toMatchObject([{ name: 'write-notes' }])
    expect(p.root.querySelector('[data-testid="skill-missing"]')).toBeNull()
    p.net.last.say({ type: 'skill:updated', seq: 53, at: AT, skill: { ...SKILL, missing: true, agents: [] } })
    await drawn()
    expect(p.root.querySelector('[data-testid="skill-write-notes"]')).toBeNull()
  })
})
