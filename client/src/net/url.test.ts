import { expect, it } from 'vitest'
import { exportUrl, socketUrl } from './url'

it('talks to the page’s own host, encrypted where the page is', () => {
  expect(socketUrl({ protocol: 'http:', host: '127.0.0.1:3001', search: '' })).toBe('ws://127.0.0.1:3001/ws')
  expect(socketUrl({ protocol: 'https:', host: 'x.example', search: '?token=a%26b' })).toBe(
    'wss://x.example/ws?token=a%26b',
  )
  expect(socketUrl({ protocol: 'http:', host: 'h', search: '?seat=secret' })).toBe('ws://h/ws')
})

it('finds exports beside the page, with the token of its address', () => {
  expect(exportUrl({ search: '' }, 'r1', 'sarif')).toBe('/api/realms/r1/export?format=sarif')
  expect(exportUrl({ search: '?token=t' }, 'r1', 'json', 'c4 1')).toBe(
    '/api/realms/r1/export?format=json&conversation=c4%201&token=t',
  )
  expect(exportUrl({ search: '?token=a%26b&seat=secret' }, 'a/b', 'json')).toBe(
    '/api/realms/a%2Fb/export?format=json&token=a%26b',
  )
})
