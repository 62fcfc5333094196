// The table of kinds: what a panel asks for the presentation of a conversation. registry.ts fills it.
import { setFoldRules } from '../state/kinds'
import { standard } from './default'
import type { Beginning, Kind } from './kind'

/** A kind whose every part that has a default is there. */
export type KnownKind = Kind & Required<Pick<Kind, keyof typeof standard>>

const table = new Map<string, KnownKind>()

/** Adds a kind. Gives the way to take it out again, which a test needs. */
export function register(kind: Kind): () => void {
  if (table.has(kind.name)) throw new Error(`the kind ${kind.name} is registered twice`)
  table.set(kind.name, complete(kind))
  setFoldRules(kind.name, kind)
  return () => {
    table.delete(kind.name)
    setFoldRules(kind.name, null)
  }
}

/** How conversations of that kind are shown; a name that is not in the table has the default presentation. */
export function kindOf(c: { kind: string } | null): KnownKind {
  return (c && table.get(c.kind)) || standard
}

export function kinds(): readonly KnownKind[] {
  return [...table.values()]
}

/** What may be begun, in the order of the kinds. */
export function beginnings(): readonly Beginning[] {
  return kinds().flatMap((k) => k.begins)
}

/** A kind says what follows from its status word once: the list and the head use it unless it says more. */
function complete(kind: Kind): KnownKind {
  const statusWord = kind.statusWord ?? standard.statusWord
  return {
    ...standard,
    statusWord,
    listStatus: statusWord,
    headStatus: ({ view }) => statusWord(view),
    ...kind,
  }
}
