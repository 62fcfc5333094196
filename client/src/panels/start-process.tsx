// The form that begins a process: what it is about, how it is led, and where.
import { useState } from 'preact/hooks'
import { words } from '../words'
import { whoPlays } from '../words-driver'
import { useApp } from './context'
import { Refusals } from './refusals'

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
  // The scouts read a folder: what they play is chosen, and offered a place, where there is one.
  const fits = (driver: string | undefined, p: Place) => driver !== 'scout' || p.folder
  const chosen =
    templates.find((t) => t.id === template) ??
    templates.find((t) => places.some((p) => fits(t.driver, p) && !p.busy)) ??
    templates[0]
  const at = places.find((p) => p.value === place) ?? places.find((p) => fits(chosen?.driver, p)) ?? places[0]
  const sending = app.pending.value.find((p) => p.frame.type === 'player:start-process' && p.status !== 'refused')

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
      <label>
        <span>{words.setup.problemLabel}</span>
        <textarea
          data-testid="problem"
          rows={4}
          value={problem}
          placeholder={words.setup.problemHint}
          aria-invalid={missing}
          onInput={(e) => {
            setProblem(e.currentTarget.value)
            setMissing(false)
            app.drafts.set('problem', e.currentTarget.value)
          }}
        />
      </label>
      {missing && (
        <p class="problem" role="alert">
          {words.setup.problemMissing}
        </p>
      )}
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
      {chosen && (
        <div class="template-card">
          <p>{chosen.description}</p>
          <p class="quiet">{words.setup.stages(chosen.stages.length, chosen.roles.length)}</p>
          <ol class="template-stages">
            {chosen.stages.map((s) => (
              <li key={s}>{s}</li>
            ))}
          </ol>
        </div>
      )}
      {chosen && (
        <p class="driver quiet" data-testid="driver">
          {whoPlays(chosen, server?.driver ?? 'none', at?.folder ?? false)}
        </p>
      )}
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
        {!sending && at?.busy && <span class="quiet">{at.busy}</span>}
        {sending && <span class="quiet">{sending.status === 'waiting' ? words.setup.waits : words.setup.working}</span>}
      </div>
    </form>
  )
}
