// The line under the page's text box: a problem with the text or, if there is none, a limitation: the connection is
// lost, or the person is a spectator, whom no agent answers.
import { CLOSE_NOT_ALLOWED } from '../net/connection'
import { words } from '../words'
import { useApp } from './context'

interface Props {
  /** The problem; "" for none. */
  text: string
  /** Whether the typed text is a question to everybody in the realm. */
  asks: boolean
}

export function PromptProblem({ text, asks }: Props) {
  const app = useApp()
  const watches = asks ? words.prompt.question : words.prompt.spectator
  const status = app.connection.value
  const refused = status.state === 'stopped' && status.code === CLOSE_NOT_ALLOWED
  const away = refused ? words.prompt.noLink : words.prompt.noSocket
  const standing = !app.live.value ? away : app.host.value ? '' : watches
  return (
    <p id="prompt-problem" class={text ? 'problem' : 'problem quiet'} role={text ? 'alert' : 'status'}>
      {text || standing}
    </p>
  )
}
