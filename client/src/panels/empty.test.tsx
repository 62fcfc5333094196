// Empty views say what to do next, and do it by a click.
import { describe, expect, it } from 'vitest'
import type { TemplateInfo } from '../net/protocol.gen'
import { drawn, fill, find, greet, has, KNOWN, openPage, type Page } from '../testing/page'
import { AT, info, overlays, running, seated, snapshot, welcomeSnapshot } from '../testing/samples'
import { memoryStorage } from '../testing/storages'

const scouts = {
  id: 'code_review',
  name: 'Code review',
  description: '',
  roles: [],
  stages: ['Read'],
  driver: 'scout',
  cast: [{ id: 'bard', name: 'Bard', color: '#4fb8a3', played: true }],
} as TemplateInfo

async function open(over: { role?: 'host' | 'spectator'; folder?: boolean; found?: boolean } = {}): Promise<Page> {
  const { role = 'host', folder = true, found = false } = over
  const p = await openPage(memoryStorage(KNOWN))
  const w = running(5)
  const finding = {
    id: 's-1',
    agentId: 'sentinel',
    severity: 'high',
    title: 'A secret',
    path: '',
    evidence: '',
    at: AT,
  }
  const idle = {
    ...w,
    processState: { ...w.processState, status: 'idle', conversationId: '', cast: [], template: null },
    realm: { ...w.realm, path: folder ? '/home/x' : '' },
    findings: found ? [finding] : [],
  }
  greet(p.net.last, info({ role, templates: [scouts] }), welcomeSnapshot(5), snapshot(5, idle as never, []), overlays())
  p.net.last.say({ ...seated, role })
  p.net.last.say({ type: 'spectator:list', count: 1, spectators: [{ ...seated, type: undefined, role }] })
  await drawn()
  return p
}

const tab = async (p: Page, name: string) => {
  find(p, `tab-${name}`).click()
  await drawn()
}

describe('an empty view', () => {
  it.each(['findings', 'quests'])('of %s starts the review', async (name) => {
    const p = await open()
    await tab(p, name)
    find(p, 'empty-review').click()
    expect(p.net.last.ofType('player:start-process')).toMatchObject([{ templateId: 'code_review' }])
  })

  it('of findings offers a choice where no folder can be reviewed', async () => {
    const p = await open({ folder: false })
    await tab(p, 'findings')
    find(p, 'empty-start').click()
    await drawn()
    expect(has(p, 'start-dialog')).toBe(true)
  })

  it('of quests leads to the findings if there are some', async () => {
    const p = await open({ found: true })
    await tab(p, 'quests')
    find(p, 'empty-findings').click()
    await drawn()
    expect(has(p, 'finding-s-1')).toBe(true)
  })

  it('of people counts also those who watch without a name', async () => {
    const p = await open()
    const me = { ...seated, type: undefined, role: 'host' as const }
    p.net.last.say({ type: 'spectator:list', count: 1, unnamed: 2, spectators: [me] })
    await drawn()
    expect(find(p, 'people').textContent).toMatch(/^One person here.*2 more watch without a name\.$/)
    expect(has(p, 'empty-share')).toBe(false)
    p.net.last.say({ type: 'spectator:list', count: 1, spectators: [me] })
    await drawn()
    expect(has(p, 'unnamed')).toBe(false)
  })

  it('of artifacts and talks has its button, and one who is alone can invite others', async () => {
    const p = await open()
    find(p, 'empty-talk').click()
    expect(p.app.conversations.starting.value).not.toBeNull()
    p.app.conversations.starting.value = null
    await tab(p, 'artifacts')
    expect(p.root.querySelector('.artifacts [data-testid=empty-start]')).not.toBeNull()
    find(p, 'empty-share').click()
    expect(p.app.dialog.value).toBe('share')
  })

  it('of the stage bar starts the review of a folder that was never reviewed, beside the other processes', async () => {
    const p = await open()
    expect(find(p, 'stage-review').textContent).toContain('Watch a scout review Realm one')
    find(p, 'stage-review').click()
    expect(p.net.last.ofType('player:start-process')).toMatchObject([{ templateId: 'code_review' }])
    expect(has(p, 'new-process')).toBe(true)
    const bare = await open({ folder: false })
    expect([has(bare, 'stage-review'), has(bare, 'new-process')]).toEqual([false, true])
    expect(has(await open({ role: 'spectator' }), 'stage-review')).toBe(false)
  })

  it('keeps the process for which a problem was typed while the form is closed', async () => {
    const p = await open()
    const more = { ...scouts, id: 'brainstorm', name: 'Brainstorm', driver: 'model' } as TemplateInfo
    p.app.model.server!.templates.push(more)
    const form = async () => {
      p.app.dialog.value = null
      await drawn()
      p.app.dialog.value = 'start'
      await drawn()
      return find(p, 'template') as HTMLSelectElement
    }
    const pick = await form()
    pick.value = more.id
    pick.dispatchEvent(new Event('change', { bubbles: true }))
    await drawn()
    await fill(find(p, 'problem'), 'What now?')
    expect((await form()).value).toBe(more.id)
  })

  it('begins with the format of the process before it', async () => {
    const p = await open()
    const storm = {
      ...scouts,
      id: 'storm',
      name: 'Storm',
      driver: 'none',
      roles: ['Ann', 'Bob'],
      cast: [],
    } as TemplateInfo
    p.app.model.server!.templates.push(storm)
    p.app.model.realm!.world.processState.template = {
      id: 'storm',
      name: 'Storm',
      description: '',
      roles: [],
      stages: [],
    }
    p.app.dialog.value = 'start'
    await drawn()
    expect((find(p, 'template') as HTMLSelectElement).value).toBe('storm')
    expect(find(p, 'driver').textContent).toContain('Its roles are Ann and Bob.')
  })

  it('offers spectators nothing that only hosts may do', async () => {
    const p = await open({ role: 'spectator' })
    for (const name of ['talk', 'findings', 'quests', 'artifacts']) {
      await tab(p, name)
      expect(p.root.querySelector('[data-testid^=empty-]'), name).toBeNull()
    }
  })
})
