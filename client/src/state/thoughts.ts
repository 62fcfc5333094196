// The thoughts that agents report while they work, by agent. They are removed when the run ends. Pure.
import type { EventFrame } from '../net/protocol.gen'
import type { RealmModel } from './model'

export function endThought(thoughts: RealmModel['thoughts'], ev: EventFrame): RealmModel['thoughts'] {
  if (ev.type !== 'chat.done' && ev.type !== 'chat.error' && ev.type !== 'chat.cancelled' && ev.type !== 'agent:left')
    return thoughts
  const id = ev.type === 'agent:left' ? ev.agentId : ev.memberId
  if (!(id in thoughts)) return thoughts
  const { [id]: _, ...rest } = thoughts
  return rest
}
