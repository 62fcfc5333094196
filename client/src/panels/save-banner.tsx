// A banner about the disk, shown until everything is saved.
import { clock, words } from '../words'
import { useApp } from './context'
import { StateMark } from './state-mark'
import { BoardBanner } from './board-banner'

export function SaveBanner() {
  const save = useApp().model.save
  if (save?.board && save.state === 'saved') return <BoardBanner note={save.board} />
  if (!save || save.state === 'saved') return null
  const text =
    save.state === 'slow'
      ? words.save.slowText
      : save.state === 'broken'
        ? words.save.brokenText
        : words.save.failingText
  const head =
    save.state === 'broken'
      ? words.save.broken
      : save.state === 'slow'
        ? words.save.slow
        : save.since
          ? words.save.failing(clock(save.since))
          : words.save.failingNow
  return (
    <div class="banner banner-unsaved" role="status" data-testid="save-banner" data-state={save.state}>
      <StateMark state="interrupted" />
      <span>
        <strong>{head}.</strong> {text}
        {save.message && <span class="quiet"> {save.message}</span>}
        {save.board && <span class="quiet"> {save.board}</span>}
      </span>
    </div>
  )
}
