// The encoding of frames: a text message holds one JSON object or, from the server, an array of them.
import type { ClientFrame, EventFrame, ServerFrame } from './protocol.gen'

/** The version of the protocol. */
export const PROTOCOL = 1

/** The maximum length of a client frame in bytes. The server closes a socket that sends a longer frame (1009). */
export const MAX_FRAME = 64 * 1024

/** Parses a message into its frames. Values that have no type are no frames and are left out. */
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

/** Durable events have both at and seq; no other frame has an at. */
export function isEvent(f: ServerFrame): f is EventFrame {
  return 'at' in f && typeof f.at === 'string' && 'seq' in f && typeof f.seq === 'number'
}

export function encode(f: ClientFrame): string {
  return JSON.stringify(f)
}

/** The size on the wire in bytes. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length
}

/** A unique request id. crypto.randomUUID is missing on pages that were loaded neither over https nor from loopback. */
export function newRequestId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  return 'r' + Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('')
}
