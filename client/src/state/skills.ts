// The skills whose files are here. Pure.
import type { SkillOpened } from '../net/protocol.gen'
import { MAX_OPENED, type RealmModel } from './model'

/** The newest MAX_OPENED skills; the one that was opened is the newest. */
export function keepOpened(opened: RealmModel['opened'], f: SkillOpened): RealmModel['opened'] {
  const { [f.name]: _, ...others } = opened
  return Object.fromEntries(Object.entries({ ...others, [f.name]: f.files ?? {} }).slice(-MAX_OPENED))
}
