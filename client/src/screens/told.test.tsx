// What the page says of states in which people easily miss something: ended processes, news in talks, a refused link.
import { expect, it } from 'vitest'
import { chat, choose, council, openConversations } from '../testing/conversation-page'
import { drawn, find, has } from '../testing/page'
import { AT, message, view } from '../testing/samples'

const LATER = '2099-01-02T05:00:00.000Z'
const artifact = { id: 'a0', name: 'notes', stageId: 'ideas', agentId: 'ideator', text: 'Old text.', at: AT }
const old = (over = {}) => view({ conversationId: 'c0', title: 'Old one', status: 'completed', ...over })

it('opens the result of an earlier process from its talk while another one runs, and closes it again', async () => {
  const p = await openConversations({ views: [old()], world: { artifacts: [{ ...artifact, processId: 'c0' }] } })
  expect(has(p, 'talk-result')).toBe(false) // the current process runs
  await choose(p, 'c0')
  find(p, 'talk-result').click()
  await drawn()
  expect(find(p, 'completion').textContent).toContain('Old text.')
  expect(find(p, 'completion').querySelector('a[data-testid="export-markdown"]')?.getAttribute('href')).toContain('c0')
  expect(p.app.places.at.peek()).toEqual({ kind: 'result', realmId: 'r1', id: 'c0' })
  find(p, 'keep-reading').click()
  await drawn()
  expect([has(p, 'completion'), p.app.places.at.peek()?.kind]).toEqual([false, 'realm'])
})

it('offers no result of a process that has left none', async () => {
  const p = await openConversations({ views: [old()] })
  await choose(p, 'c0')
  expect(has(p, 'talk-result')).toBe(false)
})

it('says of an ended talk that it has ended with another mark than of a broken one', async () => {
  const p = await openConversations({ views: [chat({ status: 'abandoned' }), council({ status: 'interrupted' })] })
  const mark = (id: string) => find(p, id).querySelector('.mark')?.getAttribute('class')
  expect(mark('talk-c2')).not.toContain('interrupted')
  expect(mark('talk-k')).toContain('interrupted')
})

it('names a person who wrote an artifact in a role, and only the role of an agent', async () => {
  const rows = [
    message('m1', { conversationId: 'c0', role: 'user', memberId: 'ideator', name: 'Ada' }),
    message('m2', { conversationId: 'c0', memberId: 'critic', name: 'Critic' }),
  ]
  const artifacts = [
    { ...artifact, processId: 'c0' },
    { ...artifact, id: 'a1', agentId: 'critic', processId: 'c0' },
  ]
  const p = await openConversations({ views: [old({ messages: rows })], world: { artifacts } })
  find(p, 'tab-artifacts').click()
  await drawn()
  const by = [...p.root.querySelectorAll('[data-testid="artifact"] .meta')].map((e) => e.textContent)
  expect(by.some((t) => t?.includes('by Ada as Ideator'))).toBe(true)
  expect(by.some((t) => t?.includes('by Critic'))).toBe(true)
})

it('marks the talks on a phone that shows a transcript or a result, when another one begins', async () => {
  const begun = (status: 'running' | 'completed') =>
    openConversations({ host: false, layout: 'phone', process: { status }, views: [council({ updatedAt: LATER })] })
  for (const status of ['running', 'completed'] as const) {
    const p = await begun(status)
    expect(has(p, 'completion')).toBe(status === 'completed')
    expect(find(p, 'tab-talk').classList.contains('lit')).toBe(true)
  }
  const quiet = await openConversations({ host: false, layout: 'phone' })
  expect(find(quiet, 'tab-talk').classList.contains('lit')).toBe(false)
})

it('marks the process and the talks when somebody else says something to all, until it is read', async () => {
  const p = await openConversations({ views: [chat()] })
  await choose(p, 'c2')
  find(p, 'tab-findings').click()
  const say = (seq: number, spectatorId: string, text: string) =>
    p.net.last.say({ type: 'spectator:command', seq, at: LATER, spectatorId, name: 'Ben', color: '#fff', text })
  const lit = () => find(p, 'tab-talk').classList.contains('lit')
  say(51, 'p1', 'My own words.')
  say(52, 'p9', '/pause')
  await drawn()
  expect(lit()).toBe(false)
  say(53, 'p9', 'Look at this.')
  await drawn()
  expect(lit()).toBe(true)
  find(p, 'tab-talk').click()
  await drawn()
  expect(find(p, 'talk-c1').dataset['unread']).toBe('true')
  await choose(p, 'c1')
  await choose(p, 'c2')
  expect(find(p, 'talk-c1').dataset['unread']).toBe('false')
})

it('tells spectators what a host can do, and not what they cannot', async () => {
  const waiting = { code: 'role_open' as const, message: 'Pass its turn with /skip.', since: AT, roleIds: ['critic'] }
  const text = async (host: boolean) =>
    find(await openConversations({ host, process: { waiting } }), 'waiting').textContent ?? ''
  expect(await text(true)).toContain('/skip')
  expect(await text(false)).not.toContain('/skip')
  expect(await text(false)).toContain('A host can take it or pass its turn.')
})

it('promises to send nothing from a page whose link was refused', async () => {
  const p = await openConversations({})
  p.net.last.end(4503)
  await drawn()
  const line = p.root.querySelector('#prompt-problem')?.textContent
  expect(line).toContain('Open the link')
  expect(line).not.toContain('sent later')
})
