// The form that begins a process: what it is about, how it is led, and where.
import { useState } from 'preact/hooks'
import type { TemplateInfo } from '../net/protocol.gen'
import { words } from '../words'
import { useApp } from './context'
import { ProblemField } from './problem-field'
import { Refusals } from './refusals'
import { TemplateCard } from './template-card'

export interface Place {
  value: string
  label: string
  /** The folder to link first; without one it is the realm at hand. */
  path?: string
  /** A new realm without a folder. */
  bare?: boolean
  /** A folder is linked there, or will be. */
  folder: boolean
  /** Why no process can begin there now. */
  busy?: string
}

/** places: where it may be held, the first is chosen; one is not asked about. */
export function StartProcess({ places, before }: { places: readonly Place[]; before?: () => boolean }) {
  const app = useApp()
  const { server } = app.model
  const templates = server?.templates ?? []
  const [problem, setProblem] = useState(() => app.drafts.get('problem'))
  const [template, setTemplate] = useState('')
  const [place, setPlace] = useState('')
  const [missing, setMissing] = useState(false)
  const chosen = templateFor(templates, template, places)
  const at = placeFor(places, place, chosen)
  const sending = app.pending.value.find((p) => p.frame.type === 'player:start-process' && p.status !== 'refused')

  const state = sending ? (sending.status === 'waiting' ? words.setup.waits : words.setup.working) : at?.busy
  const start = () => {
    const ready = before?.() ?? true
    setMissing(problem.trim() === '')
    if (!ready || problem.trim() === '') return
    for (const p of app.pending.value)
      if (p.frame.type === 'player:start-process' && p.status === 'refused') app.discard(p.requestId)
    app.startProcess(problem.trim(), chosen?.id ?? '', at)
  }

  return (
    <form
      class="fields start-process"
      onSubmit={(e) => {
        e.preventDefault()
        start()
      }}
    >
      <ProblemField
        value={problem}
        missing={missing}
        onInput={(text) => {
          setProblem(text)
          setMissing(false)
          app.drafts.set('problem', text)
        }}
      />
      <div class="fields-row">
        <label>
          <span>{words.setup.template}</span>
          <select data-testid="template" value={chosen?.id ?? ''} onChange={(e) => setTemplate(e.currentTarget.value)}>
            {templates.map((t) => (
              <option key={t.id} value={t.id}>
                {t.name}
              </option>
            ))}
          </select>
        </label>
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

/** The scouts read a folder: what they play is chosen, and offered a place, where there is one. */
function fits(template: TemplateInfo | undefined, p: Place): boolean {
  return template?.driver !== 'scout' || p.folder
}

/** The place that was picked, else the first that fits the template. */
function placeFor(places: readonly Place[], picked: string, template: TemplateInfo | undefined): Place | undefined {
  return places.find((p) => p.value === picked) ?? places.find((p) => fits(template, p)) ?? places[0]
}

/** The template that was picked, else the first that fits a place where a process can begin. */
function templateFor(templates: readonly TemplateInfo[], picked: string, places: readonly Place[]) {
  return (
    templates.find((t) => t.id === picked) ??
    templates.find((t) => places.some((p) => fits(t, p) && !p.busy)) ??
    templates[0]
  )
}
