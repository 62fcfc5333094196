// Says that only the agent's own terminal can answer its question, with the command that shows the terminal.
import { useEffect } from 'preact/hooks'
import { isHost } from '../state/select'
import { doorsWords } from '../words-doors'
import { tellWords } from '../words-tell'
import { useApp } from './context'
import { CopyButton } from './copy-button'
import { useSelect } from './use-select'

export function AnswerElsewhere({ id }: { id: string }) {
  const app = useApp()
  const host = isHost(app.model)
  const terminal = useSelect(() => app.model.realm?.listed?.find((s) => s.agentId === id)?.terminal, [app, id])
  useEffect(() => {
    if (host) app.send({ type: 'session:list' })
  }, [app, host, id])
  if (!terminal) return <p class="quiet meta">{doorsWords.terminal}</p>
  return (
    <p class="quiet meta agent-door-terminal">
      {doorsWords.terminalAt} <code>{terminal}</code>
      <CopyButton text={() => terminal} label={tellWords.copy} />
    </p>
  )
}
