// A small server that keeps the protocol's rules of continuity: epochs, replay or snapshot, overlays, commands that
// are executed once. It applies events with the page's own reducers; state/replay.test.ts shows with recorded
// journals that these have the same results as the server's. Tests with this server show that no event is missed,
// repeated or reordered.
import type { ClientFrame, ConversationOpen, EventFrame, Hello, Overlay } from '../net/protocol.gen'
import type { Streams, Views } from '../state/views'
import { applyDelta, applyStreams, applyViews } from '../state/views'
import { applyWorld, emptyWorld } from '../state/world'
import type { World } from '../net/protocol.gen'
import type { FakeSocket } from './fake-socket'
import { pick } from './random'
import { AT, info } from './samples'

interface Line {
  epoch: string
  from: number
}

interface Copy {
  events: EventFrame[]
  lines: Line[]
  replies: Map<string, unknown>
  erasedAt: number
}

export class ModelServer {
  events: EventFrame[] = []
  lines: Line[] = []
  world: World = emptyWorld()
  views: Views = {}
  streams: Streams = {}
  /** How often the server executed each command, by requestId. */
  readonly done = new Map<string, number>()
  #replies = new Map<string, unknown>()
  #attached = new Set<FakeSocket>()
  #epochs = 0
  #rows = 0
  #conversations = 0
  /** The seq of the last erasure. A page whose position is older gets a snapshot. */
  #erasedAt = 0
  readonly #random: () => number

  constructor(random: () => number) {
    this.#random = random
    this.#open()
    const realm = { id: 'r1', name: 'Realm', tenant: 'default' }
    this.emit({ type: 'realm:created', realm, settings: this.world.settings })
    this.emit({
      type: 'conversation.started',
      conversation: {
        conversationId: 'c1',
        kind: 'process',
        title: 't',
        status: 'active',
        team: { id: 't', name: 't', members: [] },
        createdAt: AT,
        updatedAt: AT,
      },
    })
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

  /** Sends a frame to all attached pages. The network loses or repeats the frame for some of them. */
  #tell(f: unknown): void {
    for (const s of this.#attached) {
      const luck = this.#random()
      if (luck < 0.03) continue
      s.say(luck < 0.1 ? [f, f] : luck < 0.5 ? [f] : f)
    }
  }

