// The dialog of the open skill.
import { useApp } from '../../panels/context'
import type { RealmModel } from '../../state/model'
import { SkillDialog } from './skill-dialog'

export function OpenSkill({ realm }: { realm: RealmModel }) {
  const name = useApp().conversations.skill.value
  return name ? <SkillDialog key={name} realm={realm} name={name} /> : null
}
