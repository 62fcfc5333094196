// A small server that keeps the contract's promises about continuity and nothing
// else: lines and epochs, replay or snapshot, overlays, commands that happen once.
// What it knows is folded by the page's own reducers: recorded journals show that
// those equal the server's (state/replay.test.ts); this shows that nothing is
// missed, doubled or reordered on the way.
import type { ClientFrame, EventFrame, Hello, Overlay } from '../net/protocol.gen'
import type { Streams, Views } from '../state/views'
import { applyDelta, applyStreams, applyViews } from '../state/views'
import { applyWorld, emptyWorld } from '../state/world'
import type { World } from '../net/protocol.gen'
import type { FakeSocket } from './fake-socket'
import { AT, info } from './samples'

interface Line {
  epoch: string
  from: number
}

interface Copy {
  events: EventFrame[]
  lines: Line[]
  replies: Map<string, unknown>
}

export class ModelServer {
  events: EventFrame[] = []
  lines: Line[] = []
  world: World = emptyWorld()
  views: Views = {}
  streams: Streams = {}
  /** How often each command was done. */
  readonly done = new Map<string, number>()
  #replies = new Map<string, unknown>()
  #attached = new Set<FakeSocket>()
  #epochs = 0
  #rows = 0
  readonly #random: () => number

  constructor(random: () => number) {
    this.#random = random
    this.#open()
    const realm = { id: 'r1', name: 'Realm', tenant: 'default' }
    this.emit({ type: 'realm:created', realm, settings: this.world.settings })
    this.emit({ type: 'conversation.started', conversation: { conversationId: 'c1', kind: 'process', title: 't', status: 'active', team: { id: 't', name: 't', members: [] }, createdAt: AT, updatedAt: AT } })
  }

  get head(): number {
    return this.events.length
  }

