// The table of kinds. registry.ts fills it, panels read it.
import { setFoldRules } from '../state/kinds'
import { isHost } from '../state/select'
import { standard } from './default'
import type { StartOption, Kind } from './kind'

/** A kind with all defaults filled in. */
export type KnownKind = Kind & Required<Pick<Kind, keyof typeof standard>>

const table = new Map<string, KnownKind>()

/** Adds a kind. Returns a function that removes it again, for tests. */
export function register(kind: Kind): () => void {
  if (table.has(kind.name)) throw new Error(`the kind ${kind.name} is registered twice`)
  table.set(kind.name, complete(kind))
  setFoldRules(kind.name, kind)
  return () => {
    table.delete(kind.name)
    setFoldRules(kind.name, null)
  }
}

/** The kind of a conversation; the default presentation if the table does not have the conversation's kind. */
export function kindOf(c: { kind: string } | null): KnownKind {
  return (c && table.get(c.kind)) || standard
}

export function kinds(): readonly KnownKind[] {
  return [...table.values()]
}

/** The options that the start dialog offers, in the order of the kinds. */
export function startOptions(): readonly StartOption[] {
  return kinds().flatMap((k) => k.startOptions)
}

/**
 * Fills in the defaults. The status in the list and in the head is by default the kind's statusWord. By default a
 * conversation has a text box of its own if a host can write into it.
 */
function complete(kind: Kind): KnownKind {
  const statusWord = kind.statusWord ?? standard.statusWord
  const canWrite = kind.canWrite ?? standard.canWrite
  return {
    ...standard,
    statusWord,
    hasBox: (at, m) => isHost(m) && canWrite(at),
    listStatus: statusWord,
    headStatus: ({ view }) => statusWord(view),
    ...kind,
  }
}
