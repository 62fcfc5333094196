// The part of the settings that erases everything the person at this page has said, and the name.
import { words } from '../words'
import { useApp } from './context'

export function ForgetMe({ onErase }: { onErase: () => void }) {
  const app = useApp()
  const id = app.model.me?.spectatorId
  if (!id) return null
  return (
    <section class="forget-me" aria-label={words.erasure.eraseMeTitle}>
      <h3>{words.erasure.eraseMeTitle}</h3>
      <p class="quiet">{words.erasure.eraseMeAbout}</p>
      <button
        type="button"
        class="small"
        data-testid="erase-me"
        onClick={() => {
          onErase()
          app.conversations.erasing.value = { what: 'me', id }
        }}
      >
        {words.erasure.eraseMe}
      </button>
    </section>
  )
}
