// The text field for the task.
import { words } from '../../words'

export function TaskField({ text, onText }: { text: string; onText: (text: string) => void }) {
  const w = words.conversation.dialog
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
