// The dialog of the skill that was asked for, over the page.
import { useApp } from '../../panels/context'
import type { RealmModel } from '../../state/model'
import { SkillDialog } from './skill-dialog'

export function OpenSkill({ realm }: { realm: RealmModel }) {
  const name = useApp().talks.skill.value
  return name ? <SkillDialog key={name} realm={realm} name={name} /> : null
}
