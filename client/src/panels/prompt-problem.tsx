// The line under the prompt: a problem with the text or, if there is none, a limitation such as a lost connection, or
// that the one who asks is a spectator.
import { words } from '../words'
import { useApp } from './context'

interface Props {
  /** The problem; "" for none. */
  text: string
  /** Whether what is typed is a question to all. */
  asks: boolean
}

export function PromptProblem({ text, asks }: Props) {
  const app = useApp()
  const watches = asks ? words.prompt.question : words.prompt.spectator
  const standing = !app.live.value ? words.prompt.noSocket : app.host.value ? '' : watches
  return (
    <p id="prompt-problem" class={text ? 'problem' : 'problem quiet'} role={text ? 'alert' : 'status'}>
      {text || standing}
    </p>
  )
}
