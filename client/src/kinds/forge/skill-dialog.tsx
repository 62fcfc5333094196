// The dialog of a skill: its files, and the agents that have it.
import { useEffect, useState } from 'preact/hooks'
import { useApp } from '../../panels/context'
import { CopyButton } from '../../panels/copy-button'
import { Dialog } from '../../panels/dialog'
import { isErased } from '../../state/erased'
import type { RealmModel } from '../../state/model'
import { ago, words } from '../../words'
import { forgeWords } from './words'
import { SkillAbout } from './skill-about'
import { MAIN, shownOf, SkillFiles } from './skill-files'
import { SkillLoading } from './skill-loading'

export function SkillDialog({ realm, name }: { realm: RealmModel; name: string }) {
  const app = useApp()
  const w = forgeWords
  const skill = realm.world.skills.find((s) => s.name === name) ?? null
  const files = realm.opened[name] ?? null
  const [file, setFile] = useState(MAIN)
  const live = app.live.value
  const ask = app.pending.value.find((p) => p.frame.type === 'skill:open' && p.frame.name === name)
  const close = () => {
    if (ask?.status === 'refused') app.discard(ask.requestId)
    app.conversations.skill.value = ''
  }
  // Asks for the files when the dialog opens and each time that the skill changes.
  const there = skill !== null && !skill.missing
  const changed = skill?.at
  useEffect(() => {
    if (live && there) app.send({ type: 'skill:open', name })
  }, [app, live, there, name, changed])
  const shown = shownOf(files ?? {}, file)
  const text = files?.[shown] ?? ''
  return (
    <Dialog title={name} onClose={close} testid="skill">
      <SkillAbout skill={skill} />
      {files === null && there && <SkillLoading ask={ask} />}
      {files !== null && <SkillFiles files={files} shown={shown} onPick={setFile} />}
      <div class="buttons">
        {files !== null && <CopyButton text={() => text} label={words.artifacts.copy} />}
        {skill?.conversationId && !isErased(realm, skill.conversationId) && (
          <button
            type="button"
            class="small ghost"
            onClick={() => {
              close()
              app.conversations.choose(skill.conversationId ?? '')
            }}
          >
            {w.talk}
          </button>
        )}
        {skill?.at && <span class="quiet meta">{ago(skill.at, Date.now())}</span>}
      </div>
    </Dialog>
  )
}
