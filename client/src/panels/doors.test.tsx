// The questions of coding agents: all in one place, answered once, and with their outcome when they have ended.
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { describe, expect, it, vi } from 'vitest'
import type { AgentDoor, AgentState, Message, World } from '../net/protocol.gen'
import { askedFor, doorDetails, moreThan } from '../state/door-details'
import { awaitsPermission, neverRan } from '../state/doors'
import { answerOf } from '../state/questions'
import { row } from '../testing/conversation-page'
import { drawn, find, greet, has, KNOWN, openPage, type Page } from '../testing/page'
import { AT, info, overlays, running, seated, snapshot, welcomeSnapshot } from '../testing/samples'
import { memoryStorage } from '../testing/storages'
import { AppContext } from './context'
import { ToolRow } from './conversation/tool-row'
import { DoorUntil } from './door-until'
import { HeroDoor } from './hero-door'

const door = (id: string, over: Partial<AgentDoor> = {}): AgentDoor => ({
  doorId: id,
  agentId: 'claude:s1',
  conversationId: 'private-c9',
  tool: 'Bash',
  summary: `touch ${id}`,
  detail: `{"command":"touch ${id}"}`,
  choices: ['allow', 'deny'],
  since: AT,
  ...over,
})

/** A door with two questions of Claude Code. */
const ASKED: Partial<AgentDoor> = {
  tool: 'AskUserQuestion',
  choices: ['answer', 'deny'],
  detail: JSON.stringify({
    questions: [
      { question: 'Which database?', options: [{ label: 'SQLite', description: 'a file' }, { label: 'Postgres' }] },
      { question: 'Which extras?', multiSelect: true, options: [{ label: 'Cache' }, { label: 'Logs' }] },
    ],
  }),
}

/** The page of somebody who has entered no name. */
async function nameless(doors: AgentDoor[], guest?: true): Promise<Page> {
  const p = await openPage()
  greet(p.net.last, info({ guest }), welcomeSnapshot(5), snapshot(5, { ...running(5), doors }), overlays())
  p.app.enter()
  await drawn()
  return p
}

async function game(doors: AgentDoor[], me: object = {}, agents = running(5).agents): Promise<Page> {
  const p = await openPage(memoryStorage(KNOWN))
  const w: World = { ...running(5), agents, doors }
  greet(p.net.last, info(), welcomeSnapshot(5), snapshot(5, w), overlays(), { ...seated, ...me })
  await drawn()
  return p
}

const card = (p: Page, id: string) => find(p, 'doors').querySelector<HTMLElement>(`[data-door=${id}]`)!
const button = (p: Page, id: string, choice: string) =>
  card(p, id).querySelector<HTMLButtonElement>(`[data-testid=door-${choice}]`)

const closed = (id: string, over: object) => ({
  type: 'door:closed',
  seq: 6,
  at: AT,
  doorId: id,
  conversationId: 'private-c9',
  ...over,
})

