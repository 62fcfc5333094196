// The titles of stages over the map stay long enough to be read, and a person can skip them.
import { act } from 'preact/test-utils'
import { render } from 'preact'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { StageTitle } from '../map/stage-title'
import { find, greet, has, KNOWN, openPage } from '../testing/page'
import { AT, info, overlays, running, seated, snapshot, template, welcomeSnapshot } from '../testing/samples'
import { memoryStorage } from '../testing/storages'
import { AppContext } from '../panels/context'
import { stagesSince, useStageTitles, type StageNow } from './use-stage-titles'

afterEach(() => {
  vi.useRealTimers()
})

const now = (index: number, over: Partial<StageNow> = {}): StageNow => ({ id: 'c1', index, watchable: true, ...over })

describe('the stages that get a title', () => {
  it('are all that have begun since, also those that are over', () => {
    expect(stagesSince(now(0), now(3))).toEqual([1, 2, 3])
    expect(stagesSince(now(2), now(2))).toEqual([])
    expect(stagesSince(now(4), now(1))).toEqual([])
    expect(stagesSince(now(4), now(1, { id: 'c2' }))).toEqual([0, 1])
  })
  it('are none where nobody is to follow, and without a process', () => {
    expect(stagesSince(now(0), now(3, { watchable: false }))).toEqual([])
    expect(stagesSince(now(0), now(0, { id: '' }))).toEqual([])
  })
})

/** A page in the first of three stages, whose titles are rendered while watched. */
async function staged(watched = true) {
  const p = await openPage(memoryStorage(KNOWN))
  const stages = ['one', 'two', 'three'].map((id) => ({ ...template.stages[0]!, id, name: `Stage ${id}` }))
  const w = running(5)
  const world = { ...w, processState: { ...w.processState, template: { ...template, stages }, currentStageIndex: 0 } }
  greet(p.net.last, info(), welcomeSnapshot(5), snapshot(5, world), overlays(), seated)
  const root = document.createElement('div')
  document.body.append(root)
  const Titles = () => {
    const realm = p.app.model.realm!
    return <StageTitle realm={realm} titles={useStageTitles(realm, watched)} />
  }
  vi.useFakeTimers()
  await act(() =>
    render(
      <AppContext.Provider value={p.app}>
        <Titles />
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
  const shown = () => (has(page, 'stage-title') ? find(page, 'stage-title').dataset['stage'] : '')
  const later = (ms: number) => act(() => void vi.advanceTimersByTime(ms))
  return { page, advance, shown, later }
}

describe('the title of a stage', () => {
  it('stays for four seconds, though the next stage has begun', async () => {
    const { page, advance, shown, later } = await staged()
    expect(shown()).toBe('')
    await advance(6, 1)
    await advance(7, 2)
    expect([shown(), find(page, 'stage-title-skip').textContent]).toEqual(['two', 'Skip to now'])
    await later(3_900)
    expect(shown()).toBe('two')
    await later(200)
    expect([shown(), find(page, 'stage-title-skip').textContent]).toEqual(['three', 'Close'])
    await later(4_000)
    expect(shown()).toBe('')
  })

  it('can be skipped, with those that wait', async () => {
    const { page, advance, shown } = await staged()
    await advance(6, 1)
    await advance(7, 2)
    await act(() => find(page, 'stage-title-skip').click())
    expect(shown()).toBe('')
  })

  it('is not there while the map is hidden', async () => {
    const { advance, shown } = await staged(false)
    await advance(6, 1)
    expect(shown()).toBe('')
  })
})
