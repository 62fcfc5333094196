// The line under the prompt: a problem with the text or, if there is none, a limitation such as a lost connection.
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