describe('a tool call', () => {
  const call = (id: string, name: string, input: string) =>
    row(id, { role: 'tool', status: 'open', memberId: 'claude:s1', content: '', tool: { name, input } })
  const touch = call('m1', 'Bash', '{"command":"touch d1"}')
  const other = call('m2', 'Bash', '{"command":"ls"}')
  const world = (reason: string, doors: AgentDoor[] = []): World => ({
    ...running(5),
    agents: [
      {
        ...running(5).agents[0]!,
        id: 'claude:s1',
        state: { state: 'waiting', wait: 'permission', reason, source: 'hook', since: AT },
      },
    ],
    doors,
  })
  const waiting = (w: World, rows = [touch, other]) =>
    rows.filter((m) => awaitsPermission(w, m, rows)).map((m) => m.messageId)

  it('waits for permission if the question or else the state of its agent names it', () => {
    expect(waiting(world('Bash: ls', [door('d1')]))).toEqual(['m1'])
    expect(waiting(world('Bash: ls', [door('d1', { outcome: 'allowed' })]))).toEqual([])
    expect(waiting(world('Bash: ls'), [other])).toEqual(['m2'])
    expect(waiting(world('BashOutput: ls'), [other])).toEqual([])
    expect(waiting(world('Bash: ls'), [{ ...other, status: 'done' }])).toEqual([])
    const more = '{"timeout":5,"command":"touch d1"}' // a hook reports members that the transcript does not have
    expect(waiting(world('', [door('d1', { detail: more })]))).toEqual(['m1'])
    const codex = call('m3', 'exec_command', '{"cmd":"touch d1","sandbox_permissions":"require_escalated"}')
    expect(waiting(world('', [door('d1')]), [other, codex])).toEqual(['m3'])
    expect(waiting({ ...world('Bash: ls'), agents: [] }, [other])).toEqual([])
  })

  it('never ran if the session ended while it waited', () => {
    const cut: Message = { ...touch, status: 'interrupted' }
    expect(neverRan(world('', [door('d1', { outcome: 'ended' })]), cut)).toBe(true)
    expect(neverRan(world('', [door('d1', { outcome: 'ended' })]), { ...other, status: 'interrupted' })).toBe(false)
    expect(neverRan(world('', [door('d1', { outcome: 'terminal' })]), cut)).toBe(false)
    const root = document.createElement('div')
    render(<ToolRow message={cut} brief="touch d1" name="Claude Code" waits={false} neverRan />, root)
    expect(root.textContent).toMatch(/not run.*It waited for permission/)
    expect(root.textContent).not.toContain('nobody knows')
    render(null, root)
  })

  it('says in its row that it waits, or was refused', () => {
    const said = (m: Message, waits: boolean) => {
      const root = document.createElement('div')
      render(<ToolRow message={m} brief="touch d1" name="Claude Code" waits={waits} />, root)
      const text = root.querySelector('.tool-status')?.textContent
      render(null, root) // a row whose call runs has a clock
      return text
    }
    const ended: Message = { ...touch, status: 'error' }
    expect(said(touch, true)).toBe('waits for permission')
    expect(said(touch, false)).toBe('runs')
    expect(said(ended, false)).toBe('failed')
    expect(said({ ...ended, tool: { ...touch.tool!, refused: true } }, false)).toBe('refused')
  })

  it('that asks a person shows the options, and then the answers', () => {
    const root = document.createElement('div')
    const show = (m: Message) => {
      render(<ToolRow message={m} brief="" name="Claude Code" waits={m.status === 'open'} />, root)
      return root.textContent
    }
    const asks = call('m3', 'AskUserQuestion', ASKED.detail!)
    expect(show(asks)).toMatch(/waits for an answer.*SQLitea file.*Postgres/)
    const answers = 'Your questions have been answered: "Which database?"="SQLite", "Which extras?"="Cache, Logs".'
    expect(show({ ...asks, status: 'done', content: answers })).toMatch(/Which database\? SQLite.*Cache, Logs/)
    expect(root.textContent).not.toContain('Postgres')
    render(null, root)
  })
})

