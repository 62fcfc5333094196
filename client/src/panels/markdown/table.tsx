// A Markdown table.
import type { Tokens } from 'marked'
import { parts } from './parts'

export function Table({ table, depth }: { table: Tokens.Table; depth: number }) {
  const cell = (c: Tokens.TableCell, i: number) => {
    const style = c.align ? { textAlign: c.align } : undefined
    return c.header ? (
      <th key={i} style={style}>
        {parts(c.tokens, depth)}
      </th>
    ) : (
      <td key={i} style={style}>
        {parts(c.tokens, depth)}
      </td>
    )
  }
  return (
    <div class="table-box" tabIndex={0}>
      <table>
        <thead>
          <tr>{table.header.map(cell)}</tr>
        </thead>
        <tbody>
          {table.rows.map((row, i) => (
            <tr key={i}>{row.map(cell)}</tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
