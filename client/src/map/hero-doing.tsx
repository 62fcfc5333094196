// What a hero does, on its card. A person whose turn it is has to answer, and is not called at work.
import type { Agent } from '../net/protocol.gen'
import { useSelect } from '../panels/use-select'
import type { RealmModel } from '../state/model'
import { asks } from '../state/select'
import { words } from '../words'
import { heroDoing } from '../words-hero'

export function HeroDoing({ realm, agent: a }: { realm: RealmModel; agent: Agent }) {
  const asked = useSelect(() => asks(realm).some((x) => x.memberId === a.id), [realm, a.id])
  const doing = { ...a, target: a.walk?.target ?? '' }
  return <li>{asked ? words.roster.doing.asked : heroDoing(doing, undefined, false)}</li>
}
