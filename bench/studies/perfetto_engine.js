// SPDX-License-Identifier: Apache-2.0
// Runs Perfetto's trace processor, the WebAssembly of its user interface, without a browser.
// Usage: node perfetto_engine.js FOLDER <requests >replies
// FOLDER holds engine_bundle.js and trace_processor*.wasm. Requests and replies are streams of
// TraceProcessorRpc, as perfetto's Python package writes and reads them. Called by
// perfetto_study.py.
"use strict";
const fs = require("fs"), path = require("path"), vm = require("vm");

const folder = process.argv[2];
const replies = [];
const port = { onmessage: null, postMessage: bytes => replies.push(Buffer.from(bytes)) };

// What the bundle asks of a browser's worker: to load its WebAssembly, at once.
class XMLHttpRequest {
  open(method, url) { this.url = url; }
  send() {
    const bytes = fs.readFileSync(path.join(folder, path.basename(this.url)));
    this.response = new Uint8Array(bytes).buffer;
    this.status = 200;
  }
}
const worker = {
  location: { href: "http://engine/engine_bundle.js" }, navigator: {}, XMLHttpRequest,
  console: { log() {}, warn: text => fs.writeSync(2, `${text}\n`), error() {} },
  performance, crypto, TextDecoder, TextEncoder, URL, setTimeout, clearTimeout,
  importScripts() {}, WorkerGlobalScope() {},
};
worker.self = worker;
vm.createContext(worker);
vm.runInContext(fs.readFileSync(path.join(folder, "engine_bundle.js"), "utf8"), worker);
worker.onmessage({ data: port });
setTimeout(() => { // the module begins in between
  const requests = fs.readFileSync(0);
  const bytes = vm.runInContext("n => new Uint8Array(n)", worker)(requests.length);
  bytes.set(requests);
  port.onmessage({ data: bytes });
  fs.writeFileSync(1, Buffer.concat(replies));
}, 200);
