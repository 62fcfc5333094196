// The fields of name and colour, and why the server refused them.
import { HUES, isName, MAX_NAME } from '../identity/identity'
import { useApp } from './context'
import { Shield } from './shield'
import { words } from '../words'
import type { You } from './use-you'

/** atOnce: whether a name is registered as soon as it is entered, also the first one. */
export function YouFields({
  you: { name, color, invalid, setName, setColor, introduce },
  atOnce,
}: {
  you: You
  atOnce?: boolean
}) {
  const app = useApp()
  return (
    <>
      <div class="you-fields">
        <Shield id={name || 'you'} name={name || app.suggestion.name} color={color} />
        <label class="you-name">
          <span>{words.setup.name}</span>
          <input
            id="identity-name"
            data-testid="identity-name"
            value={name}
            placeholder={words.setup.nameLater}
            maxLength={MAX_NAME * 2}
            autocomplete="nickname"
            aria-invalid={invalid}
            aria-describedby="name-hint"
            onInput={(e) => setName(e.currentTarget.value)}
            onChange={() => (atOnce || app.identity.value) && isName(name.trim()) && introduce()}
          />
        </label>
        <fieldset class="hues">
          <legend>{words.setup.color}</legend>
          {HUES.map((hue, i) => (
            <label key={hue} class="hue" title={words.setup.hue(i + 1)}>
              <input
                type="radio"
                name="color"
                data-testid={`color-${i}`}
                checked={color === hue}
                onChange={() => setColor(hue)}
                aria-label={words.setup.hue(i + 1)}
              />
              <span style={{ background: hue }} />
            </label>
          ))}
        </fieldset>
      </div>
      <p id="name-hint" class={invalid ? 'problem' : 'quiet'} role={invalid ? 'alert' : undefined}>
        {invalid ? words.setup.nameMissing : words.setup.nameHint}
      </p>
      {app.nameRefusal.value && (
        <p class="problem" role="alert">
          {app.nameRefusal.value.message}
        </p>
      )}
    </>
  )
}
