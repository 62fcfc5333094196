// The game screen: B16, B21, P11.1.
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Settings } from './net/protocol.gen'
import { memoryStorage } from './testing/storages'
import { drawn, fill, find, greet, has, KNOWN, openPage, press } from './testing/page'
import { AT, info, overlays, running, seated, snapshot, view, welcomeReplay, welcomeSnapshot } from './testing/samples'

const attach = (seq = 5, w = running(seq)) => [welcomeSnapshot(seq), snapshot(seq, w, [view()]), overlays(), seated]
const none = { type: 'welcome', realmId: null, continuity: 'none', epoch: null, from: 0, to: 0, mapGeneration: 0 }

afterEach(() => void vi.useRealTimers())

describe('in the game', () => {
  async function playing(w = running(5), views = [view()], more: unknown[] = [], browser = memoryStorage(KNOWN)) {
    const p = await openPage(browser)
    greet(p.net.last, info(), welcomeSnapshot(5), snapshot(5, w, views), overlays(), seated, ...more)
    await drawn()
    return p
  }

  it('has a place for every setting and sends those that were changed (P11.1)', async () => {
    const p = await playing()
    find(p, 'open-settings').click()
    await drawn()
    const fields: Record<keyof Settings, string> = {
      maxAgents: 'agents',
      pace: 'pace',
      autonomyMode: 'mode',
      turnTimeoutSeconds: 'timeout',
      taskMaxTurns: 'turns',
      maxConcurrentConversations: 'at-once',
      contextWindowMessages: 'window',
      agentChats: 'chats',
      shadows: 'shadows',
      shadowsFor: 'shared',
      filesFor: 'files',
    }
    const numbers = {
      maxAgents: 7,
      turnTimeoutSeconds: 60,
      taskMaxTurns: 9,
      maxConcurrentConversations: 2,
      contextWindowMessages: 20,
    }
    for (const [name, value] of Object.entries(numbers)) {
      const input = find(p, `setting-${fields[name as keyof Settings]}`) as HTMLInputElement
      expect(Number(input.value), name).toBe(p.app.model.realm?.world.settings[name as keyof Settings])
      await fill(input, String(value))
    }
    for (const [name, value] of [
      ['mode', 'manual'],
      ['pace', 'instant'],
    ] as const) {
      const select = find(p, `setting-${name}`) as HTMLSelectElement
      select.value = value
      select.dispatchEvent(new Event('change', { bubbles: true }))
      await drawn()
    }
    find(p, 'setting-chats').click()
    await drawn()
    find(p, 'setting-shadows').click()
    await drawn()
    find(p, 'setting-shared').click()
    await drawn()
    find(p, 'setting-files').click()
    await drawn()
    find(p, 'settings-save').click()
    expect(p.net.last.ofType('player:update-settings')).toMatchObject([
      {
        settings: {
          ...numbers,
          autonomyMode: 'manual',
          pace: 'instant',
          agentChats: 'off',
          shadows: 'off',
          shadowsFor: 'everybody',
          filesFor: 'everybody',
        },
      },
    ])
  })

  it('a lost connection leaves the world in sight, counts down, and keeps what is said (B16)', async () => {
    const p = await playing()
    // Fake timers: the clock goes on only by these 10 ms at a time, so that the page never reconnects by itself,
    // however long the test takes.
    vi.useFakeTimers()
    const redrawn = () => vi.advanceTimersByTimeAsync(10)
    p.net.last.end()
    await redrawn()
    expect(has(p, 'game')).toBe(true)
    expect(find(p, 'game').className).toContain('is-offline')
    expect(find(p, 'banner').textContent).toMatch(/Next try in 1 second/)
    void fill(find(p, 'prompt'), '/pause')
    await redrawn()
    find(p, 'send').click()
    await redrawn()
    expect(find(p, 'pending').textContent).toContain('sent when the connection is back')
    expect(p.session.getItem('agentDungeon.pending')).toContain('/pause')
    find(p, 'retry-now').click()
    greet(p.net.last, info(), welcomeReplay(6, 5), overlays(), seated)
    await redrawn()
    expect(has(p, 'banner')).toBe(false)
    const [command] = p.net.last.ofType('player:command')
    expect(command?.text).toBe('/pause')
    p.net.last.say({ type: 'process:paused', seq: 6, at: AT, requestId: command?.requestId })
    await redrawn()
    expect(has(p, 'pending')).toBe(false)
    expect(find(p, 'stage-bar').dataset['status']).toBe('paused')
  })

  it('a tab that is open elsewhere says so and can go on here with an id of its own', async () => {
    const p = await playing()
    const [before] = p.net.last.ofType('spectator:register')
    p.net.last.end(4501)
    await drawn()
    expect(find(p, 'banner').textContent).toContain('open in another tab')
    find(p, 'take-over').click()
    greet(p.net.last, info())
    const [after] = p.net.last.ofType('spectator:register')
    expect(after?.tab).not.toBe(before?.tab)
  })

  it('a realm that is gone leads to the setup with a word', async () => {
    const p = await playing()
    p.net.last.say([info({ realmId: null, gamePhase: 'onboarding' }), none, overlays()])
    await drawn()
    expect(find(p, 'gone').textContent).toContain('Realm one')
    expect(p.browser.getItem('agentDungeon.gamePhase')).toBe('onboarding')
  })

  it('an open role can be taken; who is asked is told, and answers into the conversation', async () => {
    const p = await playing()
    find(p, 'take-role-ideator').click()
    const [take] = p.net.last.ofType('process:take-role')
    expect(take).toMatchObject({ roleId: 'ideator' })
    const turn = { stageId: 'ideas', roleId: 'ideator', attempt: 1, n: 1 }
    p.net.last.say([
      {
        type: 'process:cast',
        seq: 6,
        at: AT,
        requestId: take?.requestId,
        casting: { roleId: 'ideator', memberId: 'ideator', kind: 'human', name: 'Ann', spectatorId: 'p1' },
      },
      {
        type: 'chat.started',
        seq: 7,
        at: AT,
        conversationId: 'c1',
        requestId: 'q1',
        memberId: 'ideator',
        status: 'running',
        turn,
      },
    ])
    await drawn()
    // The text that the member is asked (the prompt) comes with process:turn; until then the stage's goal is shown.
    expect(find(p, 'my-turn').textContent).toContain('Find many.')
    p.net.last.say({
      type: 'process:turn',
      conversationId: 'c1',
      requestId: 'q1',
      roleId: 'ideator',
      memberId: 'ideator',
      prompt: 'Say eight.',
    })
    await drawn()
    expect(find(p, 'my-turn').textContent).toContain('Say eight.')
    expect(find(p, 'asked-persona').textContent).toContain('You have ideas.')
    await fill(find(p, 'prompt'), 'One\ntwo')
    press(find(p, 'prompt'), 'Enter', { shiftKey: true })
    expect(p.net.last.ofType('chat.send')).toEqual([])
    press(find(p, 'prompt'), 'Enter')
    const [said] = p.net.last.ofType('chat.send')
    expect(said).toMatchObject({ conversationId: 'c1', content: 'One\ntwo' })
    expect(said?.memberId).toBeUndefined()
    await drawn()
    expect((find(p, 'prompt') as HTMLTextAreaElement).value).toBe('')
    expect(has(p, 'my-turn')).toBe(false) // the answer is pending
    p.net.last.say({ type: 'error', requestId: said?.requestId, code: 'bad_field', message: 'no' })
    await drawn()
    expect(has(p, 'my-turn')).toBe(true)
  })

  it('who holds several asked roles chooses which one answers', async () => {
    const cast = ['ideator', 'critic'].map((id) => ({
      roleId: id,
      memberId: id,
      kind: 'human' as const,
      name: 'Ann',
      spectatorId: 'p1',
    }))
    const asked = ['ideator', 'critic'].map((id) => ({
      conversationId: 'c1',
      requestId: `q-${id}`,
      roleId: id,
      memberId: id,
      prompt: `As ${id}.`,
    }))
    const p = await playing(running(5, { cast }), [view({ plan: { waiting: null, asked } })])
    const choose = find(p, 'answer-as') as HTMLSelectElement
    choose.value = 'critic'
    choose.dispatchEvent(new Event('change', { bubbles: true }))
    await drawn()
    expect(find(p, 'my-turn').textContent).toContain('As critic.')
    await fill(find(p, 'prompt'), 'No.')
    find(p, 'send').click()
    expect(p.net.last.ofType('chat.send')).toMatchObject([{ memberId: 'critic', content: 'No.' }])
  })

  it('passes a turn', async () => {
    const cast = [{ roleId: 'ideator', memberId: 'ideator', kind: 'human' as const, name: 'Ann', spectatorId: 'p1' }]
    const p = await playing(running(5, { cast }), [
      view({
        plan: {
          waiting: null,
          asked: [{ conversationId: 'c1', requestId: 'q', roleId: 'ideator', memberId: 'ideator', prompt: '' }],
        },
      }),
    ])
    find(p, 'skip').click()
    expect(p.net.last.ofType('player:command')).toMatchObject([{ text: '/skip ideator' }])
  })

  it('a message that is too long is refused where it is written, and kept', async () => {
    const p = await playing()
    await fill(find(p, 'prompt'), 'x'.repeat(70_000))
    find(p, 'send').click()
    await drawn()
    expect(p.root.textContent).toContain('too long for one message')
    expect((find(p, 'prompt') as HTMLTextAreaElement).value).toHaveLength(70_000)
    expect(p.net.last.ofType('player:command')).toEqual([])
  })

  it('a refused command says why, is not called queued, and can go back into the prompt (B21)', async () => {
    const p = await playing()
    await fill(find(p, 'prompt'), '/pause')
    press(find(p, 'prompt'), 'Enter')
    const [c] = p.net.last.ofType('player:command')
    p.net.last.say({ type: 'error', requestId: c?.requestId, code: 'conflict', message: 'it is paused already' })
    await drawn()
    expect(find(p, 'refusal').textContent).toContain('it is paused already')
    find(p, 'refusal').querySelector('button')?.click()
    await drawn()
    expect((find(p, 'prompt') as HTMLTextAreaElement).value).toBe('/pause')
    expect(has(p, 'refusal')).toBe(false)
  })

  it('a disk that takes nothing is shown until it does', async () => {
    const p = await playing()
    expect(find(p, 'save-status').dataset['state']).toBe('saved')
    p.net.last.say({ type: 'save:status', state: 'failing', seq: 5, since: AT, message: 'no space left' })
    await drawn()
    expect(find(p, 'save-status').textContent).toMatch(/Not saved since \d\d:\d\d/)
    expect(find(p, 'save-banner').textContent).toContain('no space left')
    p.net.last.say({ type: 'save:status', state: 'saved', seq: 9 })
    await drawn()
    expect(has(p, 'save-banner')).toBe(false)
  })

  it('while the server is away nothing is called saved, and the time until which it is known is shown', async () => {
    const p = await playing()
    expect(find(p, 'save-status').dataset['state']).toBe('saved')
    p.net.last.end()
    await drawn()
    expect(find(p, 'save-status').dataset['state']).toBe('unknown')
    expect(find(p, 'save-status').textContent).toMatch(/^Saved until \d\d:\d\d$/)
    expect(find(p, 'save-status').querySelector('.state-done')).toBeNull()
  })

  // S3-15
  it('a board of findings that is away is told until it is back', async () => {
    const p = await playing()
    p.net.last.say({ type: 'save:status', state: 'saved', seq: 5, board: 'Redis does not answer.' })
    await drawn()
    expect(find(p, 'board-banner').textContent).toContain('Redis does not answer.')
    expect(find(p, 'save-status').dataset['state']).toBe('saved')
    p.net.last.say({ type: 'save:status', state: 'failing', seq: 5, since: AT, board: 'Redis does not answer.' })
    await drawn()
    expect(find(p, 'save-banner').textContent).toContain('Redis does not answer.')
    p.net.last.say({ type: 'save:status', state: 'saved', seq: 9 })
    await drawn()
    expect(has(p, 'board-banner')).toBe(false)
  })

  it('what was restored is told once, in one quiet line', async () => {
    const p = await playing()
    const finding = { id: 'f', agentId: 'a', severity: 'low', title: 't', text: '', path: '', at: AT }
    p.net.last.say([
      { type: 'findings:posted', seq: 6, at: AT, finding },
      {
        type: 'realm:restored',
        seq: 7,
        at: AT,
        source: 'checkpoint',
        restoredTo: 6,
        interruptedRuns: 1,
        missingMembers: [],
      },
    ])
    await drawn()
    expect(find(p, 'restored').textContent).toContain(
      'Restored: stage 1 of 2, 1 finding, one turn was cut off and is taken again, saved at ',
    )
    find(p, 'restored').querySelector('button')?.click()
    await drawn()
    expect(has(p, 'restored')).toBe(false)
  })

  it('what a salvage could not read stays on the page, with its figures (S3-17)', async () => {
    const p = await playing()
    const salvage = {
      at: AT,
      messages: 155,
      messagesKnown: 167,
      events: 638,
      eventsKnown: 665,
      setAside: ['realm.aside-x.db'],
    }
    p.net.last.say({
      type: 'realm:restored',
      seq: 6,
      at: AT,
      source: 'state',
      restoredTo: 5,
      interruptedRuns: 0,
      missingMembers: [],
      transcriptsLost: true,
      salvage,
    })
    await drawn()
    find(p, 'restored').querySelector('button')?.click()
    await drawn()
    expect(has(p, 'restored')).toBe(false)
    expect(find(p, 'salvage').textContent).toContain('155 of 167 messages, 638 of 665 events')
    expect(find(p, 'salvage').textContent).toContain('realm.aside-x.db')
  })

  it('what the process waits for comes with the buttons that help', async () => {
    const p = await playing(
      running(5, { waiting: { code: 'turn_failed', message: 'It failed 3 times.', roleIds: ['ideator'], since: AT } }),
    )
    expect(find(p, 'waiting').textContent).toContain('It failed 3 times.')
    find(p, 'resume').click()
    find(p, 'waiting-skip').click()
    find(p, 'restart').click()
    await drawn()
    find(p, 'confirm-yes').click()
    expect(p.net.last.ofType('player:command').map((c) => c.text)).toEqual(['/resume', '/skip', '/restart'])
  })

  it('a completed process shows what it leaves behind', async () => {
    const w = running(5, { status: 'completed', collectedArtifacts: { list: ['a1'] } })
    const p = await playing({
      ...w,
      artifacts: [{ id: 'a1', name: 'idea_list', stageId: 'ideas', agentId: 'ideator', text: 'The list.', at: AT }],
    })
    expect(find(p, 'completion').textContent).toContain('The list.')
    find(p, 'tab-artifacts').click()
    await drawn()
    expect(p.root.querySelectorAll('[data-testid=artifact]')).toHaveLength(1)
    find(p, 'keep-reading').click()
    await drawn()
    expect(has(p, 'completion')).toBe(false)
    expect(find(p, 'tab-artifacts').getAttribute('aria-selected')).toBe('true')
    expect(find(p, 'artifact').textContent).toContain('Idea list')
  })

  it('a result that was closed stays closed after a reload, until the next process is completed', async () => {
    const browser = memoryStorage(KNOWN)
    const done = (conversationId: string) => running(5, { status: 'completed', conversationId })
    const p = await playing(done('c1'), [view()], [], browser)
    find(p, 'keep-reading').click()
    await drawn()
    const again = await playing(done('c1'), [view()], [], browser)
    expect(has(again, 'game')).toBe(true)
    expect(has(again, 'completion')).toBe(false)
    ;[...again.root.querySelectorAll('button')].find((b) => b.textContent === 'Show the result')?.click()
    await drawn()
    expect(has(again, 'completion')).toBe(true)
    const next = await playing(done('c9'), [view({ conversationId: 'c9' })], [], browser)
    expect(has(next, 'completion')).toBe(true)
  })

  it('a spectator looks and speaks, and is offered nothing else', async () => {
    const p = await openPage(memoryStorage(KNOWN))
    greet(p.net.last, info({ role: 'spectator' }), ...attach(), { ...seated, role: 'spectator' })
    await drawn()
    expect(has(p, 'take-role-ideator')).toBe(false)
    await fill(find(p, 'prompt'), 'hello')
    find(p, 'send').click()
    expect(p.net.last.ofType('spectator:command')).toMatchObject([{ text: 'hello' }])
    expect(p.net.last.ofType('player:command')).toEqual([])
  })

  it('a spectator who asks is told at once that agents answer hosts only', async () => {
    const p = await openPage(memoryStorage(KNOWN))
    greet(p.net.last, info({ role: 'spectator' }), ...attach(), { ...seated, role: 'spectator' })
    await drawn()
    const line = () => p.root.querySelector('#prompt-problem')?.textContent
    expect(line()).toContain('Agents answer hosts only')
    await fill(find(p, 'prompt'), 'What is risky here?')
    expect(line()).toContain('No agent answers a spectator. A host can ask for you')
    find(p, 'send').click()
    // The page sends the question as a message to people.
    expect(p.net.last.ofType('spectator:command')).toMatchObject([{ text: 'What is risky here?' }])
    await fill(find(p, 'prompt'), '/ask bard What is risky here?')
    find(p, 'send').click()
    await drawn()
    expect(p.root.querySelector('[role=alert]')?.textContent).toContain('Only hosts give commands and ask agents')
    expect((find(p, 'prompt') as HTMLTextAreaElement).value).toBe('/ask bard What is risky here?')
    expect(p.net.last.ofType('spectator:command')).toHaveLength(1)
  })
})
