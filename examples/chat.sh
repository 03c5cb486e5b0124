#!/bin/sh
# A chat completion with curl. TURNPIKE_URL and TURNPIKE_KEY are the address and the client key that the first start prints.
curl -sS "$TURNPIKE_URL/v1/chat/completions" \
  -H "Authorization: Bearer $TURNPIKE_KEY" \
  -H "Content-Type: application/json" \
  -d '{"model": "sandbox/chat", "messages": [{"role": "user", "content": "Hello"}]}'
