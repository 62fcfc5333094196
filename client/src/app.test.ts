// Which screen is shown and when: S3-08, S3-09, S3-10, S3-19, B15, B16.
import { describe, expect, it } from 'vitest'
import type { Channel } from './identity/tab'
import type { TemplateInfo } from './net/protocol.gen'
import { memoryStorage } from './testing/storages'
import { drawn, fill, find, greet, has, KNOWN, openPage } from './testing/page'
import { AT, info, overlays, running, seated, snapshot, started, view, welcomeSnapshot, world } from './testing/samples'

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
    // B15: the stage bar shows the stage as soon as the world is here.
    expect(find(p, 'stage-bar').textContent).toContain('Stage 1 of 2')
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
    expect(p.net.last.ofType('spectator:register')).toEqual([]) // the person has entered no name
    find(p, 'begin').click()
    await drawn()
    expect(has(p, 'setup')).toBe(true)
  })

  it('forgets what was erased: drafts of the conversation, and who sat here if that was them (S1-19)', async () => {
    const browser = memoryStorage({
      ...KNOWN,
      'agentDungeon.draft.talk.c2': 'half a sent',
      'agentDungeon.draft.talk.c3': 'another',
    })
    const p = await openPage(browser)
    greet(p.net.last, info(), ...attach())
    const gone = {
      type: 'history:erased',
      seq: 6,
      at: AT,
      erasureId: 'x',
      reason: 'request',
      conversationId: 'c2',
      conversations: ['c2'],
    }
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

describe('a person without a name', () => {
  const templates: TemplateInfo[] = [
    {
      id: 'code_review',
      name: 'Code review',
      description: '',
      roles: ['Bard', 'Oracle'],
      stages: ['One'],
      driver: 'scout',
      cast: [
        { id: 'bard', name: 'Bard', color: '#112233', played: true },
        { id: 'oracle', name: 'Oracle', color: '#112233', played: true },
      ],
    },
  ]
  const offering = info({ realmId: null, gamePhase: 'onboarding', templates, driver: 'scout', offer: '/home/x' })

  it('goes from the link to a running review by one click', async () => {
    const p = await openPage()
    greet(p.net.last, offering, none, overlays())
    await drawn()
    expect(find(p, 'start-now').textContent).toBe('Watch a scout review x')
    find(p, 'start-now').click()
    const [start] = p.net.last.ofType('player:start-process')
    expect(start).toMatchObject({ templateId: 'code_review', path: '/home/x', problem: 'Code review of x' })
    p.net.last.say([info(), welcomeSnapshot(1), snapshot(1, world(1)), overlays()])
    p.net.last.say({ ...started(2), requestId: start?.requestId })
    await drawn()
    expect(has(p, 'game')).toBe(true)
    expect(has(p, 'ask-name')).toBe(false)
    expect(p.net.last.ofType('spectator:register')).toEqual([])
    // A reload returns to the realm.
    const again = await openPage(p.browser)
    greet(again.net.last, info(), ...attach())
    await drawn()
    expect(has(again, 'game')).toBe(true)
  })

  it('is asked for one when it is needed, and accepts the suggestion by one click', async () => {
    const p = await openPage()
    greet(p.net.last, info(), ...attach().slice(0, 3))
    p.app.enter()
    await drawn()
    p.app.send({ type: 'player:command', text: '/pause' })
    expect(p.net.last.ofType('player:command')).toMatchObject([{ text: '/pause' }])
    p.app.send({ type: 'player:command', text: 'hello' })
    await drawn()
    expect(p.net.last.ofType('player:command')).toHaveLength(1)
    const field = find(p, 'ask-name-field') as HTMLInputElement
    // What a person types is the name, not a part of the suggestion.
    expect([field.value, field.placeholder]).toEqual(['', p.app.suggestion.name])
    await fill(field, 'Nora')
    expect(find(p, 'ask-name-yes').textContent).toBe('Continue as Nora')
    await fill(field, '')
    find(p, 'ask-name-yes').click()
    await drawn()
    expect(p.net.last.ofType('spectator:register')).toMatchObject([{ name: p.app.suggestion.name }])
    expect(p.net.last.ofType('player:command')).toHaveLength(1) // the person is not registered yet
    p.net.last.say(seated)
    expect(p.net.last.ofType('player:command')).toHaveLength(2)
    await drawn()
    expect(has(p, 'ask-name')).toBe(false)
  })

  it('gets the words back where they do not want to say who they are', async () => {
    const p = await openPage()
    greet(p.net.last, info(), ...attach().slice(0, 3))
    p.app.enter()
    await drawn()
    p.app.send({ type: 'player:command', text: 'hello' })
    p.app.send({ type: 'process:take-role', roleId: 'ideator' })
    await drawn()
    find(p, 'ask-name-no').click()
    await drawn()
    expect(has(p, 'ask-name')).toBe(false)
    expect((find(p, 'prompt') as HTMLTextAreaElement).value).toBe('hello')
    expect(find(p, 'refusal').textContent).toContain('Could not take the role: It needs your name.')
  })

  it('sees the realm at once with the link of a spectator', async () => {
    const p = await openPage()
    greet(p.net.last, info({ role: 'spectator' }), ...attach().slice(0, 3))
    await drawn()
    expect(has(p, 'game')).toBe(true)
    expect(p.net.last.ofType('spectator:register')).toEqual([])
  })
})

describe('a duplicated tab', () => {
  it('does not send what its original still has to send', async () => {
    const air: Channel[] = []
    const channel = (): Channel => {
      const ear: Channel = {
        onmessage: null,
        postMessage: (data) => air.forEach((o) => o !== ear && queueMicrotask(() => o.onmessage?.({ data }))),
      } // deliver the message before any timer runs, so that the speed of the machine does not matter
      air.push(ear)
      return ear
    }
    const original = await openPage(memoryStorage(KNOWN), memoryStorage(), 'desk', channel())
    greet(original.net.last, info(), ...attach())
    original.net.last.end()
    original.app.send({ type: 'player:command', text: '/pause' })
    const copied = memoryStorage(
      Object.fromEntries(
        ['tab', 'tabOpen', 'pending'].map((k) => [
          `agentDungeon.${k}`,
          original.session.getItem(`agentDungeon.${k}`) ?? '',
        ]),
      ),
    )
    expect(copied.getItem('agentDungeon.pending')).toContain('/pause')
    const copy = await openPage(memoryStorage(KNOWN), copied, 'desk', channel())
    expect(copy.app.pending.value).toEqual([])
    expect(original.app.pending.value).toHaveLength(1)
    const reloaded = await openPage(memoryStorage(KNOWN), original.session, 'desk')
    expect(reloaded.app.pending.value).toHaveLength(1)
  })
})

describe('the setup', () => {
  it('leads back to the start screen, with what was typed', async () => {
    const p = await openPage()
    p.net.last.say([info({ realmId: null, gamePhase: 'onboarding', offer: undefined })])
    await drawn()
    find(p, 'begin').click()
    await drawn()
    await fill(find(p, 'identity-name'), 'Ada')
    find(p, 'back-to-start').click()
    await drawn()
    expect([has(p, 'splash'), has(p, 'setup')]).toEqual([true, false])
    find(p, 'begin').click()
    await drawn()
    expect((find(p, 'identity-name') as HTMLInputElement).value).toBe('Ada')
  })

  it('begins with a brainstorm for who comes from the start screen, which has a button for a review', async () => {
    const p = await openPage()
    const templates: TemplateInfo[] = [
      { id: 'review', name: 'Review', description: '', roles: ['A'], stages: ['One'], driver: 'scout', cast: [] },
      { id: 'talk', name: 'Talk', description: '', roles: ['A'], stages: ['One'], driver: 'none', cast: [] },
    ]
    greet(p.net.last, info({ realmId: null, gamePhase: 'onboarding', templates, offer: '/home/x' }), none, overlays())
    await drawn()
    find(p, 'begin').click()
    await drawn()
    expect((find(p, 'template') as HTMLSelectElement).value).toBe('talk')
    p.app.chooseRealm()
    await drawn()
    expect((find(p, 'template') as HTMLSelectElement).value).toBe('review')
  })

  it('links the offered folder with one click and enters the game (S3-08)', async () => {
    const p = await openPage()
    greet(p.net.last, info({ realmId: null, gamePhase: 'onboarding', offer: '/home/x' }), none, overlays())
    p.app.begin()
    await drawn()
    await fill(find(p, 'identity-name'), '\u202eAnn')
    find(p, 'link-offer').click()
    await drawn()
    expect(p.root.textContent).toContain('Enter a name')
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

  it('offers no folder that is linked already, open or in the list of realms', async () => {
    const offered = async (open: string, listed: string) => {
      const p = await openPage(memoryStorage(KNOWN))
      const w = world(1)
      const here = snapshot(1, { ...w, realm: { ...w.realm, path: open } })
      greet(p.net.last, info({ offer: '/home/y' }), welcomeSnapshot(1), here, overlays(), seated)
      p.app.begin()
      const other = { id: 'r2', name: 'y', path: listed, status: 'idle', files: 1, findings: 0, bytes: 1 }
      p.net.last.say({ type: 'realm:list', realms: [{ ...other, lastExplored: null }], lastActiveRealmId: '' })
      await drawn()
      return has(p, 'link-offer')
    }
    expect(await offered('/home/x', '/home/z')).toBe(true)
    expect(await offered('/home/y', '/home/z')).toBe(false)
    expect(await offered('/home/x', '/home/y')).toBe(false)
  })

  it('says why a folder was not linked, where it happened, and nothing is lost', async () => {
    const p = await openPage(memoryStorage({ ...KNOWN, 'agentDungeon.gamePhase': 'onboarding' }))
    greet(p.net.last, info({ realmId: null, gamePhase: 'onboarding' }), none, overlays(), seated)
    await drawn()
    await fill(find(p, 'link-path'), '/nowhere')
    find(p, 'link-submit').click()
    const [link] = p.net.last.ofType('player:link-repo')
    p.net.last.say({
      type: 'error',
      requestId: link?.requestId,
      code: 'not_found',
      message: 'there is no folder /nowhere',
    })
    await drawn()
    expect(find(p, 'refusal').textContent).toContain('there is no folder /nowhere')
    expect((find(p, 'link-path') as HTMLInputElement).value).toBe('/nowhere')
  })

  it('starts a process and goes where it runs once the server has begun it', async () => {
    const p = await openPage(memoryStorage({ ...KNOWN, 'agentDungeon.gamePhase': 'onboarding' }))
    greet(p.net.last, info(), welcomeSnapshot(1), snapshot(1, world(1)), overlays(), seated)
    await drawn()
    expect(find(p, 'driver').textContent).toContain('People play it: take one or several roles')
    await fill(find(p, 'problem'), 'What now?')
    p.app.watching.enter('r1')
    p.app.watching.take()
    find(p, 'start-process').click()
    const [start] = p.net.last.ofType('player:start-process')
    expect(start).toMatchObject({ problem: 'What now?', templateId: 'two' })
    expect(has(p, 'setup')).toBe(true)
    expect(p.app.watching.directed.value).toBe(false)
    p.net.last.say({ ...started(2), requestId: start?.requestId })
    await drawn()
    expect(has(p, 'game')).toBe(true)
    expect(p.app.watching.directed.value).toBe(true) // who starts a process wants to watch it
  })

  it('says of each process who plays it, and offers what reads a folder a place with one', async () => {
    const role = (name: string, played: boolean) => ({
      id: name.toLowerCase(),
      name,
      color: '#112233',
      ...(played ? { played } : {}),
    })
    const template = (id: string, driver: TemplateInfo['driver'], ...cast: TemplateInfo['cast']): TemplateInfo => ({
      id,
      name: id,
      description: '',
      roles: cast.map((r) => r.name),
      stages: ['One'],
      driver,
      cast,
    })
    const templates = [
      template('review', 'scout', role('Bard', true)),
      template('half', 'script', role('Ada', true), role('Bob', false), role('Cy', false)),
      template('talk', 'none', role('Ann', false)),
      template('deep', 'model', role('Ann', true)),
    ]
    const p = await openPage(memoryStorage({ ...KNOWN, 'agentDungeon.gamePhase': 'onboarding' }))
    greet(
      p.net.last,
      info({ realmId: null, gamePhase: 'onboarding', templates, driver: 'scout', offer: '/home/x' }),
      none,
      overlays(),
      seated,
    )
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
    expect(said()).toContain('Scouts play it by themselves')
    expect(p.root.textContent).toMatch(/review\s·\sone scout\s·\s20 seconds to 3 minutes/)
    await pick('place', 'nowhere')
    expect(said()).toContain('they need a repository')
    await pick('template', 'half')
    expect(said()).toContain('A script plays the roles that nobody takes. People play Bob and Cy.')
    await pick('template', 'talk')
    expect(said()).toContain('People play it: take one or several roles')
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
    greet(
      p.net.last,
      info({ realmId: null, gamePhase: 'onboarding', templates, driver: 'scout', offer: '' }),
      none,
      overlays(),
      seated,
    )
    await drawn()
    expect((find(p, 'template') as HTMLSelectElement).value).toBe('talk')
  })

  it('removes a realm only after asking', async () => {
    const p = await openPage(memoryStorage({ ...KNOWN, 'agentDungeon.gamePhase': 'onboarding' }))
    greet(p.net.last, info({ realmId: null, gamePhase: 'onboarding' }), none, overlays(), seated)
    await drawn()
    const [list] = p.net.last.ofType('player:list-realms')
    p.net.last.say({
      type: 'realm:list',
      requestId: list?.requestId,
      lastActiveRealmId: 'r1',
      realms: [
        {
          id: 'r1',
          name: 'One',
          path: '/x',
          lastExplored: AT,
          status: 'running',
          files: 1,
          findings: 2,
          bytes: 3,
          stage: 'Ideas',
        },
        {
          id: 'r2',
          name: 'Two',
          path: '/y',
          lastExplored: AT,
          status: 'completed',
          early: true,
          files: 1,
          findings: 0,
          bytes: 3,
        },
      ],
    })
    await drawn()
    expect(find(p, 'realm-r1').textContent).toContain('Ideas')
    expect(find(p, 'realm-r2').textContent).toContain('ended early')
    expect(find(p, 'realm-r2').textContent).not.toContain('finished')
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
