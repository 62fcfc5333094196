// The form that starts a process: template, folder and, if the process needs one, the problem.
import { useState } from 'preact/hooks'
import type { TemplateInfo } from '../net/protocol.gen'
import { lastPart } from '../state/select'
import { words } from '../words'
import { startWords } from '../words-start'
import { useApp } from './context'
import { ProblemField } from './problem-field'
import { Refusals } from './refusals'
import { TemplateCard } from './template-card'
import { TemplatePick } from './template-pick'

interface Props {
  places: readonly Place[]
  like?: string | undefined
  before?: () => boolean
}

export interface Place {
  value: string
  label: string
  /** The folder to link first; without it the process starts in the current realm. */
  path?: string
  /** Whether to start the process in a new realm without a folder. */
  bare?: boolean
  /** Whether the place has a linked folder, or will have one. */
  folder: boolean
  /** Why no process can start at the place now; undefined if one can. */
  busy?: string
}

/**
 * places: where the process can start; the first place that fits the template is the default. A single place is not
 * shown. like: the id of the template that is the default; undefined for the first that fits a place. before: called
 * before the start; if it returns false, no process is started.
 */
export function StartProcess({ places, like, before }: Props) {
  const app = useApp()
  const { server } = app.model
  const templates = server?.templates ?? []
  const [problem, setProblem] = useState(() => app.drafts.get('problem'))
  const [template, setTemplate] = useState(() => app.drafts.get('template'))
  const [place, setPlace] = useState('')
  const [missing, setMissing] = useState(false)
  const chosen = templateFor(templates, [template, like], places)
  const at = placeFor(places, place, chosen)
  const sending = app.pending.value.find((p) => p.frame.type === 'player:start-process' && p.status !== 'refused')

  const pick = (id: string) => {
    setTemplate(id)
    app.drafts.set('template', id)
  }
  const state = sending ? (sending.status === 'waiting' ? words.setup.waits : words.setup.working) : at?.busy
  const title = titleFor(chosen, at, app.model.realm?.world.realm.name)
  const start = () => {
    const ready = before?.() ?? true
    const text = problem.trim() || title
    setMissing(text === '')
    if (!ready || text === '') return
    app.discardRefused('player:start-process')
    app.startProcess(text, chosen?.id ?? '', at)
  }

  return (
    <form
      class="fields start-process"
      onSubmit={(e) => {
        e.preventDefault()
        start()
      }}
    >
      <div class="fields-row">
        <TemplatePick templates={templates} value={chosen?.id ?? ''} onPick={pick} />
        {places.length > 1 && (
          <label>
            <span>{words.setup.where}</span>
            <select data-testid="place" value={at?.value ?? ''} onChange={(e) => setPlace(e.currentTarget.value)}>
              {places.map((p) => (
                <option key={p.value} value={p.value}>
                  {p.label}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      {chosen && <TemplateCard template={chosen} driver={server?.driver ?? 'none'} folder={at?.folder ?? false} />}
      <ProblemField
        value={problem}
        title={title}
        missing={missing}
        onInput={(text) => {
          setProblem(text)
          setMissing(false)
          app.drafts.set('problem', text)
          app.drafts.set('template', chosen?.id ?? '')
        }}
      />
      <Refusals only={['player:start-process']} />
      <div class="buttons">
        <button
          type="submit"
          class="primary"
          data-testid="start-process"
          disabled={sending !== undefined || at?.busy !== undefined}
        >
          {words.setup.start}
        </button>
        {state && <span class="quiet">{state}</span>}
      </div>
    </form>
  )
}

/**
 * The title of a review by scouts, who need no problem: they read the whole folder. "" for a process that works on a
 * problem. here: the name of the realm that the page watches.
 */
function titleFor(template: TemplateInfo | undefined, at: Place | undefined, here = ''): string {
  return template?.driver === 'scout' ? startWords.problem(at?.path ? lastPart(at.path) : here) : ''
}

/** Whether the template can be used at the place. A template that scouts play needs a place with a folder. */
function fits(template: TemplateInfo | undefined, p: Place): boolean {
  return template?.driver !== 'scout' || p.folder
}

/** The chosen place, else the first one that fits the template. */
function placeFor(places: readonly Place[], picked: string, template: TemplateInfo | undefined): Place | undefined {
  return places.find((p) => p.value === picked) ?? places.find((p) => fits(template, p)) ?? places[0]
}

/** The first of the wanted templates that there is, else the first one that fits a place where a process can start. */
function templateFor(templates: readonly TemplateInfo[], wanted: readonly unknown[], places: readonly Place[]) {
  return (
    wanted.map((id) => templates.find((t) => t.id === id)).find(Boolean) ??
    templates.find((t) => places.some((p) => fits(t, p) && !p.busy)) ??
    templates[0]
  )
}
