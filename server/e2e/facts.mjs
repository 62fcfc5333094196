// Calls tools of a server with a TypeScript client of the Model Context Protocol.
//
//   node facts.mjs FOLDER PACKAGE URL TOKEN CALLS
//
// FOLDER is where the package of the client is installed. CALLS is JSON: [[tool, input], ...]. Prints the names of all
// tools, and then the text of each answer, a line each.
import path from "node:path";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [folder, name, url, token, calls] = process.argv.slice(2);
const require = createRequire(path.resolve(folder, "package.json"));
const load = (part) => import(pathToFileURL(require.resolve(part)));

const { Client, StreamableHTTPClientTransport } =
  name === "@modelcontextprotocol/sdk"
    ? {
        ...(await load(`${name}/client/index.js`)),
        ...(await load(`${name}/client/streamableHttp.js`)),
      }
    : await load(name);
const client = new Client({ name: "test", version: "1" });
const requestInit = { headers: { Authorization: `Bearer ${token}` } };
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
const { tools } = await client.listTools();
console.log(tools.map((t) => t.name).join(" "));
for (const [tool, input] of JSON.parse(calls)) {
  const answer = await client.callTool({ name: tool, arguments: input });
  console.log(JSON.stringify(answer.content[0].text));
}
await client.close();
