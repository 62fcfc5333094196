import { expect, it } from 'vitest'
import { socketUrl } from './url'

it('talks to the page’s own host, encrypted where the page is', () => {
  expect(socketUrl({ protocol: 'http:', host: '127.0.0.1:3001', search: '' })).toBe('ws://127.0.0.1:3001/ws')
  expect(socketUrl({ protocol: 'https:', host: 'x.example', search: '?token=a%26b' })).toBe('wss://x.example/ws?token=a%26b')
  expect(socketUrl({ protocol: 'http:', host: 'h', search: '?seat=secret' })).toBe('ws://h/ws')
})
