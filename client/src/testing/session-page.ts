// A Session (net/session) over a fake network, with its store and pending commands.
import '../kinds/registry'
import { vi } from 'vitest'
import { Outbox } from '../net/outbox'
import { Session } from '../net/session'
import { Store } from '../state/store'
import { FakeNet, type FakeSocket } from './fake-socket'
import { info, overlays, running, seated, snapshot, view, welcomeSnapshot } from './samples'

export function openSession({ wanted = null as string | null } = {}) {
  const net = new FakeNet()
  const store = new Store()
  let kept: string | null = null
  const outbox = new Outbox({ read: () => kept, write: (t) => (kept = t) })
  const welcomes: [string | null, boolean][] = []
  const session = new Session({
    open: net.open,
    random: () => 0,
    store,
    outbox,
    who: () => ({ name: 'Ann', color: '#4fb8a3', tab: 't1' }),
    wanted: () => wanted,
    onWelcome: (id, asked) => welcomes.push([id, asked]),
  })
  session.connection.start()
  const realm = () => {
    const r = store.current.realm
    if (r === null) throw new Error('no realm')
    return r
  }
  const rows = () => realm().views['c1']?.messages.map((m) => m.messageId) ?? []
  return { net, store, outbox, session, welcomes, realm, rows }
}

export function greet(s: FakeSocket): void {
  s.accept()
  s.say(info())
}

export function attach(s: FakeSocket, seq = 5): void {
  greet(s)
  s.say([welcomeSnapshot(seq), snapshot(seq, running(seq), [view()]), overlays(), seated])
}

/** Closes the socket, waits until the page opens the next socket, and returns the next socket. */
export function cut(net: FakeNet): FakeSocket {
  net.last.end()
  vi.advanceTimersByTime(700)
  return net.last
}
