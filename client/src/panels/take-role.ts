// Takes a role for the person at this page.
import type { App } from '../app'
import { focusBox } from './focus-box'
import { isTouchDevice } from './grow'

/**
 * The pressed button goes away when the server has answered, so the focus moves to the text box at once. A touch device
 * would open its keyboard, so there it moves only if the process waits for the role.
 */
export function takeRole(app: App, roleId: string): void {
  const { waiting } = app.model.realm?.world.processState ?? {}
  app.send({ type: 'process:take-role', roleId })
  if (!isTouchDevice() || waiting?.roleIds?.includes(roleId)) focusBox()
}
