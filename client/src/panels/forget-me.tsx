// Everything that the person at this page has said here, and the name, may go.
import { words } from '../words'
import { useApp } from './context'

export function ForgetMe({ onErase }: { onErase: () => void }) {
  const app = useApp()
  const id = app.model.me?.spectatorId
  if (!id) return null
  return (
    <section class="forget-me" aria-label={words.keep.eraseMeTitle}>
      <h3>{words.keep.eraseMeTitle}</h3>
      <p class="quiet">{words.keep.eraseMeAbout}</p>
      <button
        type="button"
        class="small"
        data-testid="erase-me"
        onClick={() => {
          onErase()
          app.talks.erasing.value = { what: 'me', id }
        }}
      >
        {words.keep.eraseMe}
      </button>
    </section>
  )
}
