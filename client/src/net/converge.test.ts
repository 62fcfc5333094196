// Several pages with random disconnects, restarts, restored older copies, and lost and repeated frames: in the end
// every page has the server's state, and every command was executed once (P5.4, P5.9).
import '../kinds/registry'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { canonicalText } from '../state/canonical'
import { Store } from '../state/store'
import { FakeNet, type FakeSocket } from '../testing/fake-socket'
import { ModelServer } from '../testing/model-server'
import { pick, seeded } from '../testing/random'
import { Outbox } from './outbox'
import { Session } from './session'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

interface Page {
  net: FakeNet
  store: Store
  outbox: Outbox
  session: Session
  served: Set<FakeSocket>
}

function page(random: () => number): Page {
  const net = new FakeNet()
  const store = new Store()
  const outbox = new Outbox({ read: () => null, write: () => {} })
  const session = new Session({
    open: net.open,
    random,
    store,
    outbox,
    who: () => ({ name: 'Ann', color: '#4fb8a3' }),
    wanted: () => 'r1',
    onWelcome: () => {},
  })
  session.connection.start()
  return { net, store, outbox, session, served: new Set() }
}

function run(seed: number, steps: number) {
  const random = seeded(seed)
  const server = new ModelServer(random)
  const pages = [page(random), page(random), page(random)]
  const asked: string[] = []
  let copy = server.copy()
  let restores = 0

  const serve = () => {
    for (const p of pages) {
      const s = p.net.last
      if (p.served.has(s) || s.closed !== null) continue
      p.served.add(s)
      server.connect(s)
    }
  }

  const acts: (() => void)[] = [
    () =>
      server.emit({
        type: 'findings:posted',
        finding: {
          id: `f${Math.floor(random() * 9)}`,
          agentId: 'a',
          severity: pick(random, ['low', 'high']),
          title: `${random()}`,
          text: '',
          path: '',
          at: '2026-01-01T00:00:00.000Z',
        },
      }),
    () => server.openSegment(),
    () => server.delta(`${Math.floor(random() * 100)} `),
    () => server.delta('x'),
    () => server.closeSegments('done'),
    () => server.begin(),
    () => server.change(),
    () => server.step(),
    () => {
      if (random() < 0.2) server.erase()
    },
    // A person opens a transcript: its newest rows or some rows before a row.
    () => {
      const id = pick(random, Object.keys(server.views))
      const before = random() < 0.5 ? pick(random, [...(server.views[id]?.messages ?? []), null])?.seq : undefined
      pick(random, pages).outbox.add(
        {
          type: 'conversation.open',
          conversationId: id,
          limit: 1 + Math.floor(random() * 9),
          ...(before ? { before } : {}),
        },
        'r1',
      )
    },
    () => {
      const p = pick(random, pages)
      const a = p.outbox.add({ type: 'player:command', text: `word ${asked.length}` }, 'r1')
      if (a.ok) asked.push(a.requestId)
    },
    () => server.cut(pick(random, pages).net.last),
    () => void vi.advanceTimersByTime(Math.floor(random() * 3000)),
    () => serve(),
  ]
  for (let i = 0; i < steps; i++) {
    serve()
    const luck = random()
    if (luck < 0.01) server.restart()
    else if (luck < 0.015) {
      server.restore(copy)
      restores++
    } else if (luck < 0.03) copy = server.copy()
    else pick(random, acts)()
  }
  // At the end all pages reconnect. The events that follow show a page that it lacks earlier events, because their seq
  // is not the next one.
  for (let i = 0; i < 400; i++) {
    serve()
    vi.advanceTimersByTime(2_500)
    if (i % 20 === 0) server.emit({ type: 'process:error', stageId: 's', code: 'x', message: '' })
    server.delta('.')
    if (i > 40 && pages.every((p) => waiting(p).length === 0 && same(p, server))) break
  }
  return { server, pages, asked, restores }
}

/**
 * The commands that are not answered yet. A refused conversation.open counts as answered: an older copy of the
 * realm may lack the transcript.
 */
function waiting(p: Page) {
  return p.outbox.list.value.filter((x) => x.status !== 'refused' || x.frame.type !== 'conversation.open')
}

function same(p: Page, server: ModelServer): boolean {
  const r = p.store.current.realm
  return r !== null && r.world.tick === server.head && canonicalText(r.streams) === canonicalText(server.streams)
}

describe('convergence', () => {
  it.each(Array.from({ length: 25 }, (_, i) => i + 1))('seed %i', (seed) => {
    const { server, pages, asked, restores } = run(seed, 400)
    for (const p of pages) {
      const r = p.store.current.realm
      expect(r?.world.tick).toBe(server.head)
      expect(canonicalText(r?.world)).toBe(canonicalText(server.world))
      expect(canonicalText(r?.views)).toBe(canonicalText(server.views))
      expect(canonicalText(r?.streams)).toBe(canonicalText(server.streams))
      expect(waiting(p)).toEqual([])
      // No page holds a word of what was erased, whatever it had before and whenever it was away (S1-19).
      for (const id of server.world.erased) expect(JSON.stringify(r)).not.toContain(`plant ${id} `)
      expect(p.store.model).toEqual(p.store.current) // the page shows the current state
    }
    expect(asked.length).toBeGreaterThan(0)
    for (const id of asked) {
      const times = server.done.get(id)
      // After the realm was restored from an older copy, the server can have forgotten a command and execute it
      // again.
      if (restores === 0) expect(times, id).toBe(1)
      else expect(times, id).toBeGreaterThanOrEqual(1)
    }
  })
})
