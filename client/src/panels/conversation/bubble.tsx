// A message of a transcript.
import { untracked } from '@preact/signals'
import { useCallback } from 'preact/hooks'
import type { ConversationView, Message } from '../../net/protocol.gen'
import type { RealmModel } from '../../state/model'
import { kindOf } from '../../kinds/kinds'
import { folderSet } from '../../state/select'
import { words } from '../../words'
import { useApp } from '../context'
import { FileNames } from '../markdown/file-names'
import { Markdown } from '../markdown/markdown'
import { authorOf, displayOf } from './author'
import { BubbleEmpty } from './bubble-empty'
import { BubbleFoot } from './bubble-foot'
import { BubbleHead } from './bubble-head'
import { Chips } from './chips'
import { GrowingText } from './growing-text'

interface Props {
  message: Message
  realm: RealmModel
  view: ConversationView | null
}

export function Bubble({ message: m, realm, view }: Props) {
  const app = useApp()
  const folders = useCallback(() => untracked(() => folderSet(realm.world.mapTree)), [realm])
  const open = m.status === 'open'
  const display = displayOf(app.model, realm, view, m, m.content)
  const author = authorOf(app.model, realm, view, m, display)
  const classes = [
    'bubble',
    open ? 'bubble-open' : '',
    m.role === 'tool' ? 'bubble-system' : '',
    author.own ? 'bubble-mine' : '',
    m.status !== 'done' && !open ? 'bubble-broken' : '',
  ]
  return (
    <article
      class={classes.filter(Boolean).join(' ')}
      data-testid="message"
      data-role={m.role}
      data-status={m.status}
      data-message-id={m.messageId}
      aria-busy={open}
    >
      <BubbleHead message={m} author={author} />
      {open ? (
        <GrowingText message={m} realm={realm} view={view} />
      ) : (
        <>
          <div class="text markdown">
            {display.text && display.exact ? (
              <p class="exact">{display.text}</p>
            ) : display.text ? (
              <FileNames.Provider value={kindOf(view).ownFiles ? null : folders}>
                <Markdown text={display.text} />
              </FileNames.Provider>
            ) : (
              <BubbleEmpty message={m} author={author} />
            )}
          </div>
          {m.damaged && display.text !== '' && (
            <p class="note note-bad" data-testid="damaged">
              {words.transcript.damaged}
            </p>
          )}
          <Chips chips={display.chips} />
        </>
      )}
      <BubbleFoot message={m} view={view} />
    </article>
  )
}
