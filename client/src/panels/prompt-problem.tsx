// Under the place to speak: what is wrong with what was typed, or why not everything can be said now.
import { words } from '../words'
import { useApp } from './context'

export function PromptProblem({ text }: { text: string }) {
  const app = useApp()
  const standing = !app.live.value ? words.prompt.noSocket : app.host.value ? '' : words.prompt.spectator
  return (
    <p id="prompt-problem" class={text ? 'problem' : 'problem quiet'} role={text ? 'alert' : undefined}>
      {text || standing}
    </p>
  )
}
