import { readingNow } from './reading'
import '../kinds/registry'
import { describe, expect, it } from 'vitest'
import type { MapChange, ServerFrame } from '../net/protocol.gen'
import { added, AT, info, running, seated, snapshot, view, welcomeSnapshot } from '../testing/samples'
import { EMPTY, MAX_NOTES, MAX_ROOMS, type Model } from './model'
import { reduce } from './reduce'
import { seats } from './roster'
import { asks, isHost, myAsks } from './select'

const fold = (frames: unknown[], m: Model = EMPTY): Model =>
  (frames as ServerFrame[]).reduce((to, f) => reduce(to, f), m)
const playing = (over = {}) => fold([info(), seated, welcomeSnapshot(5), snapshot(5, running(5, over), [view()])])

const room = (path: string): MapChange => ({
  type: 'map:change',
  path,
  page: 0,
  pages: 1,
  room: { path, generation: 1, width: 1, height: 1, objects: [], doors: [], parts: [], walls: [], gone: [] },
})

describe('the model', () => {
  it('keeps the newest rooms, and knows which are old when the map has changed', () => {
    const m = fold(
      Array.from({ length: MAX_ROOMS + 3 }, (_, i) => room(`p${i}`)),
      playing(),
    )
    expect(Object.keys(m.realm?.rooms ?? {})).toHaveLength(MAX_ROOMS)
    expect(Object.keys(m.realm?.rooms ?? {})[0]).toBe('0:p3')
    const later = fold(
      [{ type: 'welcome', realmId: 'r1', continuity: 'replay', epoch: 'e2', from: 6, to: 5, mapGeneration: 2 }],
      m,
    )
    expect(later.realm?.stale).toEqual(new Set(Object.values(m.realm!.rooms).map((r) => r.path)))
    const again = fold([room('p4')], later)
    expect(again.realm?.stale.has('p4')).toBe(false)
  })

  it('holds every room for old under another epoch, whose generations may be the same numbers (P10.6)', () => {
    const map = { ...playing().realm!.world.map, generation: 2 }
    const changed = { type: 'map:changed', generation: 2, folders: [], changes: [], map }
    const m = fold([changed, room(''), room('src')], playing())
    const hello = (epoch: string, continuity: string) => ({
      ...{ type: 'welcome', realmId: 'r1', continuity, epoch, from: 6, to: 5, mapGeneration: 2 },
    })
    expect(fold([hello('e1', 'replay')], m).realm?.stale).toEqual(new Set())
    const replayed = fold([hello('e2', 'replay')], m)
    expect(replayed.realm?.stale).toEqual(new Set(['', 'src']))
    expect(fold([hello('e2', 'replay')], replayed).realm?.stale).toEqual(new Set(['', 'src']))
    const state = { ...snapshot(5, { ...running(5), map }, [view()]), epoch: 'e2' }
    const anew = fold([hello('e2', 'snapshot'), state], m)
    expect(anew.realm).toMatchObject({ epoch: 'e2', mapGeneration: 2, stale: new Set(['', 'src']) })
  })

  it('takes the map that follows a replay, whose generation the welcome named before', () => {
    // P5.15: the page learns the number of the map before the map itself.
    const m = fold([room('')], playing())
    const map = { ...m.realm!.world.map, generation: 5, files: 99 }
    const came = { type: 'welcome', realmId: 'r1', continuity: 'replay', epoch: 'e1', from: 6, to: 5 }
    const missed = { type: 'map:changed', generation: 5, folders: [], all: true, changes: [], map }
    const back = fold([{ ...came, mapGeneration: 5 }, missed], m)
    expect(back.realm).toMatchObject({ mapGeneration: 5, stale: new Set(['']) })
    expect(back.realm?.world.map.files).toBe(99)
    expect(fold([missed], back).realm).toBe(back.realm) // the page already has the map of that number
    expect(back.realm?.changes).toBe(m.realm?.changes) // no change is reported
    const change = { path: 'a/x', what: 'changed' as const, at: AT }
    expect(
      fold(
        [
          { ...came, mapGeneration: 5 },
          { ...missed, changes: [change] },
        ],
        m,
      ).realm?.changes,
    ).toEqual([change])
  })

  it('follows the disk: counts, old rooms, what happened (P10.6)', () => {
    const before = fold([room(''), room('a'), room('b')], playing())
    const map = { ...before.realm!.world.map, generation: 3, files: 7 }
    const change = { path: 'a/x', what: 'created' as const, at: AT }
    const m = fold([{ type: 'map:changed', generation: 3, folders: ['a', 'unknown'], changes: [change], map }], before)
    expect(m.realm).toMatchObject({ mapGeneration: 3, changes: [change], moment: null })
    expect(m.realm?.world.map.files).toBe(7)
    expect(m.realm?.stale).toEqual(new Set(['a']))
    expect(m.realm?.rooms['0:a']).toBeDefined() // the old room is shown until the new one arrives
    const commit = fold(
      [{ type: 'map:changed', generation: 4, folders: [], all: true, moment: 'commit', text: 'one', changes: [], map }],
      m,
    )
    expect(commit.realm?.stale).toEqual(new Set(['', 'a', 'b']))
    expect(commit.realm?.moment?.text).toBe('one')
    expect(fold([{ type: 'map:changed', generation: 4, folders: ['a'], changes: [change], map }], commit).realm).toBe(
      commit.realm,
    )
  })

  it('keeps a bounded number of quiet lines, each after the row it followed', () => {
    let m = fold([added(6, 'a')], playing())
    for (let i = 0; i < MAX_NOTES + 5; i++) m = fold([{ type: 'command:reply', command: '/help', text: `${i}` }], m)
    expect(m.realm?.notes).toHaveLength(MAX_NOTES)
    expect(m.realm?.notes.at(-1)).toMatchObject({ after: 'a' })
    expect(fold([{ type: 'command:reply', command: 'x' }], m)).toBe(m) // a reply without a text is no note
  })

  it('says once what a command led to', () => {
    let m = fold([{ type: 'process:paused', seq: 6, at: AT, requestId: 'x' }], playing())
    m = fold(
      [{ type: 'command:reply', requestId: 'x', command: 'player:command', text: 'The process is paused.', seq: 6 }],
      m,
    )
    expect(m.realm?.notes).toHaveLength(1)
    m = fold(
      [{ type: 'command:reply', requestId: 'y', command: 'player:command', text: 'Nothing changed.', seq: 7 }],
      m,
    )
    expect(m.realm?.notes).toHaveLength(2)
  })

  it('drops everything of a realm when another one is watched, and keeps who sits here', () => {
    const m = fold([info({ realmId: 'r2' }), welcomeSnapshot(1, 'r2', 'e2')], playing())
    expect(m.realm).toBeNull()
    expect(m.me?.spectatorId).toBe('p1')
  })

  it('holds no save status of an earlier connection', () => {
    const m = fold([{ type: 'save:status', state: 'failing', seq: 5 }], playing())
    expect(
      fold([{ type: 'welcome', realmId: 'r1', continuity: 'replay', epoch: 'e1', from: 6, to: 5, mapGeneration: 0 }], m)
        .save,
    ).toBeNull()
  })

  it('thoughts end with the run', () => {
    const run = { conversationId: 'c1', requestId: 'q', memberId: 'ideator' }
    let m = fold([{ type: 'agent:thought', agentId: 'ideator', text: 'hm' }], playing())
    expect(m.realm?.thoughts).toEqual({ ideator: 'hm' })
    m = fold([{ type: 'chat.cancelled', seq: 6, at: AT, ...run, reason: 'person' }], m)
    expect(m.realm?.thoughts).toEqual({})
  })
})

