// A skill's description, and which agents have it.
import type { Skill } from '../../net/protocol.gen'
import { Plain } from '../../panels/plain'
import { Give } from './give-skill'
import { forgeWords } from './words'

/** skill: null if the realm no longer has the skill. */
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
