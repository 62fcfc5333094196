import '../kinds/registry'
import { describe, expect, it } from 'vitest'
import type { ServerFrame } from '../net/protocol.gen'
import { added, AT, info, message, running, seated, snapshot, view, welcomeSnapshot } from '../testing/samples'
import { EMPTY, type Model } from './model'
import { reduce } from './reduce'

const PLANTED = 'the words of somebody'
const fold = (frames: unknown[], m: Model = EMPTY): Model =>
  (frames as ServerFrame[]).reduce((to, f) => reduce(to, f), m)
const erased = (seq: number, over: object) => ({
  type: 'history:erased',
  seq,
  at: AT,
  erasureId: 'x1',
  reason: 'request',
  conversations: [],
  ...over,
})
const door = {
  doorId: 'd1',
  agentId: 'claude:s1',
  conversationId: 'c9',
  tool: 'Bash',
  summary: 'ls',
  choices: ['allow'],
}
const chat = {
  ...view(),
  conversationId: 'c2',
  kind: 'chat' as const,
  title: 'Sage',
  messages: [message('q', { conversationId: 'c2', role: 'user', spectatorId: 'p9', name: 'Zoe', content: PLANTED })],
}

describe('history:erased on the page (S1-19)', () => {
  const before = fold([
    info(),
    seated,
    welcomeSnapshot(5),
    snapshot(5, running(5), [view(), chat]),
    added(6, 'theirs', { role: 'user', spectatorId: 'p9', name: 'Zoe', content: PLANTED }),
    added(7, 'system', { role: 'system', name: '', content: 'Zoe paused it. Zoey did not.' }),
    added(8, 'other', { role: 'user', spectatorId: 'p8', name: 'Yan', content: 'mine' }),
    { type: 'door:opened', seq: 8, at: AT, ...door },
    { type: 'door:closed', seq: 8, at: AT, ...door, outcome: 'allowed', by: 'p9', name: 'Zoe' },
    { type: 'spectator:command', seq: 9, at: AT, spectatorId: 'p9', name: 'Zoe', color: '#123456', text: PLANTED },
  ])

  it('lets go of a conversation', () => {
    const m = fold([erased(10, { conversationId: 'c2', conversations: ['c2'] })], before)
    expect(Object.keys(m.realm?.views ?? {})).toEqual(['c1'])
    expect(m.realm?.world.erased).toEqual(['c2'])
    expect(m.realm?.world.tick).toBe(10)
    expect(JSON.stringify(m.realm?.views)).toContain('Zoe')
  })

  it('lets go of a person: words, name, and where they are named', () => {
    const m = fold([erased(10, { spectatorId: 'p9', conversations: ['c2'] })], before)
    const held = JSON.stringify(m.realm)
    expect(held).not.toContain(PLANTED)
    expect(held).not.toMatch(/Zoe\b/)
    expect(m.realm?.world.doors).toMatchObject([{ doorId: 'd1', outcome: 'allowed', by: 'p9' }])
    expect(held).toContain('erased paused it. Zoey did not.')
    expect(m.realm?.views['c1']?.messages.find((r) => r.messageId === 'other')).toMatchObject({
      name: 'Yan',
      content: 'mine',
    })
    expect(m.realm?.views['c1']?.messages.find((r) => r.messageId === 'theirs')).toMatchObject({
      name: 'erased',
      content: '',
    })
  })

  it('lets go of rows that are read by themselves, of lists of teams, and of what comes late', () => {
    const read = {
      ...before,
      realm: {
        ...before.realm!,
        page: { conversationId: 'c2', stageId: '', rows: chat.messages, hasMore: false },
        teams: [
          {
            id: 'g',
            name: 'g',
            members: [],
            sessions: [{ sessionId: 'c2', title: '', updatedAt: AT, messages: 1, summary: PLANTED }],
          },
        ],
        heads: { c2: { ...chat, messages: 1, taskPrompt: PLANTED } },
      },
    }
    const here = fold([erased(10, { conversationId: 'c2', conversations: ['c2'] })], read)
    expect(here.realm?.page).toBeNull()
    expect(here.realm?.teams).toBeNull()
    const away = fold(
      [{ ...welcomeSnapshot(20), reason: 'erased' }, snapshot(20, { ...running(20), erased: ['c2'] }, [view()])],
      read,
    )
    for (const m of [here, away]) {
      const late = fold(
        [
          { type: 'snapshot', ...chat, overlays: {} },
          {
            type: 'conversation.listed',
            conversations: [{ ...chat, messages: 1, taskPrompt: PLANTED }],
            hasMore: false,
          },
        ],
        m,
      )
      expect([
        JSON.stringify(late.realm?.page),
        JSON.stringify(late.realm?.heads),
        JSON.stringify(late.realm?.teams),
        Object.keys(late.realm?.views ?? {}).join(),
      ]).toEqual(['null', '{}', 'null', 'c1'])
    }
  })

  it('shows nothing from before where the erasure happened while the page was away', () => {
    const w = { ...running(20), erased: ['p9', 'c2'] }
    const m = fold([{ ...welcomeSnapshot(20), reason: 'erased' }, snapshot(20, w, [view()])], before)
    expect(JSON.stringify(m.realm)).not.toContain(PLANTED)
  })
})
