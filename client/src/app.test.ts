// Which screen is shown and when: S3-08, S3-09, S3-10, S3-19, B15, B16.
import { describe, expect, it } from 'vitest'
import type { Channel } from './identity/tab'
import type { Settings, TemplateInfo } from './net/protocol.gen'
import { memoryStorage } from './testing/shelves'
import { drawn, fill, find, greet, has, KNOWN, openPage, press } from './testing/page'
import { AT, info, overlays, running, seated, snapshot, started, view, welcomeReplay, welcomeSnapshot, world } from './testing/samples'

const attach = (seq = 5, w = running(seq)) => [welcomeSnapshot(seq), snapshot(seq, w, [view()]), overlays(), seated]
const none = { type: 'welcome', realmId: null, continuity: 'none', epoch: null, from: 0, to: 0, mapGeneration: 0 }

describe('a reload', () => {
  it('lands in the game without a click where server and storage agree (S3-09)', async () => {
    const p = await openPage(memoryStorage(KNOWN))
    expect(p.app.screen.value).toBe('boot')
    greet(p.net.last, info())
    expect(p.net.last.ofType('hello')).toMatchObject([{ realmId: 'r1' }])
    expect(p.net.last.ofType('spectator:register')).toMatchObject([{ name: 'Ann', color: '#4fb8a3' }])
    p.net.last.say(attach())
    await drawn()
    expect(has(p, 'game')).toBe(true)
    // B15: the bar knows the stage at once, from the world.
    expect(find(p, 'stage-bar').textContent).toContain('STAGE 1 / 2')
    expect(find(p, 'stage-bar').textContent).toContain('Ideas')
  })

  it.each([
    ['another realm', info({ realmId: 'r9' })],
    ['no realm', info({ realmId: null, gamePhase: 'onboarding' })],
    ['a realm that is being read', info({ gamePhase: 'analyzing' })],
  ])('shows the setup where the server has %s, and does not write it down (S3-10, B15)', async (_, i) => {
    const p = await openPage(memoryStorage(KNOWN))
    greet(p.net.last, i)
    await drawn()
    expect(has(p, 'setup')).toBe(true)
    expect(p.browser.getItem('agentDungeon.realmId')).toBe('r1')
    p.net.last.say(i.realmId === null ? [none, overlays()] : attach())
    await drawn()
    expect(has(p, 'setup')).toBe(true)
    expect(p.browser.getItem('agentDungeon.realmId')).toBe('r1')
  })

  it('begins at the splash with an empty storage, without an error (S3-19)', async () => {
    const p = await openPage()
    await drawn()
    expect(has(p, 'splash')).toBe(true)
    greet(p.net.last, info())
    expect(p.net.last.ofType('spectator:register')).toEqual([]) // nobody has said a name
    find(p, 'begin').click()
    await drawn()
    expect(has(p, 'setup')).toBe(true)
  })

  it('forgets what was erased: drafts of the conversation, and who sat here if that was them (S1-19)', async () => {
    const browser = memoryStorage({ ...KNOWN, 'agentDungeon.draft.talk.c2': 'half a sent', 'agentDungeon.draft.talk.c3': 'another' })
    const p = await openPage(browser)
    greet(p.net.last, info(), ...attach())
    const gone = { type: 'history:erased', seq: 6, at: AT, erasureId: 'x', reason: 'request', conversationId: 'c2', conversations: ['c2'] }
    p.net.last.say([gone])
    await drawn()
    expect(browser.getItem('agentDungeon.draft.talk.c2')).toBeNull()
    expect(browser.getItem('agentDungeon.draft.talk.c3')).toBe('another')
    expect(has(p, 'game')).toBe(true)
    p.net.last.say([{ ...gone, seq: 7, conversationId: undefined, conversations: [], spectatorId: 'p1' }])
    await drawn()
    expect(has(p, 'splash')).toBe(true)
    expect(browser.getItem('agentDungeon.seat')).toBeNull()
    expect(browser.getItem('agentDungeon.identity')).toBeNull()
  })

  it('never loses typed words', async () => {
    const browser = memoryStorage(KNOWN)
    const p = await openPage(browser)
    greet(p.net.last, info(), ...attach())
    await drawn()
    await fill(find(p, 'prompt'), 'half a sent')
    const again = await openPage(browser)
    greet(again.net.last, info(), ...attach())
    await drawn()
    expect((find(again, 'prompt') as HTMLTextAreaElement).value).toBe('half a sent')
  })

  it('takes the same seat back', async () => {
    const browser = memoryStorage(KNOWN)
    const p = await openPage(browser)
    greet(p.net.last, info(), ...attach())
    expect(browser.getItem('agentDungeon.seat')).toBe('a.secret')
    const again = await openPage(browser)
    greet(again.net.last, info())
    expect(again.net.last.ofType('spectator:register')).toMatchObject([{ seat: 'a.secret' }])
    expect(again.net.last.ofType('hello')[0]).not.toHaveProperty('seat')
  })
})

