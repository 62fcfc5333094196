// What people call a stage of a process. Pure.
import type { Template } from '../net/protocol.gen'
import { title } from '../words'

/** A stage that the template has not is called by its id. */
export function stageName(template: Template | null, id: string): string {
  return template?.stages.find((s) => s.id === id)?.name ?? title(id)
}
