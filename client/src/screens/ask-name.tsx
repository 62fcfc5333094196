// Asks for a name when something that a person does needs one, beside what the person has pressed. The rest of the page
// can be used meanwhile, and what waits is done as soon as the person has a name.
import { render } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { AppContext, useApp } from '../panels/context'
import { NameForm } from './name-form'

/** near: what the person has pressed; null if that is not known. */
export function AskName({ near }: { near: Element | null }) {
  const app = useApp()
  const own = useRef<HTMLDivElement>(null)
  const [at, setAt] = useState(near)
  // An open dialog lets nobody use what is outside of it, so the question stands in the dialog.
  useLayoutEffect(() => {
    const box = document.createElement('div')
    const dialog = at?.closest('dialog') ?? own.current
    dialog?.append(box)
    render(
      <AppContext.Provider value={app}>
        <NameForm near={at} />
      </AppContext.Provider>,
      box,
    )
    const gone = new MutationObserver(() => !box.isConnected && setAt(null))
    gone.observe(document.body, { childList: true, subtree: true })
    return () => {
      gone.disconnect()
      render(null, box)
      box.remove()
    }
  }, [app, at])
  return <div ref={own} />
}
