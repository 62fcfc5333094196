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

/** Switches notifications on or off and returns whether they are on. The browser asks the person first. */
export async function switchNotify(storage: SafeStorage, on: boolean): Promise<boolean> {
  const allowed = on && permission() !== 'none' && (await Notification.requestPermission()) === 'granted'
  turn(storage, 'notify', allowed)
  return allowed
}

/** The browser's permission for notifications; 'none' if the browser does not support notifications. */
export function permission(): NotificationPermission | 'none' {
  return typeof Notification === 'undefined' ? 'none' : Notification.permission
}
