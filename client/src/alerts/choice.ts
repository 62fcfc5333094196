// What a person has switched on in this browser. Both are off at first.
import type { SafeStorage } from '../identity/storage'

export type Way = 'notify' | 'sound'

export function isOn(storage: SafeStorage, way: Way): boolean {
  return storage.get(`alerts.${way}`) === '1'
}

export function turn(storage: SafeStorage, way: Way, on: boolean): void {
  if (on) storage.set(`alerts.${way}`, '1')
  else storage.remove(`alerts.${way}`)
}

/** Whether the browser shows notifications of this page. 'none': it has none. */
export function permission(): NotificationPermission | 'none' {
  return typeof Notification === 'undefined' ? 'none' : Notification.permission
}
