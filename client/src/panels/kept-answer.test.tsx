// A role that is freed while its holder has the turn: who is asked first, who is named, and where the typed
// answer goes.
import { describe, expect, it } from 'vitest'
import { drawn, fill, find, has, type Page } from '../testing/page'
import { AT, view } from '../testing/samples'
import { CAST, openConversations, sent } from '../testing/conversation-page'
import { KNOWN } from '../testing/page'
import { memoryStorage } from '../testing/storages'

const ASK = { conversationId: 'c1', requestId: 'q', roleId: 'critic', memberId: 'critic', prompt: 'Go.' }
const plan = { waiting: null, asked: [ASK] }
const held = (spectatorId: string, name: string) => ({
  roleId: 'critic',
  memberId: 'critic',
  kind: 'human' as const,
  spectatorId,
  name,
})
const cast = (spectatorId: string, name: string) => [...CAST.slice(0, 1), held(spectatorId, name)]

const asked = (over: { browser?: Storage } = {}): Promise<Page> =>
  openConversations({ ...over, views: [view({ plan })], process: { cast: cast('p1', 'Ann') } })

const box = (p: Page) => (find(p, 'prompt') as HTMLTextAreaElement).value
let seq = 50
async function frees(p: Page, by: object = { by: 'p2', name: 'Ben' }): Promise<void> {
  const open = { roleId: 'critic', memberId: 'critic', kind: 'open' }
  p.net.last.say([
    { type: 'process:cast', seq: ++seq, at: AT, casting: open, ...by },
    {
      type: 'chat.cancelled',
      seq: ++seq,
      at: AT,
      conversationId: 'c1',
      requestId: 'q',
      memberId: 'critic',
      reason: 'dismissed',
    },
  ])
  await drawn()
}

async function givesBack(p: Page): Promise<void> {
  p.net.last.say([
    { type: 'process:cast', seq: ++seq, at: AT, casting: held('p1', 'Ann') },
    { type: 'process:turn', ...ASK, requestId: 'q2' },
  ])
  await drawn()
}

describe('an answer whose turn goes away', () => {
  it('is kept for the role, and is not what goes to all', async () => {
    seq = 50
    const p = await asked()
    await fill(find(p, 'prompt'), 'I doubt it, because')
    await frees(p)
    expect(box(p)).toBe('')
    expect(find(p, 'kept-answer').textContent).toContain('Your answer as Critic was not sent.')
    find(p, 'send').click()
    await drawn()
    expect(sent(p, 'player:command')).toEqual([])
    await fill(find(p, 'prompt'), 'Why was I freed?')
    find(p, 'send').click()
    await drawn()
    expect(sent(p, 'player:command')).toMatchObject([{ text: 'Why was I freed?' }])
    await givesBack(p)
    expect(box(p)).toBe('I doubt it, because')
    expect(has(p, 'kept-answer')).toBe(false)
  })

  it('is kept for the role over a reload, and goes when the person discards it', async () => {
    seq = 50
    const browser = memoryStorage(KNOWN)
    const before = await asked({ browser })
    await fill(find(before, 'prompt'), 'I doubt it')
    const p = await openConversations({ browser, process: { cast: cast('p2', 'Ben') } })
    expect(box(p)).toBe('')
    expect(has(p, 'kept-answer')).toBe(true)
    find(p, 'discard-kept-answer').click()
    await drawn()
    expect(has(p, 'kept-answer')).toBe(false)
    expect([...Array(browser.length).keys()].map((i) => browser.getItem(browser.key(i) ?? ''))).not.toContain(
      'I doubt it',
    )
  })
})

