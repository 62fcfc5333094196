// What a task or a council is about.
import { words } from '../../words'

export function TaskField({ text, onText }: { text: string; onText: (text: string) => void }) {
  const w = words.chats.dialog
  return (
    <label>
      <span>{w.task_}</span>
      <textarea
        data-testid="talk-task"
        data-first
        rows={4}
        value={text}
        placeholder={w.taskHint}
        onInput={(e) => onText(e.currentTarget.value)}
      />
    </label>
  )
}
