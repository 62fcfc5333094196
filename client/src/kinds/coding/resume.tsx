// The command that resumes a session that is over, in its own program.
import type { Session } from '../../net/protocol.gen'
import { CopyButton } from '../../panels/copy-button'
import { codingWords } from './words'

/** The beginning of the command, before the id of the session, by program. */
const COMMANDS: Readonly<Record<string, string>> = {
  claude: 'claude --resume',
  codex: 'codex resume',
  gemini: 'gemini --resume',
  opencode: 'opencode --session',
}

export function Resume({ session: s }: { session: Session }) {
  const begins = COMMANDS[s.program]
  if (!begins || s.parent) return null
  const command = `${begins} ${s.sessionId}`
  return (
    <p class="tell-terminal" data-testid="session-resume">
      {codingWords.resume} <code>{command}</code>
      <CopyButton text={() => command} label={codingWords.copy} />
    </p>
  )
}
