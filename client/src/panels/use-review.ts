// The review that a host can start by one click, because the linked folder was never reviewed.
import type { TemplateInfo } from '../net/protocol.gen'
import { reviewToStart } from '../state/guide'
import { startWords } from '../words-start'
import { useApp } from './context'
import { useSelect } from './use-select'

interface Review {
  template: TemplateInfo
  /** The name of the linked folder's realm. */
  folder: string
  /** Whether a process was asked for and the server has not answered yet. */
  asked: boolean
  start: () => void
}

/** Null if there is no such review, or if the person is no host. */
export function useReview(): Review | null {
  const app = useApp()
  const template = useSelect(() => reviewToStart(app.model), [app])
  if (template === null || !app.host.value) return null
  const folder = app.model.realm?.world.realm.name ?? ''
  const asked = app.pending.value.some((p) => p.frame.type === 'player:start-process' && p.status !== 'refused')
  const start = () => {
    app.discardRefused('player:start-process')
    app.startProcess(startWords.problem(folder), template.id)
  }
  return { template, folder, asked, start }
}
