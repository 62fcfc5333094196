// The title of a stage over the map is that of the present stage, and a person can close it.
import { act } from 'preact/test-utils'
import { render } from 'preact'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { StageTitle } from '../map/stage-title'
import { find, greet, has, KNOWN, openPage } from '../testing/page'
import { AT, info, overlays, running, seated, snapshot, template, welcomeSnapshot } from '../testing/samples'
import { memoryStorage } from '../testing/storages'
import { AppContext } from '../panels/context'
import { hasBegun, useStageTitle, type StageNow } from './use-stage-title'

afterEach(() => {
  vi.useRealTimers()
})

const now = (index: number, over: Partial<StageNow> = {}): StageNow => ({
  id: 'c1',
  index,
  over: false,
  watchable: true,
  ...over,
})

describe('a stage gets a title', () => {
  it('if it has begun since, also as the first of the next process', () => {
    expect(hasBegun(now(0), now(3))).toBe(true)
    expect(hasBegun(now(2), now(2))).toBe(false)
    expect(hasBegun(now(4), now(1))).toBe(false)
    expect(hasBegun(now(4), now(0, { id: 'c2' }))).toBe(true)
  })
  it('not where nobody is to follow, after the end, or without a process', () => {
    expect(hasBegun(now(0), now(3, { watchable: false }))).toBe(false)
    expect(hasBegun(now(0), now(3, { over: true }))).toBe(false)
    expect(hasBegun(now(0), now(0, { id: '' }))).toBe(false)
  })
})

/** A page in the first of three stages, whose title is rendered while watched. */
async function staged(watched = true) {
  const p = await openPage(memoryStorage(KNOWN))
  const stages = ['one', 'two', 'three'].map((id) => ({ ...template.stages[0]!, id, name: `Stage ${id}` }))
  const w = running(5)
  const world = { ...w, processState: { ...w.processState, template: { ...template, stages }, currentStageIndex: 0 } }
  greet(p.net.last, info(), welcomeSnapshot(5), snapshot(5, world), overlays(), seated)
  const root = document.createElement('div')
  document.body.append(root)
  const Title = () => {
    const realm = p.app.model.realm!
    return <StageTitle realm={realm} title={useStageTitle(realm, watched)} />
  }
  vi.useFakeTimers()
  await act(() =>
    render(
      <AppContext.Provider value={p.app}>
        <Title />
      </AppContext.Provider>,
      root,
    ),
  )
  const page = { ...p, root }
  const advance = (seq: number, stageIndex: number) =>
    act(() => {
      const [fromStageId, toStageId] = [stages[stageIndex - 1]!.id, stages[stageIndex]!.id]
      const stage = { fromStageId, toStageId, stageIndex, totalStages: 3 }
      p.net.last.say({ type: 'process:stage_advanced', seq, at: AT, ...stage })
    })
  const end = (seq: number) => act(() => p.net.last.say({ type: 'process:completed', seq, at: AT, artifacts: [] }))
  const shown = () => (has(page, 'stage-title') ? find(page, 'stage-title').dataset['stage'] : '')
  const later = (ms: number) => act(() => void vi.advanceTimersByTime(ms))
  return { page, advance, end, shown, later }
}

describe('the title of a stage', () => {
  it('stays for four seconds, and gives way to that of the next stage at once', async () => {
    const { advance, shown, later } = await staged()
    expect(shown()).toBe('')
    await advance(6, 1)
    await later(3_000)
    expect(shown()).toBe('two')
    await advance(7, 2)
    expect(shown()).toBe('three')
    await later(3_900)
    expect(shown()).toBe('three')
    await later(200)
    expect(shown()).toBe('')
  })

  it('ends with the process', async () => {
    const { advance, end, shown } = await staged()
    await advance(6, 1)
    expect(shown()).toBe('two')
    await end(7)
    expect(shown()).toBe('')
  })

  it('can be closed', async () => {
    const { page, advance, shown } = await staged()
    await advance(6, 1)
    await act(() => find(page, 'stage-title-close').click())
    expect(shown()).toBe('')
  })

  it('is not there while the map is hidden', async () => {
    const { advance, shown } = await staged(false)
    await advance(6, 1)
    expect(shown()).toBe('')
  })
})
