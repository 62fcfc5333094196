// The files of opened skills. Pure.
import type { SkillOpened } from '../net/protocol.gen'
import { MAX_OPENED, type RealmModel } from './model'

/** Adds the files of a skill and drops the skill that was opened longest ago, beyond MAX_OPENED. */
export function keepOpened(opened: RealmModel['opened'], f: SkillOpened): RealmModel['opened'] {
  const { [f.name]: _, ...others } = opened
  return Object.fromEntries(Object.entries({ ...others, [f.name]: f.files ?? {} }).slice(-MAX_OPENED))
}