describe('the questions of agents', () => {
  it('are answered by somebody without a name after one press on the suggestion, beside the buttons', async () => {
    const p = await nameless([door('d1')])
    button(p, 'd1', 'allow')!.click()
    await drawn()
    expect(p.net.last.ofType('door:answer')).toEqual([])
    expect(find(p, 'ask-name').closest('dialog')).toBeNull()
    expect(document.activeElement).toBe(find(p, 'ask-name-field'))
    find(p, 'ask-name-yes').click()
    await drawn()
    p.net.last.say(seated)
    await drawn()
    expect(p.net.last.ofType('door:answer')).toMatchObject([{ doorId: 'd1', choice: 'allow' }])
    expect(has(p, 'ask-name')).toBe(false)
  })

  it('are in one place, with what exactly is asked, and counted in the title', async () => {
    const p = await game([
      door('d1'),
      door('d2', { choices: ['allow', 'always', 'deny'] }),
      door('d0', { outcome: 'denied' }),
    ])
    expect(document.title).toMatch(/^\(2\) /)
    expect(card(p, 'd1').textContent).toContain('asks to run a command')
    expect(card(p, 'd1').querySelector('.agent-door-summary')?.textContent).toBe('touch d1')
    expect(card(p, 'd1').querySelector('[data-testid=door-details]')).toBeNull()
    expect(button(p, 'd1', 'always')).toBeNull()
    expect(button(p, 'd2', 'always')?.getAttribute('aria-label')).toContain('run a command: touch d2')
    expect(find(p, 'doors').querySelector('[data-door=d0]')).toBeNull()
  })

  it('say what is always allowed, and how long a short one can be answered here', async () => {
    const always = { choices: ['allow', 'always', 'deny'], always: 'Bash(touch:*) in this folder' }
    const p = await game([
      door('d1', { ...always, until: new Date(Date.parse(AT) + 20_000).toISOString() }),
      door('d2', { choices: ['allow', 'deny'], until: new Date(Date.parse(AT) + 600_000).toISOString() }),
      door('d3', { ...always, choices: [] }),
    ])
    expect(card(p, 'd1').textContent).toContain('Always allow: Bash(touch:*) in this folder')
    expect(button(p, 'd1', 'always')?.title).toBe('Always allow: Bash(touch:*) in this folder')
    expect(card(p, 'd1').textContent).toContain('You can answer here for 20 seconds.')
    for (const id of ['d2', 'd3']) {
      expect(card(p, id).textContent).not.toContain('Always allow')
      expect(card(p, id).textContent).not.toContain('seconds')
    }
  })

  it('say what is always allowed when they come while the page is open, and when they end', async () => {
    const p = await game([])
    const until = new Date(Date.parse(AT) + 20_000).toISOString()
    const choices = ['allow', 'always', 'deny']
    p.net.last.say({ ...door('d1', { choices, always: 'all edits', until }), type: 'door:opened', seq: 6, at: AT })
    await drawn()
    expect(card(p, 'd1').textContent).toContain('Always allow: all edits')
    expect(card(p, 'd1').textContent).toContain('You can answer here for 20 seconds.')
    p.net.last.say({ ...closed('d1', { outcome: 'always', by: 'p3', name: 'Cem' }), seq: 7 })
    await drawn()
    expect(find(p, 'door-over').textContent).toContain('allowed by Cem, and from now on all edits')
  })

  it('count down the seconds in which they can be answered here', () => {
    vi.useFakeTimers()
    const root = document.createElement('div')
    void act(() => render(<DoorUntil hold={20} />, root))
    expect(root.textContent).toContain('for 20 seconds')
    void act(() => void vi.advanceTimersByTime(19_100))
    expect(root.textContent).toContain('for 1 second.')
    void act(() => void vi.advanceTimersByTime(9_000))
    expect(root.textContent).toContain('for 0 seconds')
    render(null, root)
    vi.useRealTimers()
  })

  it('with options are answered by options and by words, one answer to each', async () => {
    const p = await game([door('d1', ASKED)])
    expect(card(p, 'd1').textContent).toContain('asks you')
    expect(button(p, 'd1', 'allow')).toBeNull()
    expect(button(p, 'd1', 'deny')?.textContent).toBe('Do not answer')
    const pick = async (label: string) => {
      ;[...card(p, 'd1').querySelectorAll('button')].find((b) => b.textContent === label)!.click()
      await drawn()
    }
    await pick('Postgres')
    await pick('SQLite')
    await pick('Logs')
    await pick('Postgres')
    const send = find(p, 'door-answer') as HTMLButtonElement
    expect(send.disabled).toBe(false)
    await pick('Logs')
    expect(send.disabled).toBe(true)
    await pick('Cache')
    const [, field] = card(p, 'd1').querySelectorAll('input')
    field!.value = ' and metrics'
    field!.dispatchEvent(new Event('input', { bubbles: true }))
    await drawn()
    send.click()
    await drawn()
    expect(p.net.last.ofType('door:answer')).toMatchObject([
      { doorId: 'd1', choice: 'answer', answers: ['Postgres', 'Cache, and metrics'] },
    ])
    expect(answerOf({ text: '', many: false, options: [] }, { chosen: ['SQLite'], typed: 'Oracle' })).toBe('Oracle')
  })

  it('with options are text where only the terminal can answer them', async () => {
    const p = await game([door('d1', { ...ASKED, choices: [] })])
    expect(card(p, 'd1').textContent).toContain('SQLite')
    expect(card(p, 'd1').querySelector('.door-options button, input, [data-testid=door-answer]')).toBeNull()
    expect(card(p, 'd1').textContent).toContain('Answer this in its own terminal.')
  })

  it('that only a terminal shows are listed and counted, with the command that leads there', async () => {
    const asking = { ...running(5).agents[0]!, id: 'opencode:s1', displayName: 'OpenCode' }
    const state: AgentState = { state: 'waiting', wait: 'permission', reason: 'bash: ls', source: 'guess', since: AT }
    const p = await game([door('d1')], {}, [{ ...asking, state }])
    expect(document.title).toMatch(/^\(2\) /)
    const line = () => find(p, 'asking-elsewhere').textContent
    expect(line()).toContain('OpenCode')
    expect(line()).toContain('probably waiting for you: permission to run a command: ls')
    expect(line()).toContain('Answer this in its own terminal.')
    expect(p.net.last.ofType('session:list')).toHaveLength(1)
    p.net.last.say({
      type: 'session:listed',
      sessions: [{ program: 'opencode', sessionId: 's1', agentId: 'opencode:s1', terminal: 'tmux attach -t o' }],
      programs: [],
    })
    await drawn()
    expect(line()).toContain('tmux attach -t o')
    p.net.last.say({ ...door('d2', { agentId: 'opencode:s1' }), type: 'door:opened', seq: 6, at: AT })
    await drawn()
    expect(has(p, 'asking-elsewhere')).toBe(false)
    expect(document.title).toMatch(/^\(2\) /)
  })

  it('are answered once, and the end says by whom', async () => {
    const p = await game([door('d1')])
    button(p, 'd1', 'allow')!.click()
    await drawn()
    const [sent] = p.net.last.ofType('door:answer')
    expect(sent).toMatchObject({ doorId: 'd1', choice: 'allow' })
    expect(button(p, 'd1', 'deny')!.disabled).toBe(true)
    p.net.last.say({
      type: 'spectator:list',
      count: 1,
      spectators: [{ spectatorId: 'p2', name: 'Ben', color: '#4fb8a3' }],
    })
    p.net.last.say({ ...closed('d1', { outcome: 'allowed', by: 'p2' }), requestId: sent?.requestId })
    await drawn()
    expect(find(p, 'door-over').textContent).toContain('allowed by Ben')
    expect(has(p, 'door')).toBe(false)
    expect(document.title).not.toMatch(/^\(/)
  })

  it('say who answered after this person has left', async () => {
    const p = await game([door('d1')])
    p.net.last.say(closed('d1', { outcome: 'denied', by: 'p3', name: 'Cem' }))
    await drawn()
    expect(find(p, 'door-over').textContent).toContain('refused by Cem')
  })

  it('show the whole command, however long it is, and files below the linked folder', async () => {
    const command = `${'echo nothing && '.repeat(20)}rm -rf /`
    const p = await game([door('d1', { summary: command.slice(0, 200), detail: JSON.stringify({ command }) })])
    expect(card(p, 'd1').querySelector('.agent-door-summary')?.textContent).toBe(command)
    expect(button(p, 'd1', 'allow')!.getAttribute('aria-label')!.length).toBeLessThan(130)
    // If the input of the call is unknown, a summary that the server may have cut ends with an ellipsis.
    expect(askedFor('x'.repeat(199), doorDetails('{}'))).toBe(`${'x'.repeat(199)}…`)
    const edit = doorDetails('{"file_path":"/repo/src/a.go","old_string":"x","new_string":"y"}')
    expect(askedFor('/repo/src/a.go', edit, '/repo')).toBe('src/a.go')
    expect(moreThan('src/a.go', edit, '/repo')).toMatchObject({ file: '', before: 'x', after: 'y' })
    expect(moreThan('ls', doorDetails('{"command":"ls"}'))).toBeNull()
  })

  it('say what the agent wants the command for', async () => {
    const detail = '{"command":"touch c.txt","description":"Make a file"}'
    const p = await game([door('d1', { summary: 'touch c.txt', detail }), door('d2')])
    expect(card(p, 'd1').querySelector('[data-testid=door-why]')?.textContent).toBe('Reason: Make a file')
    expect(card(p, 'd2').querySelector('[data-testid=door-why]')).toBeNull()
  })

  it('beyond a few are shown when a person asks for them', async () => {
    const p = await game(['d1', 'd2', 'd3', 'd4', 'd5'].map((id) => door(id)))
    expect(card(p, 'd3')).toBeTruthy()
    expect(card(p, 'd4')).toBeNull()
    expect(find(p, 'doors-more').textContent).toBe('2 more questions')
    find(p, 'doors-more').click()
    await drawn()
    expect(card(p, 'd5')).toBeTruthy()
    expect(find(p, 'doors-more').getAttribute('aria-expanded')).toBe('true')
  })

  it('pass the focus to the next question, not to its buttons, and announce who answered', async () => {
    const p = await game([door('d1'), door('d2')])
    button(p, 'd1', 'allow')!.focus()
    p.net.last.say({
      type: 'spectator:list',
      count: 1,
      spectators: [{ spectatorId: 'p2', name: 'Ben', color: '#4fb8a3' }],
    })
    p.net.last.say(closed('d1', { outcome: 'allowed', by: 'p2' }))
    await drawn()
    expect(document.activeElement).toBe(card(p, 'd2'))
    expect(find(p, 'doors-announcer').textContent).toMatch(/, run a command: allowed by Ben$/)
    p.net.last.say({ ...closed('d2', { outcome: 'terminal' }), seq: 7 })
    await drawn()
    expect((document.activeElement as HTMLElement).dataset['over']).toBe('d2')
    expect(find(p, 'doors-announcer').textContent).toMatch(/, run a command: decided in its terminal$/)
  })

  it('leave the focus where it is outside of them', async () => {
    const p = await game([door('d1'), door('d2')])
    button(p, 'd1', 'allow')!.focus()
    find(p, 'open-realms').focus()
    p.net.last.say(closed('d1', { outcome: 'denied' }))
    await drawn()
    expect(document.activeElement).toBe(find(p, 'open-realms'))
  })

  it('say of which file the content is not kept (P17.9)', async () => {
    const detail = '{"withheld":"git ignores this file","file_path":"/repo/.env"}'
    const p = await game([door('d1', { tool: 'Write', summary: '.env', detail })])
    expect(find(p, 'door-details').textContent).toBe('Not kept: git ignores /repo/.env.')
    const many = doorDetails('{"withheld":"git ignores this file","files":["a","b"]}')
    expect(many).toMatchObject({ ignored: ['a', 'b'], rest: '' })
  })

  it('show the whole edit that is asked for', async () => {
    const detail = '{"file_path":"a.go","old_string":"x","new_string":"y"}'
    const p = await game([door('d1', { tool: 'Edit', summary: 'a.go', detail })])
    expect(card(p, 'd1').querySelector('details')?.open).toBe(true)
    expect(card(p, 'd1').querySelector('.agent-door-before')?.textContent).toBe('x')
    expect(card(p, 'd1').querySelector('.agent-door-after')?.textContent).toBe('y')
  })

  it('say why an answer was not taken', async () => {
    const p = await game([door('d1')])
    button(p, 'd1', 'deny')!.click()
    await drawn()
    p.net.last.say({
      type: 'error',
      requestId: p.net.last.ofType('door:answer')[0]?.requestId,
      code: 'conflict',
      message: 'this door is closed already: allowed',
    })
    await drawn()
    expect(card(p, 'd1').querySelector('[role=alert]')?.textContent).toContain('closed already')
    expect(button(p, 'd1', 'deny')!.disabled).toBe(false)
  })

  it('have no buttons where nobody can answer here', async () => {
    const p = await game([door('d1', { choices: [] })])
    expect(card(p, 'd1').querySelector('.agent-door-choices')).toBeNull()
    expect(card(p, 'd1').textContent).toContain('its own terminal')
  })

  it('tell a host without the token how to answer', async () => {
    for (const p of [await game([door('d1')], { guest: true }), await nameless([door('d1')], true)]) {
      expect(button(p, 'd1', 'allow')).toBeNull()
      expect(card(p, 'd1').textContent).toContain('open the link')
    }
  })
})

describe('the question on the card of its hero', () => {
  it('keeps the focus on the card when it ends, and says how it ended', async () => {
    const p = await game([door('d1'), door('d2', { agentId: 'claude:s2' })])
    const place = p.root.appendChild(document.createElement('div'))
    render(
      <AppContext.Provider value={p.app}>
        <HeroDoor realm={p.app.model.realm!} id="claude:s1" name="Claude Code" />
      </AppContext.Provider>,
      place,
    )
    await drawn()
    const allow = place.querySelector<HTMLButtonElement>('[data-testid=door-allow]')!
    allow.focus()
    allow.click()
    await drawn()
    p.net.last.say(closed('d1', { outcome: 'allowed', by: 'p3', name: 'Cem' }))
    await drawn()
    const over = place.querySelector<HTMLElement>('[data-testid=door-over]')!
    expect(over.textContent).toContain('allowed by Cem')
    expect(document.activeElement).toBe(over)
    expect(find(p, 'doors-announcer').textContent).toMatch(/, run a command: allowed by Cem$/)
    p.net.last.say({ ...door('d3'), type: 'door:opened', seq: 7, at: AT })
    await drawn()
    expect(document.activeElement).toBe(place.querySelector('[data-testid=hero-door]'))
  })
})

describe('what exactly is asked', () => {
  it.each([
    ['{"command":"ls -l"}', { command: 'ls -l' }],
    ['{"cmd":["ls","-l"]}', { command: 'ls -l' }],
    ['{"command":"ls","description":"List files"}', { command: 'ls', why: 'List files' }],
    ['{"command":"ls","justification":"May I?"}', { command: 'ls', why: 'May I?' }],
    ['{"command":["ls","-l"]}', { command: 'ls -l' }],
    ['{"file_path":"a.go","old_string":"x","new_string":"y"}', { file: 'a.go', before: 'x', after: 'y' }],
    ['{"file_path":"a.go","content":"y"}', { file: 'a.go', after: 'y' }],
    ['{"query":"x"}', { rest: '{\n  "query": "x"\n}' }],
    ['{"command":"cut of', { rest: '{"command":"cut of' }],
  ])('%s', (input, want) => {
    const none = { command: '', file: '', before: '', after: '', why: '', rest: '', ignored: null }
    expect(doorDetails(input)).toEqual({ ...none, ...want })
  })
})
