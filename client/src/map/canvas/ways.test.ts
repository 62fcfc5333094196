// Ways that the page finds itself, and who is drawn beside whom.
import { describe, expect, it } from 'vitest'
import type { Agent, Grid, MapChanged, Session, Site } from '../../net/protocol.gen'
import { COUNTRY_SIDE } from '../../state/grid'
import type { RealmModel } from '../../state/model'
import { Caravans } from './caravan'
import { HeroesNow } from './heroes-now'
import { Standers } from './slots'
import { Spoken } from './spoken'
import { WalkClock } from './walking'
import { walkHome, wayOver } from './ways'

const side = COUNTRY_SIDE
/** A country of grass with a wall from the top to the row before the last one, at x = 20. */
function tiles(): Grid {
  const runs: number[] = []
  for (let y = 0; y < side; y++) runs.push(0, 20, y < side - 1 ? 1 : 0, 1, 0, side - 21)
  return { name: 'tiles', width: side, height: side, runs }
}
const site = (path: string, x: number, y: number): Site => {
  return { path, name: path, x, y, width: 3, height: 3, doorX: x + 1, doorY: y + 3, files: 1 }
}
const keep = site('', 60, 60)
const src = site('src', 10, 100)
const world = { country: { tiles: tiles(), sites: [keep, src] }, forts: [] }

describe('a way of the page', () => {
  it('goes around walls and houses, tile by tile', () => {
    const path = wayOver(world, [18, 0], [22, 0])!
    expect(path[0]).toEqual([18, 0])
    expect(path.at(-1)).toEqual([22, 0])
    expect(path.some(([x, y]) => x === 20 && y === side - 1)).toBe(true)
    path.slice(1).forEach(([x, y], i) => expect(Math.abs(x - path[i]![0]) + Math.abs(y - path[i]![1])).toBe(1))
    expect(wayOver(world, [18, 0], [20, 5])).not.toBeNull()
    const around = wayOver(world, [61, 59], [61, 63])!
    expect(around.some(([x, y]) => x >= 60 && x < 63 && y >= 60 && y < 63)).toBe(false)
  })
  it('leads home from the door of the house in which the hero is', () => {
    const walk = walkHome(world, { room: 'src/deep', x: 3, y: 3 }, [15, 104])!
    expect(walk.path[0]).toEqual([src.doorX, src.doorY])
    expect(walk.path.length * walk.msPerTile).toBeLessThanOrEqual(6000)
    expect(walkHome(world, { room: null, x: 15, y: 104 }, [15, 104])).toBeNull()
  })
})

describe('the caravan of a commit', () => {
  const commit = (moment: MapChanged['moment'], ...folders: string[]) => ({ moment, folders }) as unknown as MapChanged
  it('goes from the changed house to the keep, and only for news', () => {
    const c = new Caravans()
    c.hear(commit('commit', 'src'), world, 0)
    expect(c.sprites(0)).toEqual([])
    c.hear(commit('switch', 'src'), world, 0)
    expect(c.sprites(0)).toEqual([])
    c.hear(commit('commit', 'src/a', 'src/b', ''), world, 1000)
    const [wagon, ...more] = c.sprites(1000)
    expect(more).toEqual([])
    expect(wagon).toMatchObject({
      piece: expect.stringMatching(/^caravan\.right\.[01]$/) as string,
      y: (src.doorY + 1) * 16,
    })
    expect(c.sprites(60_000)).toEqual([])
  })
})

describe('heroes on one tile', () => {
  const agent = (id: string, x: number): Agent => ({
    id,
    name: id,
    displayName: id,
    kind: 'agent',
    role: id,
    color: '#fff',
    status: 'idle',
    x,
    y: 5,
    realm: '',
  })
  const drawn = (agents: Agent[], sessions: Partial<Session>[] = []) => {
    const realm = {
      world: { agents, forts: [], sessions, processState: { status: 'idle', cast: [] }, realm: {} },
      agentLabels: [],
      views: {},
      heads: {},
      streams: {},
    } as unknown as RealmModel
    const clock = new WalkClock()
    clock.follow('x', agents, {}, 0)
    return new HeroesNow({ clock, slots: new Standers(), spoken: new Spoken() }).at(realm, 0, true).map((h) => h.x)
  }
  it('stand beside each other', () => {
    expect(new Set(drawn([agent('a', 5), agent('b', 5), agent('c', 5)])).size).toBe(3)
  })
  it('are beside their parent if they are sub-agents without a file', () => {
    const [parent, sub] = drawn([agent('a', 5), agent('b', 90)], [{ agentId: 'b', parent: 'a' }])
    expect(Math.abs(sub! - parent!)).toBeLessThan(2)
    expect(sub).not.toBe(parent)
  })
})
