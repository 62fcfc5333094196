// An opened finding: evidence, the path of a value, reason, advice, patch, and how to accept the finding.
import type { Finding } from '../net/protocol.gen'
import { DOT, words } from '../words'
import { CopyButton } from './copy-button'
import { Evidence } from './evidence'
import { FileLink } from './file-link'
import { FindingAccept } from './finding-accept'
import { FindingActs } from './finding-acts'
import { FindingPart as Part } from './finding-part'
import { FindingSteps } from './finding-steps'
import { Folding } from './folding'
import { Out } from './markdown/out'
import type { GoTo } from './place'
import { useAccepted } from './use-accepted'

/** The number of characters of each part that are shown before the person unfolds the part. */
const PART = 1_200

/** The maximum number of merged findings that are named. */
const MAX_ALSO = 20

interface Props {
  finding: Finding
  /** The findings that were merged into this one. */
  also: readonly Finding[]
  /** The room of a path; null for none. */
  roomOf: (path: string) => string | null
  onGo: GoTo
}

export function FindingDetails({ finding: f, also, roomOf, onGo }: Props) {
  const accepted = useAccepted(f)
  const w = words.findings
  const told = (part: 'why' | 'advice' | 'proof', title: string) => (
    <Part title={title} when={!!f[part]}>
      <div class="text" data-testid={`finding-${part}`}>
        <Folding text={f[part] ?? ''} limit={PART} />
      </div>
    </Part>
  )
  return (
    <dl class="finding-details">
      {!f.evidence && !f.why && !f.advice && f.text && (
        <dd class="text">
          <Folding text={f.text} limit={PART} />
        </dd>
      )}
      <Part title={w.evidence} when={!!f.evidence}>
        <Evidence text={f.evidence ?? ''} />
      </Part>
      <Part title={w.steps} when={!!f.steps?.length}>
        <FindingSteps steps={f.steps ?? []} roomOf={roomOf} onGo={onGo} />
      </Part>
      {told('why', w.why)}
      {told('advice', w.advice)}
      <Part title={w.patch} when={!!f.patch}>
        <pre class="evidence" tabIndex={0} data-testid="finding-patch">
          {f.patch}
        </pre>
        <CopyButton text={() => f.patch ?? ''} label={w.copyPatch} testid="finding-copy-patch" />
      </Part>
      {told('proof', w.proof)}
      <Part title={w.also(also.length)} when={also.length > 0}>
        <ul data-testid="finding-also">
          {also.slice(0, MAX_ALSO).map((o) => (
            <li key={o.id}>
              {o.path !== '' && (
                <code>
                  <FileLink path={o.path} line={o.line} text={o.line ? `${o.path}:${o.line}` : o.path} />
                </code>
              )}{' '}
              {o.title}
            </li>
          ))}
          {also.length > MAX_ALSO && <li>{w.alsoMore(also.length - MAX_ALSO)}</li>}
        </ul>
      </Part>
      <Part title={w.check} when={!!f.check}>
        <code data-testid="finding-check">{f.check}</code>
        {f.cwe?.map((n) => (
          <span key={n} data-testid="finding-cwe">
            {DOT}
            <Out href={`https://cwe.mitre.org/data/definitions/${n}.html`}>{`CWE-${n}`}</Out>
          </span>
        ))}
      </Part>
      <Part title={accepted ? w.accepted : w.accept} when={!!f.accept && !f.withdrawn}>
        <FindingAccept finding={f} />
      </Part>
      <dd>
        <FindingActs finding={f} />
      </dd>
    </dl>
  )
}