  /** Starts a council, a chat, a forge or a party. */
  begin(): void {
    const kind = ['council', 'chat', 'forge', 'party'][this.#conversations % 4] ?? 'chat'
    const members = ['a', 'b'].map((id, order) => ({
      id,
      name: id,
      displayName: id,
      type: 'agent',
      role: id,
      color: '#4fb8a3',
      order,
    }))
    const head = {
      conversationId: `t${++this.#conversations}`,
      kind,
      title: `${kind} ${this.#conversations}`,
      status: 'active',
      createdAt: AT,
      updatedAt: AT,
    }
    this.emit({
      type: 'conversation.started',
      requestId: `s${this.#conversations}`,
      conversation: {
        ...head,
        team: { id: 't', name: 't', members },
        ...(kind === 'council' ? { taskPrompt: 'Decide.', maxTurns: 4 } : {}),
      },
    })
  }

  /** Changes the party and its team, and moves a forge one step. */
  step(): void {
    const conversationId = pick(this.#random, Object.keys(this.views))
    const n = this.head
    this.emit({
      type: 'party:update',
      party: {
        ...this.world.party,
        status: pick(this.#random, ['active', 'paused']),
        conversationId,
        newest: `m${n}`,
        asked: n,
        queue: [{ n, target: 'a', parent: `m${n}`, intent: 'P2' }],
      },
    })
    const { kind } = this.views[conversationId] ?? { kind: '' }
    if (kind === 'party')
      this.emit({ type: 'conversation.team', conversationId, team: { id: 't', name: `t${n}`, members: [] } })
    if (kind === 'forge')
      this.emit({
        type: 'forge:stepped',
        conversationId,
        moves: [],
        forge: {
          state: 'gathering_details',
          question: null,
          known: [{ topic: 'purpose', lines: [`plant ${conversationId} ${n}.`] }],
        },
      })
  }

  /** Erases a conversation: its events lose their words. A page that was away during the erasure gets a snapshot. */
  erase(): void {
    const conversationId = pick(this.#random, Object.keys(this.views))
    if (conversationId === 'c1') return
    const gone = new Set(this.views[conversationId]?.messages.map((m) => m.messageId))
    this.streams = Object.fromEntries(Object.entries(this.streams).filter(([id]) => !gone.has(id)))
    this.events = this.events.map(
      (ev) => JSON.parse(JSON.stringify(ev).replaceAll(`plant ${conversationId} `, 'erased ')) as EventFrame,
    )
    this.#erasedAt = this.head + 1
    this.emit({
      type: 'history:erased',
      erasureId: `e${this.head}`,
      reason: 'request',
      conversationId,
      conversations: [conversationId],
    })
  }

  /** Changes the title or the status of a conversation. */
  change(): void {
    const ids = Object.keys(this.views)
    const conversationId = ids[Math.floor(this.#random() * ids.length)]
    if (this.#random() < 0.5) this.emit({ type: 'conversation.renamed', conversationId, title: `title ${this.head}` })
    else
      this.emit({
        type: 'conversation.status',
        conversationId,
        status: pick(this.#random, ['active', 'paused', 'completed', 'abandoned']),
      })
  }

  /** Starts a run in some conversation: sometimes a tool first, then text. */
  openSegment(): void {
    const n = ++this.#rows
    const conversationId = pick(this.#random, Object.keys(this.views))
    const run = { conversationId, requestId: `q${n}`, memberId: 'a' }
    const turn = { stageId: 'rounds', roleId: 'a', attempt: 1, n: 1 }
    const words = {
      messageId: `u${n}`,
      conversationId,
      requestId: `q${n}`,
      role: 'user',
      memberId: '',
      spectatorId: 'p',
      name: 'Ann',
      content: `plant ${conversationId} ${n}.`,
      status: 'done',
      at: AT,
    }
    const { kind } = this.views[conversationId] ?? { kind: '' }
    this.emit({
      type: 'chat.started',
      ...run,
      status: 'running',
      ...(kind === 'council' ? { turn } : {}),
      ...(kind === 'chat' ? { message: words } : {}),
    })
    if (this.#random() < 0.5) this.#tool(run, n)
    this.emit({ type: 'assistant.segment.started', ...run, messageId: `m${n}`, name: 'A' })
  }

  #tool(run: { conversationId: string; requestId: string; memberId: string }, n: number): void {
    const row = { conversationId: run.conversationId, requestId: run.requestId, messageId: `x${n}` }
    this.emit({
      type: 'tool.start',
      ...row,
      memberId: 'a',
      memberName: 'A',
      name: 'read_file',
      input: '{"path":"a.go"}',
      reads: true,
    })
    for (let i = 0; i < 3; i++) this.emit({ type: 'tool.output', ...row, text: `line ${i}\n` })
    const luck = this.#random()
    if (luck < 0.3) return // the server was killed before the segment ended
    this.emit({
      type: 'tool.end',
      ...row,
      ok: luck < 0.7,
      output: 'all',
      ...(luck > 0.9 ? { unknown: true } : { cut: true }),
    })
  }

  delta(text: string): void {
    for (const [messageId, s] of Object.entries(this.streams)) {
      const d = {
        type: 'chat.delta' as const,
        conversationId: this.#whereIs(messageId),
        requestId: messageId.replace('m', 'q'),
        messageId,
        n: s.next,
        text,
      }
      this.streams = applyDelta(this.streams, d)
      this.#tell(d)
    }
  }

  closeSegments(reason: 'done' | 'interrupt'): void {
    for (const [messageId, s] of Object.entries(this.streams)) {
      const requestId = messageId.replace('m', 'q')
      const conversationId = this.#whereIs(messageId)
      const status = reason === 'done' ? 'done' : 'interrupted'
      this.emit({
        type: 'assistant.segment.closed',
        conversationId,
        requestId,
        reason,
        message: {
          messageId,
          conversationId,
          requestId,
          role: 'assistant',
          memberId: 'a',
          name: 'A',
          content: s.text,
          status,
          at: AT,
        },
      })
      const run = { conversationId, requestId, memberId: 'a' }
      const turn =
        this.views[conversationId]?.kind === 'council'
          ? { turn: { stageId: 'rounds', roleId: 'a', attempt: 1, n: 1, stageTurns: 1, memberTurns: 1 } }
          : {}
      this.emit(
        reason === 'done'
          ? { type: 'chat.done', ...run, ...turn }
          : { type: 'chat.cancelled', ...run, reason: 'interrupted' },
      )
    }
  }

  #whereIs(messageId: string): string {
    return (
      Object.values(this.views).find((v) => v.messages.some((m) => m.messageId === messageId))?.conversationId ?? 'c1'
    )
  }

  /** Restarts the server as after a SIGKILL: sockets close, streamed text is lost, and a new epoch begins. */
  restart(): void {
    for (const s of [...this.#attached]) this.cut(s)
    for (const id of Object.keys(this.streams)) this.streams = { ...this.streams, [id]: { text: '', next: 0 } }
    this.#open()
    this.closeSegments('interrupt')
    this.emit({
      type: 'realm:restored',
      source: 'checkpoint',
      restoredTo: this.head,
      interruptedRuns: 0,
      missingMembers: [],
    })
  }

  copy(): Copy {
    return {
      events: [...this.events],
      lines: [...this.lines],
      replies: new Map(this.#replies),
      erasedAt: this.#erasedAt,
    }
  }

  /** Restores an older copy of the realm's folder. */
  restore(copy: Copy): void {
    for (const s of [...this.#attached]) this.cut(s)
    this.events = [...copy.events]
    this.lines = [...copy.lines]
    this.#replies = new Map(copy.replies)
    this.#erasedAt = copy.erasedAt
    this.world = emptyWorld()
    this.views = {}
    this.streams = {}
    for (const ev of this.events) this.#fold(ev)
    this.restart()
  }

  #hear(socket: FakeSocket, f: ClientFrame): void {
    if (f.type === 'hello') this.#hello(socket, f)
    else if (f.type === 'spectator:register')
      socket.say({
        type: 'spectator:welcome',
        requestId: f.requestId,
        spectatorId: 'p',
        name: f.name,
        color: f.color,
        role: 'host',
        seat: 's',
      })
    else if (f.type === 'conversation.open') this.#opened(socket, f)
    else if (f.type === 'player:command') this.#command(socket, f.requestId ?? '', f.text)
  }

  #opened(socket: FakeSocket, f: ConversationOpen): void {
    const v = this.views[f.conversationId]
    if (!v) {
      socket.say({
        type: 'error',
        requestId: f.requestId,
        code: 'not_found',
        message: 'There is no such conversation.',
      })
      return
    }
    const before = v.messages.filter((m) => f.before === undefined || (m.seq ?? 0) < f.before)
    const limit = f.limit ?? 50
    const rows = limit === 0 ? [] : before.slice(-limit)
    socket.say({
      type: 'snapshot',
      requestId: f.requestId,
      ...v,
      messages: rows,
      hasMore: rows.length < before.length,
      overlays: this.#segments(f.conversationId),
    })
  }

  #segments(conversationId = ''): Record<string, Overlay> {
    const out: Record<string, Overlay> = {}
    for (const [id, s] of Object.entries(this.streams)) {
      const where = this.#whereIs(id)
      if (conversationId === '' || conversationId === where)
        out[id] = { conversationId: where, requestId: id.replace('m', 'q'), ...s }
    }
    return out
  }

  #hello(socket: FakeSocket, f: Hello): void {
    const seq = f.lastSeq ?? -1
    const line = this.lines.findIndex((l) => l.epoch === f.epoch)
    const next = this.lines[line + 1]
    const good = line >= 0 && seq >= this.#erasedAt && seq <= this.head && (next === undefined || seq < next.from)
    const welcome = { type: 'welcome', realmId: 'r1', epoch: this.#epoch, to: this.head, mapGeneration: 0 }
    this.#attached.add(socket)
    if (good) {
      socket.say({ ...welcome, continuity: 'replay', from: seq + 1 })
      this.#send(socket, this.events.slice(seq))
    } else {
      socket.say({
        ...welcome,
        continuity: 'snapshot',
        reason: line >= 0 && seq < this.#erasedAt ? 'erased' : 'first',
        from: this.head + 1,
      })
      socket.say({
        type: 'world:state',
        seq: this.head,
        epoch: this.#epoch,
        world: this.world,
        conversations: Object.values(this.views),
        recent: [],
        spectators: [],
      })
    }
    socket.say({ type: 'overlays', segments: this.#segments(), agents: {} })
  }

  /**
   * Sends events in chunks of random size. At random, it disconnects before a chunk instead and sends no further
   * events.
   */
  #send(socket: FakeSocket, events: EventFrame[]): void {
    for (let i = 0; i < events.length;) {
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
      this.cut(socket) // the command is lost before the server gets it
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
    if (luck < 0.5) this.cut(socket) // the command is executed, and the answer is lost
    this.emit({
      type: 'message.added',
      requestId,
      conversationId: 'c1',
      message: {
        messageId: `w${requestId}`,
        conversationId: 'c1',
        requestId,
        role: 'user',
        memberId: '',
        name: 'Ann',
        content: text,
        status: 'done',
        at: AT,
      },
    })
    if (luck >= 0.5) socket.say(reply)
  }
}
