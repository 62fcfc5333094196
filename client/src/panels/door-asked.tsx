// What an agent asks for, and what for, if it says that.
import { doorsWords } from '../words-doors'

/** asked: the question as one text. why: what the agent says about the command; "" for nothing. */
export function DoorAsked({ asked, why }: { asked: string; why: string }) {
  return (
    <div class="agent-door-asked">
      <code class="agent-door-summary">{asked}</code>
      {why && (
        <p class="quiet meta agent-door-why" data-testid="door-why">
          {doorsWords.why(why)}
        </p>
      )}
    </div>
  )
}
