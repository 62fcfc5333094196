// Whether the hooks of this server are in the settings of a coding agent's program.
import type { CodingProgram } from '../net/protocol.gen'
import type { RealmModel } from './model'

/** "installed" or "none", as the server last said; undefined if it has not said so, or does not know. */
export function hooksOf({ programs }: RealmModel, program: string): CodingProgram['hooks'] {
  return programs?.find((p) => p.program === program)?.hooks
}
