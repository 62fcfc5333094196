// The alerts that a person has switched on in this browser: notifications and sounds. Both are off by default.
import type { SafeStorage } from '../identity/storage'

export type Way = 'notify' | 'sound'

export function isOn(storage: SafeStorage, way: Way): boolean {
  return storage.get(`alerts.${way}`) === '1'
}

export function turn(storage: SafeStorage, way: Way, on: boolean): void {
  if (on) storage.set(`alerts.${way}`, '1')
  else storage.remove(`alerts.${way}`)
}

/** The browser's permission for notifications; 'none' if the browser does not support notifications. */
export function permission(): NotificationPermission | 'none' {
  return typeof Notification === 'undefined' ? 'none' : Notification.permission
}
