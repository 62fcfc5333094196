// The texts of notifications and of their settings, part of words.ts.
export const alertWords = {
  door: (realm: string) => `${realm}: an agent asks you`,
  turn: (realm: string) => `${realm}: it is your turn`,
  done: (realm: string) => `${realm}: the process is done`,
  critical: (realm: string) => `${realm}: a critical finding`,
  lost: (realm: string) => `${realm}: the server does not answer`,
  heading: 'Alerts',
  notify: 'Notifications',
  notifyText: 'while this page is in the background: an agent asks, your turn, done, a critical finding, no server',
  notifyDenied: 'The browser does not allow them for this page.',
  offer: 'Get a notification when an agent asks you while this page is in the background?',
  offerYes: 'Notify me',
  offerNo: 'Do not show this again',
  sound: 'Sounds',
  soundText: 'a short tone for each of these',
} as const