describe('who does what', () => {
  const human = (roleId: string, spectatorId: string) => ({
    roleId,
    memberId: roleId,
    kind: 'human' as const,
    name: 'X',
    spectatorId,
  })

  it('knows a person’s turn from the run alone, when its prompt was missed', () => {
    const m = fold(
      [
        {
          type: 'chat.started',
          seq: 6,
          at: AT,
          conversationId: 'c1',
          requestId: 'q',
          memberId: 'ideator',
          status: 'running',
          turn: { stageId: 'ideas', roleId: 'ideator', attempt: 1, n: 1 },
        },
      ],
      playing({ cast: [human('ideator', 'p1'), human('critic', 'p2')] }),
    )
    expect(myAsks(m)).toMatchObject([{ requestId: 'q', roleId: 'ideator', prompt: '' }])
    const told = fold(
      [
        {
          type: 'process:turn',
          conversationId: 'c1',
          requestId: 'q',
          roleId: 'ideator',
          memberId: 'ideator',
          prompt: 'P',
        },
      ],
      m,
    )
    expect(myAsks(told)).toMatchObject([{ prompt: 'P' }])
    expect(seats(told).map((s) => [s.role.id, s.mine, s.doing])).toEqual([
      ['ideator', true, 'asked'],
      ['critic', false, 'waiting'],
    ])
  })

  it('a role of somebody else is not mine, and a driver is not asked', () => {
    const m = fold(
      [
        {
          type: 'chat.started',
          seq: 6,
          at: AT,
          conversationId: 'c1',
          requestId: 'q',
          memberId: 'critic',
          status: 'running',
          turn: { stageId: 'ideas', roleId: 'critic', attempt: 1, n: 1 },
        },
      ],
      playing({ cast: [human('ideator', 'p2'), { roleId: 'critic', memberId: 'critic', kind: 'agent' }] }),
    )
    expect(m.realm && asks(m.realm)).toEqual([])
    expect(seats(m).map((s) => s.doing)).toEqual(['waiting', 'running'])
  })

  it('counts turns that were taken and turns that were passed', () => {
    const m = playing({
      agentTurnCounts: { 'ideas:ideator': 1 },
      skips: { 'ideas:ideator': 1 },
      cast: [human('ideator', 'p1')],
    })
    expect(seats(m)[0]).toMatchObject({ turns: 2, wanted: 2, doing: 'done' })
    expect(seats(m)[1]).toMatchObject({ doing: 'open' })
  })

  it('spectators are no hosts', () => {
    expect(isHost(fold([info({ role: 'spectator' })]))).toBe(false)
    expect(isHost(fold([info()]))).toBe(true)
  })

  it('says how many files are read while a turn is running, and no more in the next stage', () => {
    const told = { type: 'process:progress', conversationId: 'c1', read: 3, total: 7 }
    const run = { conversationId: 'c1', requestId: 'q', memberId: 'ideator' }
    const next = { fromStageId: 'a', toStageId: 'b', stageIndex: 1, totalStages: 2 }
    let m = fold([told], playing())
    expect(readingNow(m.realm!)).toBeNull()
    m = fold([{ type: 'chat.started', seq: 6, at: AT, ...run, status: 'running' }], m)
    expect(readingNow(m.realm!)).toEqual({ read: 3, total: 7 })
    expect(readingNow(fold([{ ...told, conversationId: 'other' }], m).realm!)).toBeNull()
    m = fold([{ type: 'process:stage_advanced', seq: 7, at: AT, ...next }], m)
    expect(readingNow(m.realm!)).toBeNull()
  })
})
