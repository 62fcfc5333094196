// The files of opened skills. Pure.
import type { SkillOpened } from '../net/protocol.gen'
import { MAX_OPENED, type RealmModel } from './model'

/** Keeps the newest MAX_OPENED skills. */
export function keepOpened(opened: RealmModel['opened'], f: SkillOpened): RealmModel['opened'] {
  const { [f.name]: _, ...others } = opened
  return Object.fromEntries(Object.entries({ ...others, [f.name]: f.files ?? {} }).slice(-MAX_OPENED))
}
