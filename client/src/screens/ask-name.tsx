// Asks for a name when something that a person does needs one. The suggestion stands in the empty field, so that what a
// person types does not mix with it, and one click accepts it.
import { useState } from 'preact/hooks'
import { isName, MAX_NAME } from '../identity/identity'
import { useApp } from '../panels/context'
import { Dialog } from '../panels/dialog'
import { nameWords } from '../words-start'
import { words } from '../words'

export function AskName() {
  const app = useApp()
  const { suggestion } = app
  const [name, setName] = useState('')
  const said = name.trim() || suggestion.name
  const refuse = () => app.staySilent(nameWords.needed)
  return (
    <Dialog title={nameWords.title} onClose={refuse} testid="ask-name">
      <form
        class="fields"
        onSubmit={(e) => {
          e.preventDefault()
          if (isName(said)) app.setIdentity({ name: said, color: suggestion.color })
        }}
      >
        <p class="quiet">{nameWords.text}</p>
        <label>
          <span>{nameWords.label}</span>
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
    </Dialog>
  )
}
