// Notifications, sounds and the count in the title.
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { ConversationView } from '../net/protocol.gen'
import { drawn, find, has, type Page } from '../testing/page'
import { AT, view } from '../testing/samples'
import { openConversations } from '../testing/conversation-page'
import { happened, type Look } from './happened'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const none: Look = { realmId: 'r1', door: [], turn: [], done: [], critical: [], lost: [] }

describe('what happened', () => {
  it.each(['door', 'turn', 'done', 'critical', 'lost'] as const)('tells of a new %s once', (alert) => {
    expect(happened(none, { ...none, [alert]: ['1'] })).toEqual([alert])
    expect(happened({ ...none, [alert]: ['1'] }, { ...none, [alert]: ['1'] })).toEqual([])
    expect(happened({ ...none, [alert]: ['1'] }, none)).toEqual([])
  })

  it('tells of nothing that was there when the realm was entered', () => {
    expect(happened({ ...none, realmId: '' }, { ...none, critical: ['1'], door: ['2'] })).toEqual([])
  })

  it('has the most pressing first', () => {
    expect(happened(none, { ...none, done: ['1'], critical: ['2'], door: ['3'] })).toEqual(['door', 'critical', 'done'])
  })
})

/** A browser that allows notifications and plays sounds. */
function allow(permission: NotificationPermission = 'granted') {
  const shown: string[] = []
  const tones: number[] = []
  class FakeNotification {
    static permission = permission
    static requestPermission = () => Promise.resolve(permission)
    onclick = null
    constructor(title: string) {
      shown.push(title)
    }
    close(): void {}
  }
  class FakeAudio {
    currentTime = 0
    destination = {}
    createOscillator() {
      const frequency = {
        set value(hertz: number) {
          tones.push(hertz)
        },
      }
      return { frequency, connect: (to: unknown) => to, start() {}, stop() {} }
    }
    createGain() {
      const gain = { setValueAtTime() {}, exponentialRampToValueAtTime() {} }
      return { gain, connect: (to: unknown) => to }
    }
  }
  vi.stubGlobal('Notification', FakeNotification)
  vi.stubGlobal('AudioContext', FakeAudio)
  return { shown, tones }
}

async function switchOn(p: Page, ...ids: string[]): Promise<void> {
  find(p, 'open-preferences').click()
  await drawn()
  for (const id of ids) find(p, id).click()
  await drawn()
}

const turns: ConversationView['plan']['asked'] = [
  { conversationId: 'c1', requestId: 'q', roleId: 'critic', memberId: 'p1', prompt: 'Go.' },
]
const cast = [{ roleId: 'critic', memberId: 'p1', kind: 'human' as const, spectatorId: 'p1', name: 'Ann' }]

async function myTurn(p: Page): Promise<void> {
  p.net.last.say({ type: 'process:turn', ...turns[0] })
  await drawn()
}

describe('notifications and sounds', () => {
  it('are off at first', async () => {
    const { shown, tones } = allow()
    vi.spyOn(document, 'hidden', 'get').mockReturnValue(true)
    const p = await openConversations({ process: { cast } })
    await myTurn(p)
    expect([shown, tones]).toEqual([[], []])
  })

  it('tell of a turn once they are on, a notification only while the page is in the background', async () => {
    const { shown, tones } = allow()
    const p = await openConversations({ process: { cast } })
    await switchOn(p, 'setting-notify', 'setting-sound')
    tones.length = 0 // forget the sample tone
    vi.spyOn(document, 'hidden', 'get').mockReturnValue(true)
    await myTurn(p)
    expect(shown).toEqual(['Realm one: it is your turn'])
    expect(tones.length).toBeGreaterThan(0)
    expect(p.browser.getItem('agentDungeon.alerts.sound')).toBe('1')
  })

  it('stay off where the browser does not allow them, which the settings say', async () => {
    allow('denied')
    const p = await openConversations()
    await switchOn(p, 'setting-notify')
    expect(find(p, 'preferences').textContent).toContain('The browser does not allow them')
    expect((find(p, 'setting-notify') as HTMLInputElement).checked).toBe(false)
  })
})

describe('the title', () => {
  it('counts doors and turns', async () => {
    const p = await openConversations({ process: { cast }, views: [view({ plan: { waiting: null, asked: turns } })] })
    expect(has(p, 'my-turn')).toBe(true)
    expect(document.title).toMatch(/^\(1\) Realm one/)
    const door = {
      doorId: 'd',
      agentId: 'claude:1',
      tool: 'Bash',
      summary: 'ls',
      since: AT,
      choices: ['allow'],
      conversationId: 'x',
    }
    p.net.last.say({ type: 'door:opened', seq: 51, at: AT, ...door })
    await drawn()
    expect(document.title).toMatch(/^\(2\) Realm one/)
  })
})

describe('the offer of notifications', () => {
  const id = { doorId: 'd1', conversationId: 'private-c1' }
  const asks = async (p: Page) => {
    const door = { ...id, agentId: 'sage', tool: 'Bash', summary: 'ls', choices: [], since: AT }
    p.net.last.say({ type: 'door:opened', seq: 51, at: AT, ...door })
    await drawn()
  }
  const isAnswered = async (p: Page) => {
    p.net.last.say({ type: 'door:closed', seq: 52, at: AT, ...id, outcome: 'terminal' })
    await drawn()
  }

  it('comes once an agent has asked, and goes when the person has chosen', async () => {
    allow('default')
    const p = await openConversations({})
    expect(has(p, 'alert-offer')).toBe(false)
    await asks(p)
    expect(has(p, 'alert-offer')).toBe(false) // the question has the place
    await isAnswered(p)
    find(p, 'alert-offer-yes').click()
    await drawn()
    await drawn()
    expect(has(p, 'alert-offer')).toBe(false)
  })

  it('is not shown where the browser has decided already', async () => {
    allow('denied')
    const p = await openConversations({})
    await asks(p)
    await isAnswered(p)
    expect(has(p, 'alert-offer')).toBe(false)
  })
})
