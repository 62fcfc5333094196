// Accepts a finding: shows and copies the line for the repository's file of accepted findings. If the server runs
// on the person's own machine, a button writes the line into the file.
import { useRef, useState } from 'preact/hooks'
import { isLoopback } from '../files/editors'
import type { Answer } from '../net/ask'
import { acceptFinding } from '../net/files'
import type { Finding, FindingAccepted } from '../net/protocol.gen'
import { words } from '../words'
import { viewerWords } from '../words-viewer'
import { useApp } from './context'
import { CopyButton } from './copy-button'
import { wholeFlags } from './flags'
import { useAccepted } from './use-accepted'
import { WriteLine } from './write-line'

const MAX_REASON = 300
const w = viewerWords.accept

export function FindingAccept({ finding: f }: { finding: Finding }) {
  const app = useApp()
  const field = useRef<HTMLInputElement>(null)
  const outcome = useRef<HTMLParagraphElement>(null)
  const [reason, setReason] = useState('')
  const [busy, setBusy] = useState(false)
  const [answer, setAnswer] = useState<Answer<FindingAccepted>>(null)
  const template = f.accept ?? ''
  const said = reason.trim()
  const line = said === '' ? template : template.replace(/REASON$/, () => said)
  const realm = app.model.realm
  const writes = app.host.value && !!realm?.world.realm.path && isLoopback(location.hostname)
  const write = (e: Event) => {
    e.preventDefault()
    if (realm === null || busy) return
    if (said === '') return field.current?.focus()
    setBusy(true)
    void acceptFinding(realm.id, { findingId: f.id, reason: said, write: true }).then((got) => {
      setBusy(false)
      setAnswer(got)
      if (got === null || !('got' in got)) return
      // The field and the buttons disappear, so the focus moves to the line that says what happened.
      if (field.current?.form?.contains(document.activeElement)) outcome.current?.focus()
      app.accepted.add(realm.id, f.id)
    })
  }
  const done = answer !== null && 'got' in answer ? answer.got : null
  const problem = problemText(answer)
  const accepted = useAccepted(f)
  return (
    <form class="finding-accept" onSubmit={write}>
      {!accepted && (
        <>
          <p class="quiet">{words.findings.acceptHow(f.path, placesIn(template))}</p>
          <label>
            <span class="meta">{w.reason}</span>
            <input
              ref={field}
              type="text"
              value={reason}
              maxLength={MAX_REASON}
              data-testid="finding-accept-reason"
              onInput={(e) => setReason(e.currentTarget.value)}
            />
          </label>
        </>
      )}
      {(!accepted || done !== null) && <code data-testid="finding-accept">{wholeFlags(done?.line ?? line)}</code>}
      {!accepted && (
        <span class="buttons">
          <CopyButton text={() => `${line}\n`} label={words.findings.copyAccept} testid="finding-copy-accept" />
          {writes && <WriteLine busy={busy} empty={said === ''} />}
        </span>
      )}
      <p
        ref={outcome}
        class="quiet"
        role="status"
        tabIndex={-1}
        data-testid={accepted ? 'finding-accepted' : undefined}
      >
        {busy ? w.writing : accepted ? outcomeText(done) : ''}
      </p>
      {problem !== '' && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </form>
  )
}

/** How many places a line names by their marks. */
function placesIn(line: string): number {
  return /\[([0-9a-f ]+)\] -- REASON$/.exec(line)?.[1]?.split(' ').length ?? 0
}

/**
 * The text that says that the finding is accepted. done: the server's answer; null if the finding was accepted by
 * somebody else, or before the page was reloaded.
 */
function outcomeText(done: FindingAccepted | null): string {
  return done?.written === false ? w.known(done.path) : w.written(done?.path ?? w.file)
}

/** Why the line was not written; "" without a problem. */
function problemText(answer: Answer<FindingAccepted>): string {
  if (answer === null || !('failed' in answer)) return ''
  return answer.failed === '' ? w.failed : `${w.failed}: ${answer.failed}.`
}
