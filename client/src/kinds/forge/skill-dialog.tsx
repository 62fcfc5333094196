// A skill that is read, with its files and the agents that it is given to.
import { useEffect, useState } from 'preact/hooks'
import { useApp } from '../../panels/context'
import { CopyButton } from '../../panels/copy-button'
import { Dialog } from '../../panels/dialog'
import { Plain } from '../../panels/plain'
import { isErased } from '../../state/erased'
import type { RealmModel } from '../../state/model'
import { ago, words } from '../../words'
import { forgeWords } from './words'
import { Give } from './give'
import { SkillMarkdown } from './skill-markdown'

/** How long a skill is waited for before the page says so, in milliseconds. */
const PATIENCE_MS = 10_000

const MAIN = 'SKILL.md'

export function SkillDialog({ realm, name }: { realm: RealmModel; name: string }) {
  const app = useApp()
  const w = forgeWords
  const skill = realm.world.skills.find((s) => s.name === name) ?? null
  const files = realm.opened[name] ?? null
  const [file, setFile] = useState(MAIN)
  const [late, setLate] = useState(false)
  const live = app.live.value
  const ask = app.pending.value.find((p) => p.frame.type === 'skill:open' && p.frame.name === name)
  const close = () => {
    if (ask?.status === 'refused') app.discard(ask.requestId)
    app.talks.skill.value = ''
  }
  // Each time that it is opened and each time that it changed.
  useEffect(() => {
    if (live && skill && !skill.missing) app.send({ type: 'skill:open', name })
  }, [live, name, skill?.at, skill?.missing])
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [])
  const paths = Object.keys(files ?? {}).sort((a, b) => Number(b === MAIN) - Number(a === MAIN) || a.localeCompare(b))
  const shown = paths.includes(file) ? file : (paths[0] ?? '')
  const text = files?.[shown] ?? ''
  return (
    <Dialog title={name} onClose={close} testid="skill">
      {!skill ? (
        <p>{w.removed}</p>
      ) : (
        <>
          <p>
            <Plain text={skill.description} />
          </p>
          {skill.missing && <p data-testid="skill-missing">{w.missing}</p>}
          <Give skill={skill} />
        </>
      )}
      {files === null && skill && !skill.missing && (
        <p
          class="quiet"
          role="status"
          data-testid="skill-loading"
          data-state={ask?.status === 'refused' ? 'failed' : late ? 'late' : 'loading'}
        >
          {ask?.status === 'refused'
            ? `${w.fetchFailed} ${ask.error?.message ?? ''}`
            : !live
              ? words.chats.waiting
              : late
                ? w.late
                : w.fetching}
        </p>
      )}
      {paths.length > 1 && (
        <div class="skill-files" role="group" aria-label={w.files}>
          {paths.map((p) => (
            <button key={p} type="button" class="filter mono" aria-pressed={p === shown} onClick={() => setFile(p)}>
              {p}
            </button>
          ))}
        </div>
      )}
      {files !== null && (
        <div class="skill-text parchment" tabIndex={0} data-testid="skill-text" data-file={shown}>
          {/\.md$/i.test(shown) ? <SkillMarkdown text={text} /> : <pre class="code">{text}</pre>}
        </div>
      )}
      <div class="buttons">
        {files !== null && <CopyButton text={() => text} label={words.artifacts.copy} />}
        {skill?.conversationId && !isErased(realm, skill.conversationId) && (
          <button
            type="button"
            class="small ghost"
            onClick={() => {
              close()
              app.talks.choose(skill.conversationId ?? '')
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
