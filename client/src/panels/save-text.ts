// Describes whether the server has saved everything. Pure.
import type { SaveStatus } from '../net/protocol.gen'
import { clock, words } from '../words'

export function saveText(save: SaveStatus | null): string {
  if (save?.state !== 'failing') return words.save[save?.state ?? 'saved']
  return save.since ? words.save.failing(clock(save.since)) : words.save.failingNow
}
