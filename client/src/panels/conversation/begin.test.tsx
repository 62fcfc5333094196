// Starting a conversation with an agent, from every place of the page that offers it.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { openChat } from '../../kinds/chat/open-chat'
import { drawn, fill, find, greet, has, KNOWN, openPage } from '../../testing/page'
import {
  AT,
  info,
  overlays,
  running,
  seated,
  snapshot,
  view,
  welcomeReplay,
  welcomeSnapshot,
  world,
} from '../../testing/samples'
import { memoryStorage } from '../../testing/storages'
import { CAST, chat, council, openConversations, row, sent } from '../../testing/conversation-page'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('an agent', () => {
  it('is talked to from the roster, in the chat that goes on (S0-B21)', async () => {
    const p = await openConversations({ views: [chat({ messages: [row('a')] })] })
    expect(has(p, 'hero-menu-critic')).toBe(false) // no driver plays the critic
    find(p, 'hero-menu-ideator').click()
    await drawn()
    find(p, 'hero-talk').click()
    await drawn()
    expect(find(p, 'conversation').dataset['conversation']).toBe('c2')
    expect(sent(p, 'conversation.start')).toEqual([])
  })

  it('hands its role over in its menu, which does not stand at each seat of the roster', async () => {
    const p = await openConversations()
    expect(find(p, 'seat-ideator').textContent).not.toContain('Take over')
    expect(has(p, 'take-role-critic')).toBe(true) // the row of an open role has a button that takes the role
    find(p, 'hero-menu-ideator').click()
    await drawn()
    expect(find(p, 'take-role-ideator').getAttribute('role')).toBe('menuitem')
    find(p, 'take-role-ideator').click()
    await drawn()
    expect(sent(p, 'process:take-role')).toMatchObject([{ roleId: 'ideator' }])
    expect(has(p, 'take-role-ideator')).toBe(false)
    find(p, 'hero-menu-ideator').click()
    await drawn()
    // The button is disabled until the server has answered.
    expect((find(p, 'take-role-ideator') as HTMLButtonElement).disabled).toBe(true)
  })

  it('is talked to in a new chat, which comes forth when it is there', async () => {
    const p = await openConversations()
    find(p, 'tab-findings').click()
    await drawn()
    find(p, 'hero-menu-ideator').click()
    await drawn()
    find(p, 'hero-talk').click()
    find(p, 'hero-menu-ideator').click()
    await drawn()
    p.root.querySelector<HTMLElement>('[data-testid=hero-talk]')?.click()
    const frames = p.net.last.ofType('conversation.start')
    expect(frames).toMatchObject([{ kind: 'chat', memberIds: ['ideator'] }]) // a second press sends no second command
    p.net.last.say({
      type: 'conversation.started',
      seq: 51,
      at: AT,
      requestId: frames[0]?.requestId,
      conversation: { ...chat(), conversationId: 'new' },
    })
    await drawn()
    expect(find(p, 'conversation').dataset['conversation']).toBe('new')
  })

  it('leaves the prompt of the page to spectators on a phone, who have no other place to write', async () => {
    const views = [chat({ messages: [row('a')] })]
    const places = async (host: boolean) => {
      const p = await openConversations({ views, host, layout: 'phone' })
      p.app.conversations.choose('c2')
      await drawn()
      return [find(p, 'conversation').dataset['conversation'], has(p, 'talk-prompt'), has(p, 'prompt')]
    }
    expect(await places(true)).toEqual(['c2', true, false])
    expect(await places(false)).toEqual(['c2', false, true])
  })

  it('is waited for where the connection is lost, and a refusal is said where the reader is', async () => {
    const p = await openConversations({ layout: 'phone' })
    p.net.last.end()
    openChat(p.app, 'ideator')
    await drawn()
    expect(find(p, 'talk-starting').textContent).toContain('sent when the connection is back')
    await new Promise((done) => setTimeout(done, 500))
    greet(p.net.last, info(), seated, welcomeReplay(51, 50), overlays())
    await drawn()
    p.net.last.say({
      type: 'error',
      requestId: p.net.last.ofType('conversation.start')[0]?.requestId,
      code: 'conflict',
      message: 'nothing plays Ideator',
    })
    await drawn()
    expect(has(p, 'talk-starting')).toBe(false)
    expect(find(p, 'talk').textContent).toContain('nothing plays Ideator')
    expect(p.root.querySelectorAll('[data-testid=refusal]')).toHaveLength(1)
  })

  it('gets a task, and the dialog says what the server does not take (S0-B21)', async () => {
    const p = await openConversations()
    find(p, 'hero-menu-ideator').click()
    await drawn()
    find(p, 'hero-task').click()
    await drawn()
    find(p, 'talk-start-go').click()
    await drawn()
    expect(find(p, 'talk-start').textContent).toContain('Say what it is about.')
    await fill(find(p, 'talk-task'), 'Name the shelf.')
    find(p, 'talk-start-go').click()
    await drawn()
    const frame = p.net.last.ofType('conversation.start')[0]
    expect(frame).toMatchObject({ kind: 'council', memberIds: ['ideator'], taskPrompt: 'Name the shelf.', maxTurns: 1 })
    p.net.last.say({ type: 'error', requestId: frame?.requestId, code: 'conflict', message: 'nothing plays Ideator' })
    await drawn()
    expect(find(p, 'talk-start').textContent).toContain('nothing plays Ideator')
    find(p, 'talk-start-go').click()
    await drawn()
    const again = p.net.last.ofType('conversation.start')[1]
    p.net.last.say({
      type: 'conversation.started',
      seq: 51,
      at: AT,
      requestId: again?.requestId,
      conversation: council(),
    })
    await drawn()
    expect(has(p, 'talk-start')).toBe(false)
    expect(find(p, 'conversation').dataset['conversation']).toBe('k')
  })

  it('and a person make a council of two', async () => {
    const p = await openConversations()
    find(p, 'talk-new').click()
    await drawn()
    const kind = find(p, 'talk-kind') as HTMLSelectElement
    kind.focus()
    expect(kind.value).toBe('chat')
    kind.value = 'council'
    kind.dispatchEvent(new Event('change', { bubbles: true }))
    await drawn()
    expect(document.activeElement).toBe(find(p, 'talk-kind')) // so that the arrow keys go on from here
    expect((find(p, 'talk-member-ideator') as HTMLInputElement).checked).toBe(true) // nobody has to know whom to choose
    find(p, 'talk-member-self').click()
    await drawn()
    await fill(find(p, 'talk-task'), 'Name it.')
    await fill(find(p, 'talk-turns'), '8')
    find(p, 'talk-start-go').click()
    expect(sent(p, 'conversation.start')).toMatchObject([
      { kind: 'council', memberIds: ['ideator', 'p1'], maxTurns: 8 },
    ])
  })

  it('is found by its side, in a dialog that says who answers and keeps its title', async () => {
    const p = await openPage(memoryStorage(KNOWN))
    const names = ['Scout', 'Sentinel', 'Bard', 'Architect', 'Healer']
    const cast = names.map((name) => ({ id: name.toLowerCase(), name, color: '#4fb8a3', played: true }))
    const review = { ...info().templates[0]!, id: 'code_review', driver: 'scout' as const, cast }
    greet(p.net.last, info({ templates: [review] }), welcomeSnapshot(5), snapshot(5, world(5)), overlays(), seated)
    await drawn()
    find(p, 'talk-new').click()
    await drawn()
    const title = () => find(p, 'talk-start').querySelector('h2')!.textContent
    const before = title()
    expect(find(p, 'talk-answered-by').textContent).toContain('no language model')
    expect(find(p, 'talk-agent').textContent).toContain('Sentinel: security')
    const kind = find(p, 'talk-kind') as HTMLSelectElement
    kind.value = 'council'
    kind.dispatchEvent(new Event('change', { bubbles: true }))
    await drawn()
    expect(title()).toBe(before)
    const ticked = [...p.root.querySelectorAll<HTMLInputElement>('[data-testid^=talk-member-]:checked')]
    expect(ticked.map((e) => e.dataset['testid'])).toEqual([
      'talk-member-sentinel',
      'talk-member-architect',
      'talk-member-healer',
    ])
    expect(find(p, 'talk-start').textContent).toContain('security: secrets and ways in')
  })

  it('talks about a stage that is over, from its artifact', async () => {
    const artifact = { id: 'a1', name: 'list', stageId: 'ideas', agentId: 'ideator', text: 'x', at: AT }
    const p = await openPage(memoryStorage(KNOWN))
    const w = running(50, { cast: CAST, currentStageIndex: 1, collectedArtifacts: { list: ['a1'] } })
    greet(
      p.net.last,
      info(),
      welcomeSnapshot(50),
      snapshot(50, { ...w, artifacts: [artifact] }, [view()]),
      overlays(),
      seated,
    )
    await drawn()
    find(p, 'tab-artifacts').click()
    await drawn()
    find(p, 'talk-about').click()
    expect(sent(p, 'conversation.start')).toMatchObject([{ kind: 'chat', memberIds: ['ideator'], stageId: 'ideas' }])
  })
})
