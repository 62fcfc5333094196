// The end of a forge: the skill, with a button that opens it.
import { useEffect, useRef } from 'preact/hooks'
import { useApp } from '../../panels/context'
import { StateMark } from '../../panels/state-mark'
import type { ConversationProps } from '../kind'
import { skillOf } from './state'
import { forgeWords } from './words'

export function ForgeDone({ view, realm }: ConversationProps) {
  const app = useApp()
  const skill = skillOf(realm, view)
  const done = view.plan.forge?.state === 'completed' && skill !== null
  const read = useRef<HTMLButtonElement>(null)
  const before = useRef(done)
  // If the focus was on an option that is gone, moves the focus to the button that opens the skill.
  useEffect(() => {
    if (done && !before.current && (document.activeElement ?? document.body) === document.body) read.current?.focus()
    before.current = done
  }, [done])
  if (!done) return null
  return (
    <div class="forge-made" data-testid="forge-made" data-skill={skill.name}>
      <StateMark state="done" />
      <p>
        <strong>{forgeWords.ready(skill.name)}</strong>{' '}
        <span class="quiet">{forgeWords.given(skill.agents.length)}</span>
      </p>
      <button
        ref={read}
        type="button"
        class="small primary"
        data-testid="forge-read"
        onClick={() => (app.conversations.skill.value = skill.name)}
      >
        {app.host.value ? forgeWords.read : forgeWords.readOnly}
      </button>
    </div>
  )
}
