// What travels over the socket: text frames of one JSON object or, from the
// server, an array of them in order.
import type { ClientFrame, EventFrame, ServerFrame } from './protocol.gen'

/** The contract's version that this page speaks. */
export const PROTOCOL = 1

/** Bytes of a client frame; the server closes the socket over it (1009). */
export const MAX_FRAME = 64 * 1024

/**
 * Reads what the server sent. What is no frame (no object with a type) is left
 * out: a newer server may say things that this page does not know.
 */
export function parse(data: unknown): ServerFrame[] {
  if (typeof data !== 'string') return []
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch {
    return []
  }
  const list: unknown[] = Array.isArray(value) ? value : [value]
  return list.filter(
    (f): f is ServerFrame => typeof f === 'object' && f !== null && 'type' in f && typeof f.type === 'string',
  )
}

/** Durable history carries both at and seq; nothing else has an at. */
export function isEvent(f: ServerFrame): f is EventFrame {
  return 'at' in f && typeof f.at === 'string' && 'seq' in f && typeof f.seq === 'number'
}

export function encode(f: ClientFrame): string {
  return JSON.stringify(f)
}

/** Size on the wire in bytes. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length
}

/**
 * A request id nobody else has. crypto.randomUUID is missing on pages that were
 * not loaded over https or from loopback.
 */
export function newRequestId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  return 'r' + Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('')
}
