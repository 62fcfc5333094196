// The progress of linking a folder or starting a process.
import { useApp } from '../panels/context'
import { words } from '../words'

export function Progress() {
  const app = useApp()
  const linking = app.pending.value.find(
    (p) => (p.frame.type === 'player:link-repo' || p.frame.type === 'player:start-process') && p.status !== 'refused',
  )
  const { progress } = app.model
  if (!linking) return null
  if (linking.status === 'waiting') return <p class="quiet">{words.setup.waits}</p>
  if (!progress || (progress.requestId && progress.requestId !== linking.requestId))
    return <p class="quiet">{words.setup.working}</p>
  const text =
    progress.phase === 'scanning'
      ? words.setup.scanning(progress.done, progress.total)
      : words.setup.opening(progress.done, progress.total)
  return (
    <div class="progress" role="status" data-testid="progress">
      <progress
        max={progress.total || undefined}
        value={progress.total > 0 ? progress.done : undefined}
        aria-label={text}
      />
      <span>{text}</span>
    </div>
  )
}
