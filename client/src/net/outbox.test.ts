// Pending commands (B16, P6.4): visible until answered, and always with the same id.
import { describe, expect, it } from 'vitest'
import { MAX_FRAME } from './frames'
import { MAX_PENDING, Outbox, type OutboxStorage } from './outbox'

function safeStorage(text: string | null = null): OutboxStorage & { text: string | null } {
  return {
    text,
    read() {
      return this.text
    },
    write(t) {
      this.text = t
    },
  }
}

const pause = { type: 'player:command', text: '/pause' } as const

describe('the outbox', () => {
  it('gives every command a requestId of the wire’s form, and keeps one that it has', () => {
    const box = new Outbox(safeStorage())
    const a = box.add(pause, 'r1')
    const b = box.add({ type: 'chat.send', requestId: 'mine', conversationId: 'c1', content: 'x' }, 'r1')
    expect(a.ok && a.requestId).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    expect(b).toEqual({ ok: true, requestId: 'mine' })
    expect(box.list.value.map((p) => p.frame.requestId)).toEqual([a.ok && a.requestId, 'mine'])
  })

  it('refuses a frame over 64 KiB where it is given, counted in bytes', () => {
    const box = new Outbox(safeStorage())
    expect(box.add({ type: 'player:command', text: 'x'.repeat(MAX_FRAME) }, null)).toEqual({
      ok: false,
      why: 'too_large',
    })
    expect(box.add({ type: 'player:command', text: 'é'.repeat(MAX_FRAME / 2) }, null)).toEqual({
      ok: false,
      why: 'too_large',
    })
    expect(box.add({ type: 'player:command', text: 'é'.repeat(MAX_FRAME / 2 - 100) }, null).ok).toBe(true)
    expect(box.list.value).toHaveLength(1)
  })

  it('is bounded, and says so instead of dropping', () => {
    const box = new Outbox(safeStorage())
    for (let i = 0; i < MAX_PENDING; i++) expect(box.add(pause, 'r1').ok).toBe(true)
    expect(box.add(pause, 'r1')).toEqual({ ok: false, why: 'too_many' })
    expect(box.list.value).toHaveLength(MAX_PENDING)
  })

  it('outlives a reload under the same ids; what was sent goes again', () => {
    const kept = safeStorage()
    const box = new Outbox(kept)
    const a = box.add(pause, 'r1')
    box.add({ type: 'map:room', path: '' }, 'r1')
    if (a.ok) box.sent(a.requestId)
    const again = new Outbox(kept)
    expect(again.list.value).toMatchObject([{ requestId: a.ok && a.requestId, status: 'waiting', frame: pause }])
  })

  it.each(['', '{', '7', '[1,{"requestId":"x"}]'])('reads a damaged shelf %j as empty', (text) => {
    expect(new Outbox(safeStorage(text)).list.value).toEqual([])
  })

  it('sends a command only to the realm that it was meant for', () => {
    const box = new Outbox(safeStorage())
    box.add(pause, 'r1')
    box.add({ type: 'player:resume-realm', realmId: 'r2' }, 'r1')
    expect(box.sendable('r2').map((p) => p.frame.type)).toEqual(['player:resume-realm'])
    expect(box.sendable('r1')).toHaveLength(2)
  })

  it('keeps the text of what the server could not take now, and sends it again', () => {
    const box = new Outbox(safeStorage())
    const a = box.add(pause, 'r1')
    if (!a.ok) throw new Error()
    box.sent(a.requestId)
    expect(box.failed(a.requestId, { code: 'unsaved', message: 'full' })).toBe(true)
    expect(box.list.value[0]).toMatchObject({ status: 'held', error: { code: 'unsaved' } })
    expect(box.sendable('r1')).toHaveLength(1)
    box.failed(a.requestId, { code: 'conflict', message: 'no' })
    expect(box.list.value[0]).toMatchObject({ status: 'refused', error: { message: 'no' } })
    expect(box.sendable('r1')).toHaveLength(0)
    box.settle(a.requestId)
    expect(box.list.value).toEqual([])
  })

  it('asks the same question once', () => {
    const box = new Outbox(safeStorage())
    const a = box.add({ type: 'map:room', path: 'a' }, 'r1')
    expect(box.add({ type: 'map:room', path: 'a', page: 0 }, 'r1')).toEqual(a)
    box.add({ type: 'map:room', path: 'b' }, 'r1')
    box.add({ type: 'map:room', path: 'a', page: 1 }, 'r1')
    expect(box.list.value).toHaveLength(3)
  })
})