describe('a duplicated tab', () => {
  it('does not send what its original still has to send', async () => {
    const air: Channel[] = []
    const channel = (): Channel => {
      const ear: Channel = { onmessage: null, postMessage: (data) => air.forEach((o) => o !== ear && queueMicrotask(() => o.onmessage?.({ data }))) } // before any timer, however busy the machine is
      air.push(ear)
      return ear
    }
    const original = await openPage(memoryStorage(KNOWN), memoryStorage(), 'desk', channel())
    greet(original.net.last, info(), ...attach())
    original.net.last.end()
    original.app.send({ type: 'player:command', text: '/pause' })
    const copied = memoryStorage(Object.fromEntries(['tab', 'tabOpen', 'pending'].map((k) => [`agentDungeon.${k}`, original.session.getItem(`agentDungeon.${k}`) ?? ''])))
    expect(copied.getItem('agentDungeon.pending')).toContain('/pause')
    const copy = await openPage(memoryStorage(KNOWN), copied, 'desk', channel())
    expect(copy.app.pending.value).toEqual([])
    expect(original.app.pending.value).toHaveLength(1)
    const reloaded = await openPage(memoryStorage(KNOWN), original.session, 'desk')
    expect(reloaded.app.pending.value).toHaveLength(1)
  })
})

