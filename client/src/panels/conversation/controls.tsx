// The buttons in the head of a conversation: the kind's own, rename, erase, copy. On a phone, which has no space for
// all of them, the rarer ones are in a menu.
import { useRef, useState } from 'preact/hooks'
import type { ConversationProps } from '../../kinds/kind'
import { kindOf } from '../../kinds/kinds'
import { useLayout } from '../../screens/viewport'
import { words } from '../../words'
import { useApp } from '../context'
import { CopyLink } from '../copy-link'
import { ControlButton } from './control-button'
import { CopyIcon } from './copy-icon'
import { HeadMenu } from './head-menu'
import { HostControls } from './host-controls'
import { transcriptText, type ShownRows } from './rows'

interface Props extends ConversationProps {
  read: ShownRows
  /** Shows the form that renames the conversation; null while it is shown. */
  onRename: (() => void) | null
}

export function Controls({ view, realm, read, onRename }: Props) {
  const app = useApp()
  const kind = kindOf(view)
  const phone = useLayout() === 'phone'
  const [open, setOpen] = useState(false)
  const more = useRef<HTMLButtonElement>(null)
  const onDone = () => {
    more.current?.focus() // before the button with the focus goes
    setOpen(false)
  }
  const acts = app.host.value && onRename !== null
  const rest = (
    <>
      {acts && <HostControls view={view} realm={realm} wide={phone} onRename={onRename} onDone={onDone} />}
      {!phone && kind.HeadTools && <kind.HeadTools view={view} realm={realm} />}
      <CopyLink
        to={{ kind: 'talk', realmId: realm.id, id: view.conversationId, seq: 0, messageId: '' }}
        label={words.conversation.copyLink}
        testid="talk-copy-link"
        wide={phone}
      />
      {read.rows.length > 0 && (
        <CopyIcon
          text={() => transcriptText(read.rows)}
          label={words.conversation.copyAll}
          testid="copy-transcript"
          wide={phone}
        />
      )}
    </>
  )
  return (
    <span class="conversation-buttons">
      {acts && kind.controls({ view, realm }).map((c) => <ControlButton key={c.testid} control={c} />)}
      {phone && kind.HeadTools && <kind.HeadTools view={view} realm={realm} />}
      {phone ? (
        <HeadMenu button={more} open={open} onOpen={setOpen}>
          {rest}
        </HeadMenu>
      ) : (
        rest
      )}
    </span>
  )
}
