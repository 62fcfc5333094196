// Says why messages from this page cannot reach a coding agent, and where a person can write to the agent instead.
import type { RealmModel } from '../state/model'
import { hooksOf } from '../state/hooks'
import { tellWords } from '../words-tell'
import { CopyButton } from './copy-button'
import { usePart, useSelect } from './use-select'

/** The programs whose agents can receive messages through hooks. */
const HEARING: ReadonlySet<string> = new Set(['claude', 'codex'])

export function Deaf({ realm, id, program }: { realm: RealmModel; id: string; program: string }) {
  const listed = usePart(() => realm.listed?.find((s) => s.agentId === id), [realm, id])
  const installed = useSelect(() => hooksOf(realm, program) === 'installed', [realm, program])
  const terminal = listed?.terminal
  return (
    <div class="tell-deaf quiet" data-testid="tell-deaf">
      <p>
        {tellWords.deaf} {HEARING.has(program) && (installed ? tellWords.silent : tellWords.hooks)}{' '}
        {program === 'codex' && `${tellWords.restart} `}
        {terminal ? tellWords.terminal : tellWords.own}
      </p>
      {terminal && (
        <p class="tell-terminal">
          <code>{terminal}</code>
          <CopyButton text={() => terminal} label={tellWords.copy} />
        </p>
      )}
    </div>
  )
}