describe('the setup', () => {
  it('links the offered folder with one click and enters the game (S3-08)', async () => {
    const p = await openPage()
    greet(p.net.last, info({ realmId: null, gamePhase: 'onboarding', offer: '/home/x' }), none, overlays())
    p.app.begin()
    await drawn()
    find(p, 'link-offer').click()
    await drawn()
    expect(p.root.textContent).toContain('Say a name first')
    expect(p.net.last.ofType('player:link-repo')).toEqual([])

    await fill(find(p, 'identity-name'), 'Ann')
    find(p, 'link-offer').click()
    expect(p.net.last.ofType('spectator:register')).toMatchObject([{ name: 'Ann' }])
    p.net.last.say(seated)
    const [link] = p.net.last.ofType('player:link-repo')
    expect(link).toMatchObject({ path: '/home/x' })
    p.net.last.say({ type: 'realm:progress', requestId: link?.requestId, phase: 'scanning', done: 1200, total: 20000 })
    await drawn()
    expect(find(p, 'progress').textContent).toContain('1,200 of 20,000')
    p.net.last.say([info(), welcomeSnapshot(1), snapshot(1, world(1)), overlays()])
    await drawn()
    expect(has(p, 'game')).toBe(true)
    expect(JSON.parse(p.browser.getItem('agentDungeon.identity') ?? '')).toMatchObject({ name: 'Ann' })
    expect(p.browser.getItem('agentDungeon.realmId')).toBe('r1')
    expect(p.browser.getItem('agentDungeon.gamePhase')).toBe('playing')
  })

  it('says why a folder was not linked, where it happened, and nothing is lost', async () => {
    const p = await openPage(memoryStorage({ ...KNOWN, 'agentDungeon.gamePhase': 'onboarding' }))
    greet(p.net.last, info({ realmId: null, gamePhase: 'onboarding' }), none, overlays(), seated)
    await drawn()
    await fill(find(p, 'link-path'), '/nowhere')
    find(p, 'link-submit').click()
    const [link] = p.net.last.ofType('player:link-repo')
    p.net.last.say({ type: 'error', requestId: link?.requestId, code: 'not_found', message: 'there is no folder /nowhere' })
    await drawn()
    expect(find(p, 'refusal').textContent).toContain('there is no folder /nowhere')
    expect((find(p, 'link-path') as HTMLInputElement).value).toBe('/nowhere')
  })

  it('starts a process and goes where it runs once the server has begun it', async () => {
    const p = await openPage(memoryStorage({ ...KNOWN, 'agentDungeon.gamePhase': 'onboarding' }))
    greet(p.net.last, info(), welcomeSnapshot(1), snapshot(1, world(1)), overlays(), seated)
    await drawn()
    expect(find(p, 'driver').textContent).toContain('Nothing plays these roles by itself. People play them')
    await fill(find(p, 'problem'), 'What now?')
    find(p, 'start-process').click()
    const [start] = p.net.last.ofType('player:start-process')
    expect(start).toMatchObject({ problem: 'What now?', templateId: 'two' })
    expect(has(p, 'setup')).toBe(true)
    p.net.last.say({ ...started(2), requestId: start?.requestId })
    await drawn()
    expect(has(p, 'game')).toBe(true)
  })

  it('says of each process who plays it, and offers what reads a folder a place with one', async () => {
    const role = (name: string, played: boolean) => ({ id: name.toLowerCase(), name, color: '#112233', ...(played ? { played } : {}) })
    const template = (id: string, driver: TemplateInfo['driver'], ...cast: TemplateInfo['cast']): TemplateInfo => ({ id, name: id, description: '', roles: cast.map((r) => r.name), stages: ['One'], driver, cast })
    const templates = [template('review', 'scout', role('Bard', true)), template('half', 'script', role('Ada', true), role('Bob', false), role('Cy', false)), template('talk', 'none', role('Ann', false)), template('deep', 'model', role('Ann', true))]
    const p = await openPage(memoryStorage({ ...KNOWN, 'agentDungeon.gamePhase': 'onboarding' }))
    greet(p.net.last, info({ realmId: null, gamePhase: 'onboarding', templates, driver: 'scout', offer: '/home/x' }), none, overlays(), seated)
    await drawn()
    const pick = async (testid: string, value: string) => {
      const select = find(p, testid) as HTMLSelectElement
      select.value = value
      select.dispatchEvent(new Event('change', { bubbles: true }))
      await drawn()
    }
    const said = () => find(p, 'driver').textContent ?? ''
    expect((find(p, 'template') as HTMLSelectElement).value).toBe('review')
    expect((find(p, 'place') as HTMLSelectElement).value).toBe('offer')
    expect(said()).toContain('Scouts play these roles by themselves')
    await pick('place', 'nowhere')
    expect(said()).toContain('There is none here')
    await pick('template', 'half')
    expect(said()).toContain('A script plays the roles that nobody takes. Nothing plays Bob and Cy: people take them.')
    await pick('template', 'talk')
    expect(said()).toContain('Nothing plays these roles by itself. People play them')
    expect(said()).toContain('-model-url')
    await pick('template', 'deep')
    expect(said()).toContain('what it reads of a linked folder, goes to the address')
  })

  it('chooses what needs no folder where there is none', async () => {
    const cast = [{ id: 'a', name: 'A', color: '#112233', played: true }]
    const templates: TemplateInfo[] = [
      { id: 'review', name: 'Review', description: '', roles: ['A'], stages: ['One'], driver: 'scout', cast },
      { id: 'talk', name: 'Talk', description: '', roles: ['A'], stages: ['One'], driver: 'none', cast: [] },
    ]
    const p = await openPage(memoryStorage({ ...KNOWN, 'agentDungeon.gamePhase': 'onboarding' }))
    greet(p.net.last, info({ realmId: null, gamePhase: 'onboarding', templates, driver: 'scout', offer: '' }), none, overlays(), seated)
    await drawn()
    expect((find(p, 'template') as HTMLSelectElement).value).toBe('talk')
  })

  it('removes a realm only after asking', async () => {
    const p = await openPage(memoryStorage({ ...KNOWN, 'agentDungeon.gamePhase': 'onboarding' }))
    greet(p.net.last, info({ realmId: null, gamePhase: 'onboarding' }), none, overlays(), seated)
    await drawn()
    const [list] = p.net.last.ofType('player:list-realms')
    p.net.last.say({ type: 'realm:list', requestId: list?.requestId, lastActiveRealmId: 'r1', realms: [{ id: 'r1', name: 'One', path: '/x', lastExplored: AT, status: 'running', files: 1, findings: 2, bytes: 3, stage: 'Ideas' }] })
    await drawn()
    expect(find(p, 'realm-r1').textContent).toContain('Ideas')
    find(p, 'remove-r1').click()
    await drawn()
    expect(p.net.last.ofType('player:remove-realm')).toEqual([])
    find(p, 'confirm-yes').click()
    const [remove] = p.net.last.ofType('player:remove-realm')
    expect(remove).toMatchObject({ realmId: 'r1' })
    p.net.last.say({ type: 'realm:removed', requestId: remove?.requestId, realmId: 'r1' })
    await drawn()
    expect(has(p, 'realm-r1')).toBe(false)
  })
})

