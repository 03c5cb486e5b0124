"""A streamed chat completion with Python's standard library: python3 chat.py. Reads TURNPIKE_URL and TURNPIKE_KEY."""

import json
import os
import urllib.request

request = urllib.request.Request(
    os.environ["TURNPIKE_URL"] + "/v1/chat/completions",
    data=json.dumps(
        {"model": "sandbox/chat", "stream": True, "messages": [{"role": "user", "content": "Hello"}]}
    ).encode(),
    headers={"Authorization": "Bearer " + os.environ["TURNPIKE_KEY"], "Content-Type": "application/json"},
)
with urllib.request.urlopen(request) as response:
    for line in response:
        text = line.decode().strip()
        if not text.startswith("data: ") or text == "data: [DONE]":
            continue
        for choice in json.loads(text[len("data: ") :])["choices"]:
            print(choice["delta"].get("content") or "", end="", flush=True)
print()
