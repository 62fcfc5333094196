// The button of the start screen. best-start.ts chooses what it does.
import { useEffect, useRef } from 'preact/hooks'
import type { App } from '../app'
import { useApp } from '../panels/context'
import { scoutsOf } from '../words-driver'
import { startWords } from '../words-start'
import { STARTS, type Start } from './best-start'
import { closeResult } from './use-result-read'

export function StartButton({ start }: { start: Start }) {
  const app = useApp()
  const button = useRef<HTMLButtonElement>(null)
  // Focuses the button when it appears, unless the person has moved the focus already.
  useEffect(() => {
    if (document.activeElement === document.body) button.current?.focus({ preventScroll: true })
  }, [])
  const busy = app.pending.value.some((p) => p.status !== 'refused' && STARTS.some((type) => type === p.frame.type))
  return (
    <button
      ref={button}
      type="button"
      class="primary big"
      data-testid="start-now"
      data-start={start.do}
      disabled={busy}
      onClick={() => begin(app, start)}
    >
      {label(start)}
    </button>
  )
}

function label(s: Start): string {
  switch (s.do) {
    case 'enter':
      if (s.why === 'agents') return startWords.agents(s.n, s.waiting)
      if (s.why === 'running') return startWords[s.open ? 'joins' : 'running'](s.name, s.realm)
      return s.why === 'found' ? startWords.found(s.n, s.realm) : startWords.enter(s.realm)
    case 'review':
      return startWords.review(scoutsOf(s.template), s.folder)
    case 'link':
      return startWords.link(s.folder)
    case 'resume':
      return startWords.enter(s.realm)
    case 'choose':
      return startWords.choose
  }
}

function begin(app: App, s: Start): void {
  for (const type of STARTS) app.discardRefused(type)
  switch (s.do) {
    case 'enter':
      if (s.why === 'agents' && app.model.realm) closeResult(app.storage, app.model.realm)
      return app.enter()
    case 'review':
      app.startProcess(startWords.problem(s.folder), s.template.id, s.path ? { path: s.path } : {})
      return
    case 'link':
      app.send({ type: 'player:link-repo', path: s.path })
      return
    case 'resume':
      app.send({ type: 'player:resume-realm', realmId: s.id })
      return
    case 'choose':
      app.begin()
  }
}