describe('in the game', () => {
  async function playing(w = running(5), views = [view()], more: unknown[] = []) {
    const p = await openPage(memoryStorage(KNOWN))
    greet(p.net.last, info(), welcomeSnapshot(5), snapshot(5, w, views), overlays(), seated, ...more)
    await drawn()
    return p
  }

  it('has a place for every setting and sends those that were changed (P11.1)', async () => {
    const p = await playing()
    find(p, 'open-settings').click()
    await drawn()
    const fields: Record<keyof Settings, string> = {
      maxAgents: 'agents', pace: 'pace', autonomyMode: 'mode', turnTimeoutSeconds: 'timeout', taskMaxTurns: 'turns', maxConcurrentConversations: 'at-once', contextWindowMessages: 'window', agentChats: 'chats',
    }
    const numbers = { maxAgents: 7, turnTimeoutSeconds: 60, taskMaxTurns: 9, maxConcurrentConversations: 2, contextWindowMessages: 20 }
    for (const [name, value] of Object.entries(numbers)) {
      const input = find(p, `setting-${fields[name as keyof Settings]}`) as HTMLInputElement
      expect(Number(input.value), name).toBe(p.app.model.value.realm?.world.settings[name as keyof Settings])
      await fill(input, String(value))
    }
    for (const [name, value] of [['mode', 'manual'], ['pace', 'instant']] as const) {
      const select = find(p, `setting-${name}`) as HTMLSelectElement
      select.value = value
      select.dispatchEvent(new Event('change', { bubbles: true }))
      await drawn()
    }
    find(p, 'setting-chats').click()
    await drawn()
    find(p, 'settings-save').click()
    expect(p.net.last.ofType('player:update-settings')).toMatchObject([{ settings: { ...numbers, autonomyMode: 'manual', pace: 'instant', agentChats: 'off' } }])
  })

  it('a lost connection leaves the world in sight, counts down, and keeps what is said (B16)', async () => {
    const p = await playing()
    p.net.last.end()
    await drawn()
    expect(has(p, 'game')).toBe(true)
    expect(find(p, 'game').className).toContain('is-offline')
    expect(find(p, 'banner').textContent).toMatch(/Next try in 1 second/)
    await fill(find(p, 'prompt'), '/pause')
    find(p, 'send').click()
    await drawn()
    expect(find(p, 'pending').textContent).toContain('waits for the connection')
    expect(p.session.getItem('agentDungeon.pending')).toContain('/pause')
    find(p, 'retry-now').click()
    greet(p.net.last, info(), welcomeReplay(6, 5), overlays(), seated)
    await drawn()
    expect(has(p, 'banner')).toBe(false)
    const [command] = p.net.last.ofType('player:command')
    expect(command?.text).toBe('/pause')
    p.net.last.say({ type: 'process:paused', seq: 6, at: AT, requestId: command?.requestId })
    await drawn()
    expect(has(p, 'pending')).toBe(false)
    expect(find(p, 'stage-bar').dataset['status']).toBe('paused')
  })

  it('a tab that is open elsewhere says so and can go on here with an id of its own', async () => {
    const p = await playing()
    const [before] = p.net.last.ofType('spectator:register')
    p.net.last.end(4501)
    await drawn()
    expect(find(p, 'banner').textContent).toContain('open a second time')
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
      { type: 'process:cast', seq: 6, at: AT, requestId: take?.requestId, casting: { roleId: 'ideator', memberId: 'ideator', kind: 'human', name: 'Ann', spectatorId: 'p1' } },
      { type: 'chat.started', seq: 7, at: AT, conversationId: 'c1', requestId: 'q1', memberId: 'ideator', status: 'running', turn },
    ])
    await drawn()
    expect(find(p, 'my-turn').textContent).toContain('Find many.') // the goal, until the prompt is here
    p.net.last.say({ type: 'process:turn', conversationId: 'c1', requestId: 'q1', roleId: 'ideator', memberId: 'ideator', prompt: 'Say eight.' })
    await drawn()
    expect(find(p, 'my-turn').textContent).toContain('Say eight.')
    await fill(find(p, 'prompt'), 'One\ntwo')
    press(find(p, 'prompt'), 'Enter', { shiftKey: true })
    expect(p.net.last.ofType('chat.send')).toEqual([])
    press(find(p, 'prompt'), 'Enter')
    const [said] = p.net.last.ofType('chat.send')
    expect(said).toMatchObject({ conversationId: 'c1', content: 'One\ntwo' })
    expect(said?.memberId).toBeUndefined()
    await drawn()
    expect((find(p, 'prompt') as HTMLTextAreaElement).value).toBe('')
    expect(has(p, 'my-turn')).toBe(false) // the answer is on its way
    p.net.last.say({ type: 'error', requestId: said?.requestId, code: 'bad_field', message: 'no' })
    await drawn()
    expect(has(p, 'my-turn')).toBe(true)
  })

  it('who holds several asked roles chooses which one answers', async () => {
    const cast = ['ideator', 'critic'].map((id) => ({ roleId: id, memberId: id, kind: 'human' as const, name: 'Ann', spectatorId: 'p1' }))
    const asked = ['ideator', 'critic'].map((id) => ({ conversationId: 'c1', requestId: `q-${id}`, roleId: id, memberId: id, prompt: `As ${id}.` }))
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
    const p = await playing(running(5, { cast }), [view({ plan: { waiting: null, asked: [{ conversationId: 'c1', requestId: 'q', roleId: 'ideator', memberId: 'ideator', prompt: '' }] } })])
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
      { type: 'realm:restored', seq: 7, at: AT, source: 'checkpoint', restoredTo: 6, interruptedRuns: 1, missingMembers: [] },
    ])
    await drawn()
    expect(find(p, 'restored').textContent).toContain('Restored: stage 1 of 2, 1 finding, one turn was cut off and is taken again, saved at ')
    find(p, 'restored').querySelector('button')?.click()
    await drawn()
    expect(has(p, 'restored')).toBe(false)
  })

  it('what a salvage could not read stays on the page, with its figures (S3-17)', async () => {
    const p = await playing()
    const salvage = { at: AT, messages: 155, messagesKnown: 167, events: 638, eventsKnown: 665, setAside: ['realm.aside-x.db'] }
    p.net.last.say({ type: 'realm:restored', seq: 6, at: AT, source: 'state', restoredTo: 5, interruptedRuns: 0, missingMembers: [], transcriptsLost: true, salvage })
    await drawn()
    find(p, 'restored').querySelector('button')?.click()
    await drawn()
    expect(has(p, 'restored')).toBe(false)
    expect(find(p, 'salvage').textContent).toContain('155 of 167 messages, 638 of 665 events')
    expect(find(p, 'salvage').textContent).toContain('realm.aside-x.db')
  })

  it('what the process waits for comes with the buttons that help', async () => {
    const p = await playing(running(5, { waiting: { code: 'turn_failed', message: 'It failed 3 times.', roleIds: ['ideator'], since: AT } }))
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
    const p = await playing({ ...w, artifacts: [{ id: 'a1', name: 'idea_list', stageId: 'ideas', agentId: 'ideator', text: 'The list.', at: AT }] })
    expect(find(p, 'completion').textContent).toContain('The list.')
    find(p, 'keep-reading').click()
    await drawn()
    expect(has(p, 'completion')).toBe(false)
    expect(find(p, 'artifact').textContent).toContain('Idea list')
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
})
