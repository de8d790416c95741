"""A program that plays over the line protocol and misbehaves at or before its second decision; run as a script."""

from __future__ import annotations

import json
import os
import sys
import time


def misbehave(kind: str) -> None:
    """Do something that forfeits the game."""
    if kind == "text":
        print("I attack!", flush=True)
    elif kind == "list":
        print("[1, 2]", flush=True)
    elif kind == "wordy":
        print(json.dumps({"action": "attack"}), flush=True)
    elif kind == "least":
        print(json.dumps({"action": -(2**63)}), flush=True)
    elif kind == "illegal":
        print(json.dumps({"action": 10**6}), flush=True)
    elif kind == "late":
        print(json.dumps({"action": 0, "decision": 1}), flush=True)
    elif kind == "flood":
        sys.stdout.write("x" * 10**6)
        sys.stdout.flush()
    elif kind == "hang":
        time.sleep(600)
    elif kind == "deaf":
        os.close(0)
        time.sleep(600)
    elif kind == "mute":
        os.close(1)
        time.sleep(600)
    elif kind == "exit":
        sys.exit(3)
    elif kind == "busy":
        end = time.process_time() + 1.5
        while time.process_time() < end:
            pass
        print(json.dumps({"action": 0, "comment": "legal, but dear"}), flush=True)


def main(kind: str, seen: str = "") -> None:
    """Play; `seen` is a file to which every line received is written."""
    asked = 0
    for line in sys.stdin:
        if seen:
            with open(seen, "a", encoding="utf-8") as file:
                file.write(line)
        message = json.loads(line)
        if message["type"] == "hello":
            print(json.dumps({"type": "ready"} if kind != "rude" else {"type": "hi"}), flush=True)
        elif message["type"] == "choose":
            asked += 1
            if kind == "text-orderly":
                misbehave("text")
            elif asked == 2 and kind not in {"well-behaved", "orderly"}:
                misbehave(kind)
            else:
                print(json.dumps({"action": message["legal"][0], "decision": message["decision"]}), flush=True)
    if "orderly" in kind:
        with open(seen, "a", encoding="utf-8") as file:
            file.write("the end")


if __name__ == "__main__":
    main(*sys.argv[1:])
