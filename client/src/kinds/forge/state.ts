// Selectors for forges and skills. Pure.
import type { ConversationView, Forge, Skill } from '../../net/protocol.gen'
import type { RealmModel } from '../../state/model'

/** The index of the forge's phase, 0 to 5; 6 when the forge is done, -1 before the forge has begun. */
export function phaseOf(f: Forge | undefined): number {
  switch (f?.state) {
    case 'intent_detection':
    case 'checking_existing':
    case 'gathering_purpose':
      return 0
    case 'gathering_details':
      return 1
    case 'confirming_spec':
      return 2
    case 'generating':
      return 3
    case 'validating':
    case 'fixing_errors':
      return 4
    case 'selecting_storage':
    case 'saving':
    case 'error':
      return 5
    case 'completed':
      return 6
    default:
      return -1
  }
}

/** Whether a model call or the save of the skill is in progress. */
export function isForging(v: ConversationView): boolean {
  return !!v.plan.forge?.working || v.activeRuns.length > 0
}

/** The skill that a forge made, if the realm still has it. */
export function skillOf(r: RealmModel, v: ConversationView): Skill | null {
  const made = v.plan.forge?.state === 'completed' ? v.plan.forge.skill : undefined
  return (
    r.world.skills.find((s) => !s.missing && (made ? s.name === made : s.conversationId === v.conversationId)) ?? null
  )
}
