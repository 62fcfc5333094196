// The name of a stage. Pure.
import type { Template } from '../net/protocol.gen'
import { title } from '../words'

/** A stage that the template does not have is named by its id. */
export function stageName(template: Template | null, id: string): string {
  return template?.stages.find((s) => s.id === id)?.name ?? title(id)
}
