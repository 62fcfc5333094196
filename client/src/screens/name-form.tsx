// The box that asks for a name. The suggestion stands in the empty field, so that what a person types does not mix with
// it, and one click accepts it.
import { useRef, useState } from 'preact/hooks'
import { isName, MAX_NAME } from '../identity/identity'
import { useApp } from '../panels/context'
import { nameWords } from '../words-start'
import { words } from '../words'
import { useBeside } from './use-beside'

/** near: the element beside which the box is shown; null for the lower edge of the page. */
export function NameForm({ near }: { near: Element | null }) {
  const app = useApp()
  const { suggestion } = app
  const [name, setName] = useState('')
  const box = useRef<HTMLDivElement>(null)
  useBeside(box, near)
  const said = name.trim() || suggestion.name
  const refuse = () => app.staySilent(nameWords.needed)
  return (
    <div
      ref={box}
      class="ask-name"
      popover="manual"
      role="dialog"
      aria-label={nameWords.title}
      data-testid="ask-name"
      onKeyDown={(e) => {
        if (e.key !== 'Escape') return
        e.preventDefault()
        e.stopPropagation()
        refuse()
      }}
    >
      <form
        class="fields"
        onSubmit={(e) => {
          e.preventDefault()
          if (isName(said)) app.setIdentity({ name: said, color: suggestion.color })
        }}
      >
        <label>
          <strong>{nameWords.title}</strong>
          <input
            data-testid="ask-name-field"
            value={name}
            placeholder={suggestion.name}
            maxLength={MAX_NAME * 2}
            autocomplete="nickname"
            aria-invalid={!isName(said)}
            onInput={(e) => setName(e.currentTarget.value)}
          />
        </label>
        <p class="quiet meta">{nameWords.text}</p>
        {!isName(said) && (
          <p class="problem" role="alert">
            {words.setup.nameMissing}
          </p>
        )}
        <div class="buttons">
          <button type="submit" class="primary" data-testid="ask-name-yes" disabled={!isName(said)}>
            {nameWords.yes(said)}
          </button>
          <button type="button" data-testid="ask-name-no" onClick={refuse}>
            {nameWords.no}
          </button>
        </div>
      </form>
    </div>
  )
}
