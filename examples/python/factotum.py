#!/usr/bin/env python3
"""A session from Python: a message is there once, and so is every event, whatever happens to the connection.

Needs the package "websockets" (Debian: python3-websockets). As a program it says something and prints what comes of it:

    FACTOTUM_TOKEN=fct_... python3 factotum.py http://127.0.0.1:4000 cli:demo "run: uname -a"
"""

import asyncio
import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid

import websockets

SEND = """
mutation ($input: SendMessageInput!) {
  sendMessage(input: $input) {
    __typename
    ... on SendMessagePayload { message { id turn { id firstSeq } } }
    ... on Refusal { code problem }
  }
}
"""
FOLLOW = """
subscription ($id: ID!, $after: Int) {
  sessionEvents(sessionId: $id, after: $after) {
    __typename
    seq
    turnId
    ... on TextCompletedEvent { content final }
    ... on TurnCompletedEvent { failure }
  }
}
"""


class Factotum:
    def __init__(self, url, token):
        self.url = url.rstrip("/") + "/graphql"
        self.authorization = f"Bearer {token}"

    def run(self, query, variables):
        """Any query or mutation. Raises RuntimeError with the server's words, or URLError without an answer."""
        body = json.dumps({"query": query, "variables": variables}).encode()
        headers = {"content-type": "application/json", "authorization": self.authorization}
        try:
            with urllib.request.urlopen(urllib.request.Request(self.url, body, headers), timeout=20) as response:
                result = json.load(response)
        except urllib.error.HTTPError as refused:
            raise RuntimeError(refused.read().decode()) from refused
        if result.get("errors"):
            raise RuntimeError(result["errors"][0]["message"])
        return result["data"]

    def send(self, session_id, content):
        """What __typename says: accepted, or refused with a problem. Tried again until it is answered; sent once."""
        message = {"sessionId": session_id, "content": content, "idempotencyKey": str(uuid.uuid4())}
        while True:
            try:
                return self.run(SEND, {"input": message})["sendMessage"]
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                time.sleep(1)

    async def events(self, session_id, after=0):
        """The session's log behind the event "after", then live. Comes back by itself, behind the last event."""
        while True:
            try:
                async with websockets.connect(
                    self.url.replace("http", "ws", 1), subprotocols=["graphql-transport-ws"]
                ) as socket:
                    await say(socket, type="connection_init", payload={"authorization": self.authorization})
                    async for text in socket:
                        message = json.loads(text)
                        if message["type"] == "connection_ack":
                            variables = {"id": session_id, "after": after}
                            await say(socket, type="subscribe", id="1", payload={"query": FOLLOW, "variables": variables})
                        elif message["type"] == "ping":
                            await say(socket, type="pong")
                        elif message["type"] == "next":
                            if message["payload"].get("errors"):
                                raise RuntimeError(message["payload"]["errors"][0]["message"])
                            event = message["payload"]["data"]["sessionEvents"]
                            after = event["seq"]
                            yield event
                        elif message["type"] == "error":
                            raise RuntimeError(message["payload"][0]["message"])
                        elif message["type"] == "complete":
                            break
            except websockets.ConnectionClosed as closed:
                if closed.rcvd is not None and closed.rcvd.code == 4401:
                    raise RuntimeError("The token is not valid.") from closed
            except (OSError, asyncio.TimeoutError, websockets.InvalidHandshake):
                pass
            await asyncio.sleep(1)


async def say(socket, **message):
    await socket.send(json.dumps(message))


async def main(url, session_id, content):
    factotum = Factotum(url, os.environ["FACTOTUM_TOKEN"])
    sent = factotum.send(session_id, content)
    if sent["__typename"] != "SendMessagePayload":
        sys.exit(sent["problem"])
    turn = sent["message"]["turn"]
    async for event in factotum.events(session_id, turn["firstSeq"] - 1):
        print(json.dumps(event), flush=True)
        if event["__typename"] == "TurnCompletedEvent" and event["turnId"] == turn["id"]:
            break


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