  get #epoch(): string {
    return this.lines.at(-1)?.epoch ?? ''
  }

  #open(): void {
    this.lines.push({ epoch: `e${++this.#epochs}`, from: this.head + 1 })
  }

  connect(socket: FakeSocket): void {
    socket.onsend = (f) => this.#hear(socket, f)
    socket.accept()
    socket.say(info({ realmId: 'r1', epoch: this.#epoch, seq: this.head }))
  }

  cut(socket: FakeSocket): void {
    this.#attached.delete(socket)
    socket.end(1006)
  }

  emit(body: Record<string, unknown>): void {
    const ev = { ...body, seq: this.head + 1, at: AT } as EventFrame
    this.events.push(ev)
    this.#fold(ev)
    this.#tell(ev)
  }

  #fold(ev: EventFrame): void {
    this.world = applyWorld(this.world, ev)
    this.views = applyViews(this.views, ev)
    this.streams = applyStreams(this.streams, ev)
  }

  /** To everybody who is attached; now and then the network repeats or loses one. */
  #tell(f: unknown): void {
    for (const s of this.#attached) {
      const luck = this.#random()
      if (luck < 0.03) continue
      s.say(luck < 0.1 ? [f, f] : luck < 0.5 ? [f] : f)
    }
  }

  openSegment(): void {
    const n = ++this.#rows
    this.emit({ type: 'chat.started', conversationId: 'c1', requestId: `q${n}`, memberId: 'a', status: 'running' })
    this.emit({ type: 'assistant.segment.started', conversationId: 'c1', requestId: `q${n}`, messageId: `m${n}`, memberId: 'a', name: 'A' })
  }

  delta(text: string): void {
    for (const [messageId, s] of Object.entries(this.streams)) {
      const d = { type: 'chat.delta' as const, conversationId: 'c1', requestId: messageId.replace('m', 'q'), messageId, n: s.next, text }
      this.streams = applyDelta(this.streams, d)
      this.#tell(d)
    }
  }

  closeSegments(reason: 'done' | 'interrupt'): void {
    for (const [messageId, s] of Object.entries(this.streams)) {
      const requestId = messageId.replace('m', 'q')
      const status = reason === 'done' ? 'done' : 'interrupted'
      this.emit({ type: 'assistant.segment.closed', conversationId: 'c1', requestId, reason, message: { messageId, conversationId: 'c1', requestId, role: 'assistant', memberId: 'a', name: 'A', content: s.text, status, at: AT } })
      const run = { conversationId: 'c1', requestId, memberId: 'a' }
      this.emit(reason === 'done' ? { type: 'chat.done', ...run } : { type: 'chat.cancelled', ...run, reason: 'interrupted' })
    }
  }

  /** SIGKILL: sockets drop, streamed words are gone, a new line begins. */
  restart(): void {
    for (const s of [...this.#attached]) this.cut(s)
    for (const id of Object.keys(this.streams)) this.streams = { ...this.streams, [id]: { text: '', next: 0 } }
    this.#open()
    this.closeSegments('interrupt')
    this.emit({ type: 'realm:restored', source: 'checkpoint', restoredTo: this.head, interruptedRuns: 0, missingMembers: [] })
  }

  copy(): Copy {
    return { events: [...this.events], lines: [...this.lines], replies: new Map(this.#replies) }
  }

  /** Somebody put an older copy of the realm's folder back. */
  restore(copy: Copy): void {
    for (const s of [...this.#attached]) this.cut(s)
    this.events = [...copy.events]
    this.lines = [...copy.lines]
    this.#replies = new Map(copy.replies)
    this.world = emptyWorld()
    this.views = {}
    this.streams = {}
    for (const ev of this.events) this.#fold(ev)
    this.restart()
  }

  #hear(socket: FakeSocket, f: ClientFrame): void {
    if (f.type === 'hello') this.#hello(socket, f)
    else if (f.type === 'spectator:register') socket.say({ type: 'spectator:welcome', requestId: f.requestId, spectatorId: 'p', name: f.name, color: f.color, role: 'host', seat: 's' })
    else if (f.type === 'player:command') this.#command(socket, f.requestId ?? '', f.text)
  }

  #hello(socket: FakeSocket, f: Hello): void {
    const seq = f.lastSeq ?? -1
    const line = this.lines.findIndex((l) => l.epoch === f.epoch)
    const next = this.lines[line + 1]
    const good = line >= 0 && seq >= 0 && seq <= this.head && (next === undefined || seq < next.from)
    const welcome = { type: 'welcome', realmId: 'r1', epoch: this.#epoch, to: this.head, mapGeneration: 0 }
    this.#attached.add(socket)
    if (good) {
      socket.say({ ...welcome, continuity: 'replay', from: seq + 1 })
      this.#send(socket, this.events.slice(seq))
    } else {
      socket.say({ ...welcome, continuity: 'snapshot', reason: 'first', from: this.head + 1 })
      socket.say({ type: 'world:state', seq: this.head, epoch: this.#epoch, world: this.world, conversations: Object.values(this.views), recent: [], spectators: [] })
    }
    const segments: Record<string, Overlay> = {}
    for (const [id, s] of Object.entries(this.streams)) segments[id] = { conversationId: 'c1', requestId: id.replace('m', 'q'), ...s }
    socket.say({ type: 'overlays', segments, agents: {} })
  }

  /** In chunks of any size; the cut may come between two of them. */
  #send(socket: FakeSocket, events: EventFrame[]): void {
    for (let i = 0; i < events.length; ) {
      const n = 1 + Math.floor(this.#random() * 5)
      if (this.#random() < 0.02) {
        this.cut(socket)
        return
      }
      socket.say(events.slice(i, i + n))
      i += n
    }
  }

  #command(socket: FakeSocket, requestId: string, text: string): void {
    const luck = this.#random()
    if (luck < 0.2) {
      this.cut(socket) // lost before it came
      return
    }
    const known = this.#replies.get(requestId)
    if (known !== undefined) {
      socket.say(known)
      return
    }
    if (luck < 0.3) {
      socket.say({ type: 'error', requestId, code: 'unsaved', message: 'the disk is slow' })
      return
    }
    const reply = { type: 'command:reply', requestId, command: 'player:command', text: 'Done.' }
    this.#replies.set(requestId, reply)
    this.done.set(requestId, (this.done.get(requestId) ?? 0) + 1)
    if (luck < 0.5) this.cut(socket) // done, and the answer is lost
    this.emit({ type: 'message.added', requestId, conversationId: 'c1', message: { messageId: `w${requestId}`, conversationId: 'c1', requestId, role: 'user', memberId: '', name: 'Ann', content: text, status: 'done', at: AT } })
    if (luck >= 0.5) socket.say(reply)
  }
}
