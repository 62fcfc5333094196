// What a skill is for, and who has it.
import type { Skill } from '../../net/protocol.gen'
import { Plain } from '../../panels/plain'
import { Give } from './give'
import { forgeWords } from './words'

/** skill: null where it was removed. */
export function SkillAbout({ skill }: { skill: Skill | null }) {
  if (!skill) return <p>{forgeWords.removed}</p>
  return (
    <>
      <p>
        <Plain text={skill.description} />
      </p>
      {skill.missing && <p data-testid="skill-missing">{forgeWords.missing}</p>}
      <Give skill={skill} />
    </>
  )
}
