// The screen between a reload and the arrival of the world. It says what the page waits for.
import { Torch } from '../map/torch'
import { useApp } from '../panels/context'
import { count, words } from '../words'

export function Boot() {
  const app = useApp()
  const status = app.connection.value
  const { server, welcome } = app.model
  const what =
    server === null || status.state !== 'open'
      ? words.boot.connecting
      : welcome === null
        ? words.boot.opening
        : words.boot.snapshot
  return (
    <main class="boot" data-testid="boot">
      <Torch />
      <p role="status">{what}</p>
      {welcome !== null && welcome.to > 0 && <p class="quiet">{words.boot.events(count(welcome.to))}</p>}
    </main>
  )
}
