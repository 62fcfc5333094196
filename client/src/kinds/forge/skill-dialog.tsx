// A skill that is read, with its files and the agents that it is given to.
import { useEffect, useState } from 'preact/hooks'
import type { Skill } from '../../net/protocol.gen'
import { useApp } from '../../panels/context'
import { CopyButton } from '../../panels/copy-button'
import { Dialog } from '../../panels/dialog'
import { Markdown } from '../../panels/markdown'
import { Shield, StateMark } from '../../panels/marks'
import { Plain } from '../../panels/plain'
import { Refusals } from '../../panels/refusals'
import { isErased } from '../../state/erased'
import type { RealmModel } from '../../state/model'
import { takers } from '../../state/talks'
import { ago, words } from '../../words'
import { forgeWords } from './words'

/** How long a skill is waited for before the page says so, in milliseconds. */
const PATIENCE_MS = 10_000
const MAIN = 'SKILL.md'

/** The dialog of the skill that was asked for, over the page. */
export function OpenSkill({ realm }: { realm: RealmModel }) {
  const name = useApp().talks.skill.value
  return name ? <SkillDialog key={name} realm={realm} name={name} /> : null
}

function SkillDialog({ realm, name }: { realm: RealmModel; name: string }) {
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

/** The head of a SKILL.md as it is, its body as it is read. */
function SkillMarkdown({ text }: { text: string }) {
  const parts = /^---\n([\s\S]*?)\n---\n?([\s\S]*)$/.exec(text)
  return (
    <div class="markdown text">
      {parts && <pre class="code">{parts[1]}</pre>}
      <Markdown text={parts ? (parts[2] ?? '') : text} />
    </div>
  )
}

/** A chip for each agent: pressed where it has the skill. */
function Give({ skill }: { skill: Skill }) {
  const app = useApp()
  const w = forgeWords
  const agents = skill.missing ? [] : takers(app.model.value)
  // Who has it and is not here now can still lose it.
  // Whoever had it when this was opened comes first: in a row that is pushed aside they are in sight.
  const [had] = useState(() => new Set(skill.agents))
  const all = [
    ...agents,
    ...skill.agents.filter((id) => !agents.some((a) => a.id === id)).map((id) => ({ id, name: id, color: '' })),
  ].sort((a, b) => Number(had.has(b.id)) - Number(had.has(a.id)))
  if (!app.host.value) return <p class="quiet">{w.given(skill.agents.length)}</p>
  if (all.length === 0) return <p class="quiet">{w.noAgents}</p>
  return (
    <div class="give" role="group" aria-label={w.giveWhom(skill.name)}>
      <span class="quiet">
        {w.giveTo} <span class="visually-hidden">{w.giveHint}</span>
      </span>
      {all.map((a) => {
        const has = skill.agents.includes(a.id)
        const asked = app.pending.value.some(
          (p) =>
            p.frame.type === 'skill:give' &&
            p.frame.name === skill.name &&
            p.frame.agentId === a.id &&
            p.status !== 'refused',
        )
        return (
          <button
            key={a.id}
            type="button"
            class="chip-button"
            aria-pressed={has}
            disabled={asked}
            title={has ? w.hasIt(a.name) : w.give(a.name)}
            data-testid={`give-${a.id}`}
            onClick={() =>
              app.send({ type: 'skill:give', name: skill.name, agentId: a.id, ...(has ? { taken: true } : {}) })
            }
          >
            <Shield id={a.id} name={a.name} color={a.color} />
            {a.name}
            {has && <StateMark state="done" />}
          </button>
        )
      })}
      <Refusals only={['skill:give']} />
    </div>
  )
}
