// While scouts read for long, the stage bar and the scouts at work say how many files are read.
import { describe, expect, it } from 'vitest'
import { drawn, find, greet, KNOWN, openPage } from '../testing/page'
import { AT, info, overlays, running, seated, snapshot, view, welcomeSnapshot } from '../testing/samples'
import { memoryStorage } from '../testing/storages'

describe('how many files are read', () => {
  it('is said by the stage bar and by who is at work', async () => {
    const p = await openPage(memoryStorage(KNOWN))
    const w = running(5)
    const [ideator, other] = w.processState.template!.roles
    const cast = w.processState.template!.roles.map((r) => ({ roleId: r.id, memberId: r.id, kind: 'agent' as const }))
    const world = { ...w, processState: { ...w.processState, cast } }
    greet(p.net.last, info(), welcomeSnapshot(5), snapshot(5, world, [view()]), overlays(), seated)
    p.net.last.say([
      {
        type: 'chat.started',
        seq: 6,
        at: AT,
        conversationId: 'c1',
        requestId: 'q',
        memberId: ideator!.id,
        status: 'running',
      },
      { type: 'process:progress', conversationId: 'c1', read: 1200, total: 11300 },
    ])
    await drawn()
    expect(find(p, 'stage-bar').textContent).toContain('1,200 of 11,300 files')
    expect(find(p, 'stage-bar').querySelector('progress')!.value).toBe(1200)
    expect(find(p, `seat-${ideator!.id}`).textContent).toContain('1,200 of 11,300 files')
    expect(find(p, `seat-${other!.id}`).textContent).not.toContain('files')
  })
})