describe('what was typed before the turn began', () => {
  const early = async (text: string, browser?: Storage): Promise<Page> => {
    const p = await openConversations({ browser, process: { cast: cast('p1', 'Ann') } })
    await fill(find(p, 'prompt'), text)
    p.net.last.say({ type: 'process:turn', ...ASK })
    await drawn()
    return p
  }

  it('is not lost, and still goes to everybody', async () => {
    const p = await early('I get coffee')
    expect(box(p)).toBe('I get coffee')
    expect(find(p, 'my-turn').textContent).toContain('Your turn as Critic')
    expect(find(p, 'early-text').textContent).toContain('It goes to everyone.')
    find(p, 'send').click()
    await drawn()
    // The server takes player:command as the answer of a person who has the turn.
    expect([...sent(p, 'chat.send'), ...sent(p, 'player:command')]).toEqual([])
    expect(sent(p, 'spectator:command')).toMatchObject([{ text: 'I get coffee' }])
    expect(has(p, 'early-text')).toBe(false)
    await fill(find(p, 'prompt'), 'I doubt it')
    find(p, 'send').click()
    await drawn()
    expect(sent(p, 'chat.send')).toMatchObject([{ content: 'I doubt it' }])
  })

  it('becomes the answer if the person says so', async () => {
    const p = await early('I think')
    find(p, 'answer-with-it').click()
    await drawn()
    expect(has(p, 'early-text')).toBe(false)
    expect(box(p)).toBe('I think')
    expect(document.activeElement).toBe(find(p, 'prompt'))
    expect((find(p, 'prompt') as HTMLTextAreaElement).selectionStart).toBe('I think'.length)
    find(p, 'send').click()
    await drawn()
    expect(sent(p, 'chat.send')).toMatchObject([{ content: 'I think' }])
  })

  it('stays what it was over a reload', async () => {
    const browser = memoryStorage(KNOWN)
    await early('I get coffee', browser)
    const p = await openConversations({ browser, views: [view({ plan })], process: { cast: cast('p1', 'Ann') } })
    expect(box(p)).toBe('I get coffee')
    expect(has(p, 'early-text')).toBe(true)
  })
})

describe('freeing a role', () => {
  it('of a person who has the turn asks first, and names the person', async () => {
    const p = await openConversations({ views: [view({ plan })], process: { cast: cast('p2', 'Ben') } })
    find(p, 'free-role-critic').click()
    await drawn()
    expect(sent(p, 'player:dismiss-agent')).toEqual([])
    expect(find(p, 'confirm').textContent).toContain('Ben has the turn')
    find(p, 'confirm-no').click()
    await drawn()
    expect(sent(p, 'player:dismiss-agent')).toEqual([])
    find(p, 'free-role-critic').click()
    await drawn()
    find(p, 'confirm-yes').click()
    await drawn()
    expect(sent(p, 'player:dismiss-agent')).toMatchObject([{ agentId: 'critic' }])
    expect(has(p, 'confirm')).toBe(false)
  })

  it('of a person who has no turn needs no question', async () => {
    const p = await openConversations({ process: { cast: cast('p2', 'Ben') } })
    find(p, 'free-role-critic').click()
    expect(sent(p, 'player:dismiss-agent')).toMatchObject([{ agentId: 'critic' }])
  })

  it('is possible after the end of the process, and taking one is not', async () => {
    const open = { roleId: 'ideator', memberId: 'ideator', kind: 'open' as const }
    const process = { status: 'completed' as const, cast: [open, held('p1', 'Ann')] }
    const p = await openConversations({ process })
    expect(has(p, 'take-role-ideator')).toBe(false)
    find(p, 'free-role-critic').click()
    expect(sent(p, 'player:dismiss-agent')).toMatchObject([{ agentId: 'critic' }])
  })

  it('says in the transcript who did it, if the event says it', async () => {
    seq = 50
    const p = await asked()
    await frees(p)
    expect(find(p, 'transcript').textContent).toContain('Ben freed the role Critic. It is open.')
    expect(find(p, 'transcript').textContent).toContain('Critic’s turn ended without an answer.')
    await givesBack(p)
    await frees(p, {})
    expect(find(p, 'transcript').textContent).toContain('The role Critic is open.')
  })
})
