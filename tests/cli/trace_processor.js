"use strict";
/* trace_processor.js: Perfetto's trace processor as Perfetto's own page runs it, a worker with WebAssembly, but in Node.js.
 * Its protocol comes on stdin and its answers go to stdout. node trace_processor.js FOLDER; FOLDER has engine_bundle.js. */
const fs = require("fs");
const path = require("path");
const folder = process.argv[2];
const read = (url) => fs.readFileSync(path.join(folder, path.basename(String(url))));
class Request {
  open(method, url) { this.url = url; }
  send() { this.response = read(this.url); }
}
const say = console.error.bind(console);
const page = { location: { href: "http://localhost/engine_bundle.js" } };
const fetched = async (url) => new Response(read(url), { headers: { "Content-Type": "application/wasm" } });
const names = ["self", "WorkerGlobalScope", "XMLHttpRequest", "fetch", "process", "console"];
new Function(...names, read("engine_bundle.js"))(page, Object, Request, fetched, undefined, { log: say, warn: say, error: say });
const port = { postMessage: (bytes) => process.stdout.write(bytes) };
page.onmessage({ data: port });
setImmediate(() => process.stdin.on("data", (bytes) => port.onmessage({ data: bytes })));
