// Places are what addresses of the page lead to (P19.6). This file converts between places and addresses. Pure.

/** What the page shows: a realm, and in it a folder, a file, a finding, a result or a conversation. */
export type Place =
  | { kind: 'realm'; realmId: string }
  | { kind: 'folder'; realmId: string; path: string }
  /** changes: whether the file opens with what differs from the last commit; the address does not say so. */
  | { kind: 'file'; realmId: string; path: string; line: number; changes?: boolean }
  | { kind: 'finding'; realmId: string; id: string }
  /** The result of a process. id: the conversation of the process. */
  | { kind: 'result'; realmId: string; id: string }
  /** seq and messageId: the row to scroll to; 0 and "" for none. */
  | { kind: 'talk'; realmId: string; id: string; seq: number; messageId: string }

/** The parts of the browser's location that form an address. */
export interface Where {
  pathname: string
  hash: string
}

/** The form of all ids, including those of conversations and findings (P1.7). */
const ID = /^[A-Za-z0-9_-]{1,64}$/
const MAX_LINE = 2 ** 30

/** The address of a place, without the host. */
export function addressOf(p: Place): string {
  const realm = `/r/${encodeURIComponent(p.realmId)}`
  switch (p.kind) {
    case 'realm':
      return realm
    case 'folder':
      return p.path === '' ? `${realm}/d` : `${realm}/d/${encoded(p.path)}`
    case 'file':
      return `${realm}/f/${encoded(p.path)}${p.line > 0 ? `#L${p.line}` : ''}`
    case 'finding':
      return `${realm}/finding/${encodeURIComponent(p.id)}`
    case 'result':
      return `${realm}/result/${encodeURIComponent(p.id)}`
    case 'talk':
      return `${realm}/t/${encodeURIComponent(p.id)}${p.messageId ? `#m${p.seq}-${p.messageId}` : ''}`
  }
}

/** The place at a location; null if the location is not the address of a place. */
export function placeAt({ pathname, hash }: Where): Place | null {
  const [none, r, ...rest] = pathname.split('/')
  if (none !== '' || r !== 'r') return null
  let names: string[]
  try {
    names = rest.map(decodeURIComponent)
  } catch {
    return null
  }
  while (names.at(-1) === '') names.pop()
  const [realmId = '', what, ...below] = names
  if (!ID.test(realmId)) return null
  const id = below[0] ?? ''
  switch (what) {
    case undefined:
      return { kind: 'realm', realmId }
    case 'd':
      return { kind: 'folder', realmId, path: below.join('/') }
    case 'f':
      return below.length > 0 ? { kind: 'file', realmId, path: below.join('/'), line: lineIn(hash) } : null
    case 'finding':
    case 'result':
      return below.length === 1 && ID.test(id) ? { kind: what, realmId, id } : null
    case 't':
      return below.length === 1 && ID.test(id) ? { kind: 'talk', realmId, id, ...rowIn(hash) } : null
    default:
      return null
  }
}

export function isSamePlace(a: Place | null, b: Place | null): boolean {
  return a === b || (a !== null && b !== null && addressOf(a) === addressOf(b))
}

function encoded(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

function lineIn(hash: string): number {
  const line = Number(/^#L(\d{1,10})$/.exec(hash)?.[1] ?? 0)
  return line <= MAX_LINE ? line : 0
}

function rowIn(hash: string): { seq: number; messageId: string } {
  const [, seq, messageId = ''] = /^#m(\d{1,15})-([A-Za-z0-9_-]{1,64})$/.exec(hash) ?? []
  return { seq: Number(seq ?? 0), messageId }
}
